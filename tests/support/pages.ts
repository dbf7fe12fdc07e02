// The paths of all pages, and records to show on them.

import { signed } from "../../src/auth/sealed.ts";
import { standardArea, standardResources } from "../../src/resources.ts";
import { type Browser, browser } from "./browser.ts";
import { aPdf, aPng } from "./files.ts";
import {
  aDomain,
  aGroup,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anItem,
  api,
  aScope,
  idOf,
  service,
} from "./mod.ts";
import { aRecordOf } from "./standard.ts";
import { IMPORT_HOSTS, uploaded } from "./upload.ts";

const PAGES = [
  "/",
  "/?q=ben",
  "/user/profile",
  "/user/watches",
  "/user/passkeys/add",
  "/user/passkeys/codes",
  "/admin",
  "/admin/first-steps/network",
  "/admin/first-steps/names",
  "/admin/users",
  "/admin/users/create",
  "/admin/users/view/bob",
  "/admin/users/edit/bob",
  "/admin/service-accounts",
  "/admin/service-accounts/create",
  "/admin/service-accounts/view/robot",
  "/admin/service-accounts/edit/robot",
  "/admin/tokens",
  "/admin/jobs",
  "/admin/webhooks",
  "/admin/webhooks/create",
  "/admin/audit",
  "/admin/system",
  "/admin/triggers",
  "/admin/triggers?q=nothing",
  "/admin/triggers/create/awx",
  "/admin/triggers/create/gitlab",
  "/admin/triggers/create/jenkins",
  "/admin/triggers/create/post",
  "/admin/sign-in",
  "/admin/sign-in/create/oidc",
  "/admin/sign-in/create/ldap",
  "/admin/sign-in/view/lab",
  "/admin/sign-in/edit/lab",
  "/admin/sign-in/view/directory",
  "/admin/sign-in/edit/directory",
  "/admin/sign-in/test/directory",
  "/inventory",
  "/network",
  "/users/alice",
  "/inventory/attributes/location",
  "/inventory/attributes/location?q=nothing",
  "/inventory/attributes/location/Hall%20A",
  "/inventory/attributes/manufacturer",
  "/inventory/attributes/favorites",
  "/inventory/items",
  "/inventory/items?q=nothing",
  "/inventory/items?location=Hall%20A&cols=ics_id&cols=location&sort=-ics_id",
  "/inventory/items?cols=ics_id&cols=no_such_column",
  "/inventory/items/create",
  "/inventory/items/edit/AAA001",
  "/inventory/items/comment/AAA001",
  "/inventory/items/import",
  "/inventory/items/view/AAA001",
  "/inventory/items/labels",
  "/inventory/scanner",
  "/network/hosts",
  "/network/hosts?q=name:bench*",
  "/network/hosts/import",
  "/network/hosts/create?network=Bench",
  "/network/hosts/view/bench-01",
  "/network/hosts/edit/bench-01",
  "/network/hosts?q=location:x",
  "/network/hosts?q=(",
  "/network/interfaces",
  "/network/interfaces?q=bnech",
  "/network/interfaces/create/bench-01",
  "/network/interfaces/edit/bench-01",
  "/network/domains",
  "/network/domains/create",
  "/network/domains/view/lab.example.org",
  "/network/scopes",
  "/network/scopes/create",
  "/network/scopes/edit/Laboratory",
  "/network/scopes/view/Laboratory",
  "/network/vlans/310",
  "/network/networks",
  "/network/networks/create?scope=Laboratory",
  "/network/networks/edit/Bench",
  "/network/networks/view/Bench",
  "/network/groups",
  "/tags",
  "/network/groups/create",
  "/network/groups/edit/Bench%20hosts",
  "/network/groups/view/Bench%20hosts",
  "/changes",
  "/changes?user=alice&kind=items&from=now-7d",
  "/changes?q=nothing",
  "/api/docs",
  "/help",
  "/help?q=sensitive%20network",
  "/help?q=xyzzy",
  "/help/glossary",
  "/help/search",
  "/help/operating",
  "/help/limits",
  "/nowhere",
];

/** Creates the records that these pages show, and returns the paths. */
export async function aSite(): Promise<string[]> {
  const { id } = await aLocation({ name: "Hall A", description: "The big one" });
  const item = await anItem({ ics_id: "AAA001", location: "Hall A" });
  const files = "/inventory/items/AAA001/files";
  const bytes = { headers: { "content-type": "application/octet-stream" } };
  for (const content of [aPng(), aPdf()]) await api(alice).post(files, content, bytes);
  const domain = await aDomain({ name: "lab.example.org" });
  await aScope({ name: "Laboratory", domain_id: domain.id });
  await aNetwork({ scope: "Laboratory", vlan_name: "Bench", vlan_id: 310 });
  await aHost({ name: "bench-01", network: "Bench", automation_vars: { port: 1 } });
  await aGroup({ name: "Bench hosts", hosts: ["bench-01"], vars: { port: 2 } });
  const [change] = (await api(alice).get("/changes?kind=hosts")).body;
  const comment = await api(alice).post("/inventory/items/AAA001/comments", { body: "Calibrated" });
  return [
    ...PAGES,
    `/inventory/attributes/location?selected=${id}`,
    `/inventory/items/comment/edit/${comment.body.id}`,
    `/files/items/${item.id}`,
    `/changes/${change.id}`,
    `/changes/locations/${id}`,
    `/user/watches/confirm/${signed("[]", "confirm-address")}`,
    `/notices/unsubscribe/${signed("1", "unsubscribe")}`,
    ...(await passkeyPages()),
    ...(await standardPages()),
    ...(await triggerPages()),
    ...(await tokenPages(await browser(alice))),
    ...(await ownPages(await browser(alice))),
    ...(await webhookPages()),
  ];
}

/** The pages that are made from the descriptions of resources. */
async function standardPages(): Promise<string[]> {
  const pages: string[] = [];
  for (const resource of standardResources) {
    const { path, key } = resource;
    const name = encodeURIComponent(String((await aRecordOf(resource))[key]));
    pages.push(path, `${path}/create`, `${path}/view/${name}`);
    if (standardArea(resource).changed) pages.push(`${path}/edit/${name}`);
  }
  return pages;
}

/** A webhook with a message that was tried. */
async function webhookPages(): Promise<string[]> {
  const url = "https://hooks.invalid/cadastre";
  const filters = { kind: ["hosts", "interfaces"], user: ["bob"] };
  const { body } = await api(alice).post("/webhooks", { name: "DHCP", url, filters });
  const { sql } = await service();
  const [{ id }] = await sql`
    with made as (
      insert into deliveries (subscription_id, change_set, attempts) values (${body.id}, 1, 1) returning id
    )
    insert into delivery_attempts (delivery_id, milliseconds, problem, url, request_body)
    select id, 12, 'The server refuses connections', ${url}, '{}' from made returning delivery_id as id`;
  const pages = ["view", "edit"].map((page) => `/admin/webhooks/${page}/${body.id}`);
  return [...pages, `/admin/webhooks/delivery/${body.id}/${id}`];
}

/** The pages of a passkey of Alice, which no authenticator has. */
async function passkeyPages(): Promise<string[]> {
  const { sql } = await service();
  const [{ id }] = await sql`
    insert into passkeys (user_id, name, rp_id, user_handle, credential_id, public_key)
    values (${await idOf(alice)}, 'Laptop', 'localhost', '\\x00', '\\x00', '\\x00') returning id`;
  return ["rename", "remove"].map((page) => `/user/passkeys/${page}/${id}`);
}

/** Triggers that are switched off. */
async function triggerPages(): Promise<string[]> {
  const common = { secret: "a token", is_active: false };
  const triggers = [
    { name: "DHCP", template: "awx", url: "https://awx.example.org", job_template: 7 },
    {
      ...{ name: "DNS", template: "gitlab", url: "https://gitlab.example.org" },
      ...{ project: "network/dns", ref: "main", token_kind: "trigger" },
      filters: { kind: ["hosts"], from: "2026-01-31" },
    },
  ];
  const made = await Promise.all(
    triggers.map((one) => api(alice).post("/triggers", { ...common, ...one })),
  );
  return made.flatMap(({ body: { id } }) => [
    `/admin/triggers/view/${id}`,
    `/admin/triggers/edit/${id}`,
  ]);
}

/** The pages that rotate a token of Alice, and one of a service account. */
async function tokenPages(own: Browser): Promise<string[]> {
  const token = await api(alice).post("/user/tokens", { description: "Scripts" });
  await own.submit("/admin/service-accounts/create", { username: "robot" });
  await own.submit("/admin/service-accounts/token", { username: "robot", description: "Nightly" });
  const { sql } = await service();
  const [{ id }] = await sql`select id from tokens where description = 'Nightly'`;
  return [`/user/tokens/rotate/${token.body.id}`, `/admin/service-accounts/rotate/robot/${id}`];
}

/** Two providers for the login, two imports, an export that waits, and a list with a view of one's own. */
async function ownPages(own: Browser): Promise<string[]> {
  const list = "/inventory/items";
  await own.submit("/admin/sign-in/create/oidc", {
    key: "lab",
    name: "Lab",
    issuer: "https://login.example.org",
    client_id: "cadastre",
  });
  await own.submit("/admin/sign-in/create/ldap", {
    key: "directory",
    name: "Directory",
    url: "ldaps://ldap.example.org",
    base: "dc=example,dc=org",
  });
  await own.submit("/admin/sign-in/mapping/lab", {
    outer_group: "lab-net",
    inner_group: "network",
  });
  await own.submit("/user/watches/toggle", { table_name: "hosts", row_id: "1", watch: "true" });
  await own.submit("/searches", { list, name: "Hall A", query: "location=Hall A", shared: "true" });
  const rows = "ics_id,serial_number,location\nAAA002,SN2,Hall A\nAAA003,SN3,Nowhere\n";
  const { headers } = await own.get(`${list}/_generate_excel_file`);
  const hosts = "name,device_type,network\nbench-02,Physical,Bench\nbench-03,Toaster,Bench\n";
  return [
    await uploaded(own, rows),
    await uploaded(own, hosts, IMPORT_HOSTS),
    headers.get("location") ?? "",
    `${list}?location=Hall+A`,
  ];
}

// PUT by the name of a record: made, changed, or as it was.
import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { aHiddenHost } from "../support/hidden.ts";
import {
  aDomain,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  carol,
  dave,
} from "../support/mod.ts";

const admin = api(alice);

/** Of each resource: its path, a body that makes a record, one that changes it, and one that it refuses. */
async function everyKind() {
  const { name: domain } = await aDomain({ name: "lab.example" });
  await aDomain({ name: "other.example" });
  const { name: scope } = await aScope({ name: "Lab", supernet: "10.1.0.0/16" });
  const block = {
    vlan_id: 3999,
    address: "10.1.7.0/24",
    first_ip: "10.1.7.1",
    last_ip: "10.1.7.9",
    gateway: "10.1.7.254",
  };
  const { name: host } = await aHost({ name: "web-1" });
  const { vlan_name: network } = await aNetwork({ scope, vlan_name: "Office" });
  const { name: nic } = await anInterface({ host, network, name: "web-1" });
  await anItem({ ics_id: "AAA002" });
  return [
    ["/inventory/manufacturers/by-name/ESS", {}, { description: "Lund" }],
    ["/inventory/models/by-name/X%2F1", { description: "One" }, { description: null }],
    ["/inventory/locations/by-name/Hall%20A", {}, { description: "Big" }],
    ["/inventory/statuses/by-name/In%20use", {}, { description: "Works" }],
    ["/inventory/macs/by-address/02-42-42-00-00-01", { item: "AAA002" }, { item: null }],
    ["/inventory/items/by-ics_id/AAA001", { serial_number: "S" }, { parent: "AAA002" }],
    ["/network/domains/by-name/new.example", {}, undefined],
    ["/network/device_types/by-name/Robot", {}, undefined],
    [
      "/network/scopes/by-name/New",
      { first_vlan: 1, last_vlan: 9, supernet: "10.2.0.0/16", domain },
      { domain: "other.example" },
    ],
    [
      "/network/networks/by-vlan_name/Net",
      { ...block, scope, domain },
      { domain: "other.example" },
    ],
    ["/network/groups/by-name/ioc", { vars: { a: [1] } }, { vars: { a: [2] } }],
    [
      "/network/hosts/by-name/new",
      { device_type: "Physical", network, mac: "02:42:42:00:00:09" },
      { description: "New" },
    ],
    ["/network/interfaces/by-name/web-1-b", { host, network }, { description: "Second" }],
    [`/network/cnames/by-name/www.${domain}`, { interface: nic }, undefined],
    [
      "/user/users/by-username/erin",
      { password: "correct horse battery staple", groups: ["network", "inventory"] },
      { email: "erin@example.org" },
    ],
    ["/user/service_accounts/by-username/robot", { groups: ["network"] }, { display_name: "R" }],
    [
      "/webhooks/by-name/dns",
      { url: "https://hooks.example.org/dns", filters: { kind: ["hosts"] } },
      { is_active: false },
    ],
    [
      "/triggers/by-name/dns",
      { template: "post", url: "https://jobs.example.org/dhcp", body: { a: 1 }, secret: "s3cret" },
      { quiet_seconds: 30, headers: { "x-a": "b" } },
    ],
  ] as const;
}

test("each resource with a name is made, left, changed and left again", async () => {
  for (const [path, made, change] of await everyKind()) {
    const first = await admin.put(path, made);
    expect([path, first.status, first.text]).toEqual([path, 201, expect.any(String)]);
    expect(first.headers.get("location")).toEndWith(`/${first.body.id}`);
    const again = await admin.put(path, made);
    expect([path, again.status, again.text, again.headers.get("change-set")]).toEqual([
      ...[path, 204, "", null],
    ]);
    const record = path.replace(/by-.*/, String(first.body.id));
    const read = await admin.get(record);
    expect([path, again.headers.get("etag")]).toEqual([path, read.headers.get("etag")]);
    if (change) {
      const dry = await admin.put(`${path}?dry_run=true`, change);
      const changed = await admin.put(path, change);
      expect([path, dry.status, changed.status, changed.body.id]).toEqual([
        ...[path, 200, 200, first.body.id],
      ]);
      expect([path, changed.body]).toMatchObject([path, change]);
      expect([path, (await admin.put(path, change)).status]).toEqual([path, 204]);
    }
  }
});

describe("a PUT", () => {
  test("sent by many clients at once makes one record", async () => {
    const { vlan_name: network } = await aNetwork();
    const answers = await concurrently(24, (client) =>
      admin.put("/network/hosts/by-name/new", {
        ...{ device_type: "Physical", network },
        description: `By ${client % 3}`,
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toEqual([201]);
    expect(statuses.filter((status) => ![200, 201, 204].includes(status))).toEqual([]);
    expect((await admin.get("/network/interfaces")).body).toHaveLength(1);
  });

  test("refuses what only a new record takes, unless it is so already", async () => {
    const { vlan_name: network } = await aNetwork({ vlan_name: "Lab" });
    const path = "/network/hosts/by-name/new";
    const made = { device_type: "Physical", network, mac: "02:42:42:00:00:01" };
    const { body } = await admin.put(path, made);
    const { ip } = body.interfaces[0];
    const same = { ...made, network: "LAB", mac: "0242.4200.0001", ip };
    expect((await admin.put(path, same)).status).toBe(204);
    const { status, body: refused } = await admin.put(path, { network: "Other", description: "x" });
    const message = "Only a new host takes this; this one has Lab";
    expect([status, refused.errors]).toEqual([422, [{ field: "network", message }]]);
    expect((await admin.get("/network/hosts/1")).body.description ?? null).toBeNull();
  });

  test("shows the secret of a new webhook once, and leaves the secrets of others as they are", async () => {
    const hook = { url: "https://hooks.example.org/dns" };
    const made = await admin.put("/webhooks/by-name/dns", hook);
    expect([made.status, typeof made.body.secret]).toEqual([201, "string"]);
    const changed = await admin.put("/webhooks/by-name/dns", { ...hook, is_active: false });
    expect([changed.status, changed.body.secret]).toEqual([200, undefined]);
    // A trigger and a webhook may have the same name.
    const job = { template: "post", url: "https://jobs.example.org", body: {}, secret: "s3cret" };
    expect((await admin.put("/triggers/by-name/dns", job)).status).toBe(201);
    const again = await admin.put("/triggers/by-name/dns", { ...job, secret: "other" });
    expect(again.status).toBe(204);
    const person = { password: "correct horse battery staple" };
    expect((await admin.put("/user/users/by-username/Erin", person)).status).toBe(201);
    const other = await admin.put("/user/users/by-username/erin", { password: "another horse b" });
    expect(other.status).toBe(204);
    const login = await admin.post("/user/login", { username: "erin", ...person });
    expect(login.status).toBe(200);
  });

  test("of an account that was deactivated is refused", async () => {
    const { body } = await admin.put("/user/users/by-username/erin", {
      password: "correct horse battery staple",
    });
    await admin.delete(`/user/users/${body.id}`);
    const again = await admin.put("/user/users/by-username/erin", { groups: [] });
    expect([again.status, again.body.errors?.[0].field]).toEqual([422, "password"]);
    const whole = await admin.put("/user/users/by-username/erin", {
      password: "correct horse battery staple",
    });
    expect([whole.status, whole.body.errors?.[0].field]).toEqual([422, "username"]);
    await admin.put("/user/service_accounts/by-username/robot", {});
    const robot = (await admin.get("/user/service_accounts")).body[0].id;
    await admin.delete(`/user/service_accounts/${robot}`);
    const back = await admin.put("/user/service_accounts/by-username/robot", { display_name: "R" });
    expect(back.status).toBe(404);
  });

  test("tells what is missing, unknown or wrong by its field", async () => {
    for (const [path, body, fields] of [
      ["/network/hosts/by-name/new", {}, ["device_type"]],
      ["/network/hosts/by-name/new", { device_type: "Physical", colour: 1 }, ["colour"]],
      ["/network/hosts/by-name/a_b", { device_type: "Physical" }, ["name"]],
      ["/network/hosts/by-name/new", { device_type: "Physical", name: "other" }, ["name"]],
      ["/inventory/macs/by-address/lost", {}, ["address"]],
      ["/inventory/macs/by-address/%00", {}, ["address"]],
      ["/network/cnames/by-name/www", { interface: "none" }, ["interface"]],
      ["/inventory/locations/by-name/Hall", { parent: "Nowhere" }, ["parent"]],
    ] as const) {
      const { status, body: problem } = await admin.put(path, body);
      const named = problem.errors?.map(({ field }: { field: string }) => field);
      expect([path, status, named]).toEqual([path, 422, fields as never]);
    }
    const { interface: nic } = { interface: (await anInterface()).name };
    const { status, body } = await admin.put("/network/cnames/by-name/www", { interface: nic });
    expect([status, body.errors[0].message]).toEqual([
      422,
      expect.stringMatching(/^Use the whole name, www\./),
    ]);
    expect((await admin.get("/network/cnames")).body).toEqual([]);
  });

  test("keeps to If-Match, also of what is not there and not changed", async () => {
    const path = "/inventory/locations/by-name/Hall";
    const old = { headers: { "if-match": '"v1"' } };
    expect((await admin.put(path, {}, old)).status).toBe(412);
    const { id } = await aLocation({ name: "Hall" });
    const etag = (await admin.get(`/inventory/locations/${id}`)).headers.get("etag") ?? "";
    const now = { headers: { "if-match": etag } };
    expect((await admin.put(path, { description: "A" }, now)).status).toBe(200);
    expect((await admin.put(path, { description: "A" }, now)).status).toBe(412);
    expect((await admin.put(path, { description: "B" }, now)).status).toBe(412);
  });

  test("needs the rights of POST and PATCH, and betrays no hidden host", async () => {
    await aHiddenHost();
    const body = { device_type: "Physical" };
    expect((await api(carol).put("/network/hosts/by-name/new", body)).status).toBe(403);
    expect((await api(bob).put("/network/hosts/by-name/new", body)).status).toBe(403);
    expect((await api(dave).put("/inventory/locations/by-name/Hall", {})).status).toBe(403);
    const hidden = await api(dave).put("/network/hosts/by-name/canary", body);
    const posted = await api(dave).post("/network/hosts", { ...body, name: "canary" });
    expect([hidden.status, hidden.body.errors]).toEqual([posted.status, posted.body.errors]);
    expect(hidden.text).not.toContain("Hidden");
    expect((await admin.put("/network/hosts/by-name/canary", {})).status).toBe(204);
  });
});

import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { publicId } from "../../src/input/change_ids.ts";
import { type Browser, browser, HTMX } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import {
  type Answer,
  alice,
  api,
  audrey,
  bob,
  carol,
  dave,
  type Person,
  reference,
  service,
} from "../support/mod.ts";
import { giveRight } from "../support/rights.ts";
import { addVault, aSiteWithSecrets, CANARY, forgetSecrets } from "../support/site_with_secrets.ts";

/** Values for paths: visible records, hidden ones, and unknown ones. */
const NAMES = [
  "1",
  "2",
  "3",
  "999999",
  "web-01",
  "Open",
  "Guarded",
  "Lab",
  "Child",
  "AAA002",
  "AAA003",
  `${CANARY}-net`,
  `${CANARY}-01`,
  `${CANARY}-02`,
  "items",
  "hosts",
  "networks",
  "lab.example.org",
  "1.1.10.in-addr.arpa",
];
const SORTS = ["id", "-id", "name", "-updated_at"];
const VALUES: Record<string, string[]> = {
  integer: ["1", "2", "3"],
  boolean: ["true", "false"],
  string: [CANARY, `${CANARY}-01`, "10.1.2.0/24", "10.1.1.2", "cafecafecafe", "2026-01-01", "open"],
};

type Responses = Record<string, string>;

const HEADERS = ["x-total-count", "link", "etag", "location", "content-type", "retry-after"];

function plain({ status, text, headers }: Answer): string {
  const responses = HEADERS.map((name) => `${name}: ${headers.get(name)}`).join("\n");
  const nonce = /nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1] ?? "none";
  const body = text
    .replaceAll(nonce, "NONCE")
    .replace(/"request_id":"[^"]+"/, "")
    // The exact time is in the tag.
    .replace(/(<time [^>]*>)(just now|\d+ (minute|hour)s? ago)</g, "$1AGO<")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "RANDOM");
  return `${status}\n${responses}\n${body}`;
}

function paths(prefix: RegExp): string[] {
  const routes = app.routes.filter(({ method, path }) => method === "GET" && prefix.test(path));
  return routes.flatMap(({ path }) => {
    if (path.endsWith("/changes/:id")) return changeIds.map((id) => filled(path, id));
    return path.includes(":") ? NAMES.map((name) => filled(path, name)) : [path];
  });
}

function filled(path: string, name: string): string {
  let at = 0;
  return path.replace(/:[^/]+/g, () => {
    at += 1;
    return at === 1 ? encodeURIComponent(name) : "2";
  });
}

/** Of visible and of hidden changes, and one that no change has. */
let changeIds: string[] = [];

async function findChanges(): Promise<void> {
  const { sql } = await service();
  const sets = await sql`select id::int from change_sets order by id`;
  changeIds = [...sets.map(({ id }: { id: number }) => publicId(id)), publicId(1_000_000)];
}

interface QueryParameter {
  name: string;
  schema: { type: string; items?: { type: string } };
}

/** Some of them are refused for some fields, which must tell nothing either. */
const LOOKUPS = ["__ne", "__gte", "__lte", "__contains", "__startswith", "__isnull", "__under"];

/** Every list with every filter, every order and some searches. */
async function queries(): Promise<string[]> {
  const { paths: known } = await reference();
  let turn = 0;
  return Object.entries(known).flatMap(([path, { get }]: [string, any]) => {
    if (!get || path.includes("{")) return [];
    const parameters: QueryParameter[] = get.parameters ?? [];
    const lookups = parameters.some(({ name }) => name === "lookups") ? LOOKUPS : [];
    const filters = parameters.flatMap(({ name, schema: { items = { type: "" }, type } }) => {
      const isFilter = type === "array" && !["sort", "fields"].includes(name);
      const one = { name, type: isFilter ? items.type : type };
      return isFilter ? [one, ...lookups.map((lookup) => ({ ...one, name: name + lookup }))] : one;
    });
    return filters.flatMap(({ name, type }) => {
      turn += 1;
      const values = name === "sort" ? SORTS : valuesOf(name, type, turn);
      return values.map((value) => `${path}?${name}=${encodeURIComponent(value)}`);
    });
  });
}

/** Texts, and operators of a field such as __contains, share the values among them. */
function valuesOf(name: string, type: string, turn: number): string[] {
  if (["after", "before"].includes(name)) return changeIds.filter((_, at) => at % 5 === turn % 5);
  const all = VALUES[type] ?? [];
  const shares = type === "string" || (name.includes("__") && type !== "boolean");
  if (allChecks || !shares) return all;
  return all.filter((_, at) => (turn + at) % 3 === 0);
}

/** Every path and every filter, or one in so many without all checks. */
async function addresses(oneIn = 7): Promise<string[]> {
  const every = [...paths(/^\/api\/v1\/(network|inventory|changes|user)/), ...(await queries())];
  const all = every.filter((_, at) => allChecks || at % oneIn === 0);
  return [...new Set(all.map((one) => one.replace(/^\/api\/v1/, "")))];
}

async function crawlApi(person: Person, asked: string[]): Promise<Responses> {
  const responses: Responses = {};
  for (const path of asked) {
    responses[`${person.username} ${path}`] = plain(await api(person).get(path));
  }
  return responses;
}

async function crawlPages(person: Person, as: Browser, rest: number): Promise<Responses> {
  const responses: Responses = {};
  const all = paths(/^\/(?!api|static|health|metrics|user|status)/)
    .filter((path) => !/random_mac|_generate_excel_file/.test(path))
    .filter((_, at) => allChecks || at % 4 === rest);
  const searched = [
    ...[CANARY, "10.1.2.1", "web", "canray-01", "ca:fe:ca", "10.1.1.2", "10.1.1."].map(
      (text) => `/?q=${text}`,
    ),
    ...["canray~", `name:${CANARY}*`, "canray"].map((query) => `/network/hosts?q=${query}`),
  ];
  const { sql } = await service();
  for (const path of [...all, ...searched]) {
    // Wrong secrets are counted, and after ten the answer has the time to wait.
    if (path.startsWith("/notices/")) await sql`delete from login_failures`;
    responses[`${person.username} ${path}`] = plain(await as.get(path));
  }
  for (const path of ["/", `/?q=${CANARY}`, "/network/hosts", "/network/networks"]) {
    responses[`${person.username} part of ${path}`] = plain(await as.get(path, { headers: HTMX }));
  }
  return responses;
}

/** Writes that refer to hidden records; all are refused. */
const WRITES: Array<[method: "post" | "patch" | "delete", path: string, body?: object]> = [
  ["post", "/network/interfaces", { network: `${CANARY}-net`, host: "web-01", name: "eth-1" }],
  ["post", "/network/interfaces", { network: "Open", host: `${CANARY}-01`, name: "eth-1" }],
  ["post", "/network/hosts", { name: "new", device_type: "VME", network: `${CANARY}-net` }],
  ["post", "/network/cnames", { name: "www2", interface_id: 2 }],
  ["post", "/network/cnames", { name: "www2", interface_id: 3 }],
  ["post", "/network/groups", { name: "Other", hosts: [`${CANARY}-01`] }],
  ["post", "/network/groups/preview", { name: "Other", type: "query", query: CANARY }],
  ["patch", "/network/groups/1", { vars: {} }],
  ["patch", "/network/hosts/2", { description: "x" }],
  ["delete", "/network/hosts/2"],
  ["patch", "/network/interfaces/2", { mac: null }],
  ["patch", "/network/interfaces/1", { network: `${CANARY}-net` }],
  ["delete", "/network/interfaces/3"],
  ["delete", "/network/cnames/1"],
  ["patch", "/network/networks/2", { description: "x" }],
  ["post", "/inventory/items", { serial_number: "S9", host_id: 2 }],
  ["patch", "/inventory/items/AAA001", { host_id: 2 }],
  ["patch", "/inventory/items/AAA002", { host_id: null }],
  ["patch", "/inventory/items/AAA003", { stack_member: null, quantity: 2 }],
  ["patch", "/inventory/items/AAA003", { stack_member: 2 }],
];

async function tryWrites(person: Person): Promise<Responses> {
  const responses: Responses = {};
  for (const [method, path, body] of WRITES) {
    const answer = await api(person).send(method.toUpperCase(), `${path}?dry_run=true`, { body });
    const { status, body: said } = answer;
    const { updated_at: _, request_id: __, ...rest } = said ?? {};
    responses[`${method} ${path} ${JSON.stringify(body)}`] = JSON.stringify({ status, rest });
  }
  return responses;
}

async function lookAround(browsers: Map<Person, Browser>): Promise<Responses> {
  const responses: Responses = {};
  Object.assign(responses, await crawlApi(carol, await addresses()));
  // Dave may write, but sees what Carol sees.
  Object.assign(responses, await crawlApi(dave, await addresses(12)));
  for (const person of [bob, dave]) Object.assign(responses, await tryWrites(person));
  for (const [at, [person, as]] of [...browsers].entries()) {
    Object.assign(responses, await crawlPages(person, as, at));
  }
  return responses;
}

/** Responses with a canary word that is not part of the request. */
function leaks(responses: Responses): string[] {
  const asked = (path: string) => path.toLowerCase().includes(CANARY);
  return Object.entries(responses)
    .filter(([path]) => path.startsWith(`${carol.username} `) && !asked(path))
    .filter(([, text]) => text.toLowerCase().includes(CANARY))
    .map(([path]) => path);
}

/** Fills the caches with responses for users who see everything. */
async function fillCaches(): Promise<void> {
  const all = await addresses();
  const half = (rest: number) => all.filter((_, at) => allChecks || at % 2 === rest);
  await crawlApi(alice, half(0));
  await crawlApi(audrey, half(1));
}

/** It would be the nearest name. */
test("a suggestion never names a hidden record", async () => {
  await aSiteWithSecrets();
  const wrong = { host: "web-01", name: "one", network: `${CANARY}-nex` };
  const suggested = async (person: Person) =>
    (await api(person).post("/network/interfaces", wrong)).body.errors[0].message;
  expect(await suggested(dave)).toBe(`'${CANARY}-nex' is not a valid network`);
  expect(await suggested(alice)).toContain(`Did you mean "${CANARY}-net"?`);
  const { text } = await (await browser(dave)).submit("/network/interfaces/create/web-01", wrong);
  expect(text).toContain("There is no network");
  expect(text).not.toContain(`${CANARY}-net`);
});

describe("a caller without access to sensitive records", () => {
  test("gets the same responses, to the byte, as if they did not exist", async () => {
    await aSiteWithSecrets();
    await findChanges();
    const browsers = new Map<Person, Browser>();
    for (const person of [carol, dave]) browsers.set(person, await browser(person));
    await fillCaches();
    const withSecrets = await lookAround(browsers);
    expect(leaks(withSecrets)).toEqual([]);
    await forgetSecrets();
    const without = await lookAround(browsers);
    const differing = Object.keys(without).filter((path) => withSecrets[path] !== without[path]);
    const first = differing[0];
    expect([differing, first && withSecrets[first]]).toEqual([[], first && without[first]]);
    expect(Object.keys(without).length).toBeGreaterThan(1_000);
  }, 600_000);

  test("but sees one network of them gets the same responses as if the others did not exist", async () => {
    await aSiteWithSecrets();
    await giveRight(carol, "sensitive", await addVault());
    await findChanges();
    const own = await browser(carol);
    const look = async () => ({
      ...(await crawlApi(carol, await addresses(5))),
      ...(await crawlPages(carol, own, 0)),
    });
    await crawlApi(alice, await addresses(20));
    const withSecrets = await look();
    expect(leaks(withSecrets)).toEqual([]);
    const seen = Object.entries(withSecrets).filter(([, text]) => text.includes("vault-01"));
    const places = seen.map(([path]) => path.split(" ")[1]);
    for (const one of ["/network/hosts", "/network/interfaces", "/network/networks", "/changes"]) {
      expect([one, places.some((path) => path?.startsWith(one))]).toEqual([one, true]);
    }
    const { text } = await api(dave).get("/network/hosts");
    expect(text).not.toContain("vault");
    await forgetSecrets();
    const without = await look();
    const differing = Object.keys(without).filter((path) => withSecrets[path] !== without[path]);
    const first = differing[0];
    expect([differing, first && withSecrets[first]]).toEqual([[], first && without[first]]);
  }, 600_000);

  test("is refused a hidden name like a visible one", async () => {
    await aSiteWithSecrets();
    for (const [path, hidden, seen] of [
      ["/network/hosts", { name: `${CANARY}-01` }, { name: "web-01" }],
      ["/network/interfaces", { name: `${CANARY}-02` }, { name: "web-02" }],
      ["/network/interfaces", { ip: "10.1.1.2" }, { ip: "10.1.1.1" }],
      ["/network/cnames", { name: `${CANARY}-www` }, { name: "www" }],
    ] as const) {
      const [main] = (await api(dave).get("/network/interfaces?name=web-01")).body;
      const given = {
        "/network/hosts": { device_type: "VME" },
        "/network/interfaces": { network: "Open", host: "web-01", name: "free" },
        "/network/cnames": { interface_id: main.id },
      }[path];
      const [one, other] = [
        await api(dave).post(path, { ...given, ...hidden }),
        await api(dave).post(path, { ...given, ...seen }),
      ];
      expect([hidden, one.status, one.body.errors]).toEqual([hidden, 422, other.body.errors]);
    }
  });
});

describe("admins and auditors", () => {
  test("see everything", async () => {
    await aSiteWithSecrets();
    for (const person of [alice, audrey]) {
      for (const path of ["hosts", "interfaces", "networks", "cnames"]) {
        const { text } = await api(person).get(`/network/${path}`);
        expect([path, text.includes(CANARY)]).toEqual([path, true]);
      }
    }
    const { sql } = await service();
    expect((await sql`select from hosts where name like ${`${CANARY}%`}`).length).toBe(2);
  });
});

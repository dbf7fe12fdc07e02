// Tokens that are limited to kinds of records, and to addresses. The rules hold for every route, also future ones.
import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { LIMIT_NAMES, REACH_KINDS } from "../../src/auth/token_limits.ts";
import { publicId } from "../../src/input/change_ids.ts";
import { texts } from "../support/html.ts";
import {
  aHost,
  alice,
  aNetwork,
  api,
  aScope,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  idOf,
  inOrder,
  type Person,
  reference,
  serve,
  service,
  visit,
} from "../support/mod.ts";
import { aComment, mountedItem } from "../support/mounted.ts";
import { ownPlaces } from "../support/rights.ts";

const API = "/api/v1";
const LOGIN = `POST ${API}/user/login`;
const NOBODYS_ID = "2147483647";

interface Route {
  method: string;
  path: string;
}

const routes: Route[] = app.routes.map(({ method, path }) => ({
  method,
  path: path.replace(/(.)\/$/, "$1"),
}));
const ofApi = routes.filter(
  ({ method, path }) =>
    path.startsWith(`${API}/`) && !path.endsWith(".json") && `${method} ${path}` !== LOGIN,
);
const BOTH = ["network", "inventory"];
/** What admins set up for users, and which sees changes of records. */
const SUBSCRIPTIONS = ["webhooks", "triggers"];
const MANAGED = ["user", ...BOTH];
/** What programs may fetch of the pages with a token. */
const PAGES: Record<string, string[]> = {
  "/changes/export.csv": BOTH,
  "/inventory/items/_generate_excel_file": ["inventory"],
  "/lists/export": [...REACH_KINDS],
  "/status/:job_id": ["inventory"],
  "/status/:job_id/:file": ["inventory"],
};

/** The rights that a request for this route needs, by the contract. */
function rightsFor({ method, path }: Route): string[] {
  if (`${method} ${path}` === `GET ${API}/user/profile`) return [];
  const [, , , area = "", ...rest] = path.split("/");
  const isSearch = rest.join("/") === "hosts/search";
  const verb = method === "GET" || isSearch ? "read" : "write";
  const isBoth =
    ["changes", "events"].includes(area) || isSearch || path === `${API}/network/hosts/import`;
  const isOfAll = SUBSCRIPTIONS.includes(area) || path.startsWith(`${API}/user/watches`);
  // Definitions of fields are of all areas.
  const kinds: readonly string[] =
    area === "site_fields" ? REACH_KINDS : isOfAll ? MANAGED : isBoth ? BOTH : [area];
  expect(kinds.filter((kind) => !REACH_KINDS.some((one) => one === kind))).toEqual([]);
  return kinds.map((kind) => `${kind}:${verb}`);
}

function lacks(limits: string[], right: string): boolean {
  return !limits.includes(right) && !limits.includes(right.replace(":read", ":write"));
}

async function aToken(person: Person, fields: object) {
  const { status, body } = await api(person).post("/user/tokens", fields);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body;
}

function pathOf({ path }: Route): string {
  return path.replace(/:kind/, "location").replace(/:[^/]+/g, NOBODYS_ID);
}

async function bearer(person: Person, fields: object): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await aToken(person, fields)).token}` };
}

describe("every route of the API", () => {
  test("belongs to kinds of records, which the reference names", async () => {
    const { paths } = await reference();
    const named = ofApi.map((route) => {
      const operation = paths[route.path.replace(/:([^/]+)/g, "{$1}")]?.[
        route.method.toLowerCase()
      ] as { "x-rights"?: string[] } | undefined;
      return { route: `${route.method} ${route.path}`, rights: operation?.["x-rights"] };
    });
    const expected = ofApi.map((route) => ({
      route: `${route.method} ${route.path}`,
      rights: rightsFor(route),
    }));
    expect(named).toEqual(expected);
    const { text } = await visit("/api/docs");
    expect(texts(text, "#get-network-hosts-search .tag")).toEqual([
      "network:read",
      "inventory:read",
    ]);
  });

  test.each(LIMIT_NAMES.map((limit) => [limit]))(
    "refuses a token with %s alone what it lacks, before it looks for a record",
    async (limit) => {
      const headers = await bearer(alice, { limits: [limit] });
      const wrong: unknown[] = [];
      for (const route of ofApi) {
        const missing = rightsFor(route).find((right) => lacks([limit], right));
        const { status, body } = await visit(pathOf(route), { method: route.method, headers });
        const isRefused = status === 403;
        const sentence = missing && `This token lacks ${missing}`;
        if (isRefused !== (missing !== undefined) || (isRefused && body.message !== sentence)) {
          wrong.push([route.method, route.path, status, body?.message]);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test("answers 401 before 403", async () => {
    const { token, id } = await aToken(alice, { limits: ["audit:read"] });
    await api(alice).delete(`/user/tokens/${id}`);
    const { status } = await api({ token }).get("/network/hosts");
    expect(status).toBe(401);
  });
});

test("pages that take a token belong to kinds of records", async () => {
  const full = await bearer(alice, {});
  const narrow = await bearer(alice, { limits: ["audit:read"] });
  const taking: string[] = [];
  const pages = routes.filter(
    ({ method, path }) =>
      method === "GET" && !path.startsWith(API) && !/^\/(static|health|metrics|api)/.test(path),
  );
  for (const route of pages) {
    const headers = { accept: "application/json", "sec-fetch-site": "none" };
    const [with_, without] = await inOrder([
      () => visit(pathOf(route), { headers: { ...headers, ...full } }),
      () => visit(pathOf(route), { headers }),
    ]);
    if (with_?.status === without?.status) continue;
    taking.push(route.path);
    const { status, text } = await visit(pathOf(route), { headers: { ...headers, ...narrow } });
    expect([route.path, status]).toEqual([route.path, 403]);
    expect(text).toContain("This token lacks");
  }
  expect(taking.toSorted()).toEqual(Object.keys(PAGES).toSorted());
});

describe("records of another kind", () => {
  const IN_ITEM = ["SERIALMARK", "COMMENTMARK", "LOCATIONMARK", "02:42:42:aa:bb:cc"];
  const IN_HOST = ["HOSTMARK", "second-interface-mark", "VARSMARK"];

  async function everywhere(limits: string[], marks: string[]): Promise<unknown[]> {
    const { item, host } = await mountedItem({
      serial: "SERIALMARK",
      location: "LOCATIONMARK",
      mac: "02:42:42:aa:bb:cc",
      host: { description: "HOSTMARK", automation_vars: { key: "VARSMARK" } },
      second: "second-interface-mark",
    });
    await aComment(item.id, "COMMENTMARK");
    const headers = await bearer(alice, { limits });
    const ids = [String(item.id), String(host.id)];
    const now = new Date(Date.now() + 60_000).toISOString().slice(0, 16).replace("T", " ");
    const queries = ["", "recursive=true", `at=${now}`, ...marks.map((mark) => `q=${mark}`)];
    const lists = ["/network/hosts", "/network/interfaces", "/inventory/items"];
    const paths = [
      ...routes.filter(({ method }) => method === "GET").map(({ path }) => path),
      ...lists.map((list) => `/lists/export?list=${list}`),
    ].filter((path) => path.startsWith(API) || path.startsWith("/lists/export?"));
    const leaks: unknown[] = [];
    for (const path of paths) {
      for (const id of path.includes(":") ? ids : [""]) {
        for (const query of queries) {
          const url = `${path.replace(/:[^/]+/g, id)}${path.includes("?") ? "&" : "?"}${query}`;
          const { status, text, headers: got } = await visit(url, { headers });
          if (status !== 200) continue;
          const shown = marks.filter((mark) => text.toLowerCase().includes(mark.toLowerCase()));
          const found = query.startsWith("q=") && Number(got.get("x-total-count") ?? 0) > 0;
          if (shown.length > 0 || found) leaks.push([url, shown, found]);
        }
      }
    }
    return leaks;
  }

  test("are not read with network:read: no item, by no route", async () => {
    expect(await everywhere(["network:read"], IN_ITEM)).toEqual([]);
  });

  test("are not read with inventory:read: no host, by no route", async () => {
    expect(await everywhere(["inventory:read"], IN_HOST)).toEqual([]);
  });

  test("are read with both", async () => {
    const leaks = await everywhere(["network:read", "inventory:read"], ["SERIALMARK"]);
    expect(leaks.length).toBeGreaterThan(3);
  });

  test("are not written with network:write alone", async () => {
    const { item, host } = await mountedItem({});
    const { token } = await aToken(alice, { limits: ["network:write"] });
    const answers = await inOrder([
      () => api({ token }).patch(`/network/hosts/${host.id}`, { items: [item.ics_id] }),
      () => api({ token }).post("/network/groups", { name: "g", type: "query", query: "SN*" }),
      () => api({ token }).patch(`/network/hosts/${host.id}`, { description: "Changed" }),
      () => api({ token }).patch(`/network/hosts/${host.id}?recursive=true`, { description: "x" }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [403, "This token lacks inventory:write"],
      [403, "This token lacks inventory:read"],
      [200, undefined],
      [403, "This token lacks inventory:read"],
    ]);
  });
});

describe("limits", () => {
  test("never add a right of the user, and write includes read", async () => {
    const { token } = await aToken(bob, { limits: ["network:write", "inventory:write"] });
    expect((await api({ token }).get("/network/hosts")).status).toBe(200);
    expect((await api({ token }).get("/inventory/items")).status).toBe(200);
    expect((await api({ token }).post("/network/hosts", { name: "x" })).status).toBe(403);
    const { body } = await api({ token }).post("/inventory/locations", { name: "Hall" });
    expect(body.name).toBe("Hall");
  });

  test("are shown to the token itself, and in the list of its user", async () => {
    const networks = ["127.0.0.1", "2001:DB8::/32", "127.0.0.1/32"];
    const given = { limits: ["network:read", "audit:read"], networks };
    const { token, ...made } = await aToken(dave, given);
    expect(made).toMatchObject({
      limits: given.limits,
      networks: ["127.0.0.1/32", "2001:db8::/32"],
    });
    const self = await api({ token }).get("/user/tokens/self");
    expect([self.status, self.body.limits, self.body.networks]).toEqual([
      200,
      made.limits,
      made.networks,
    ]);
    expect((await api({ token }).get("/user/profile")).body.username).toBe("dave");
    expect((await api({ token }).get("/user/tokens")).body.message).toBe(
      "This token lacks user:read",
    );
    const listed = await api(dave).get("/user/tokens?limits=audit:read");
    expect(listed.body.map(({ id }: { id: number }) => id)).toEqual([made.id]);
    expect((await api(bob).get(`/user/tokens/${made.id}`)).status).toBe(404);
    expect((await api(dave).get("/user/tokens/self")).status).toBe(404);
  });

  test.each([
    ["limits", ["network"]],
    ["limits", ["network:read", "network:read"]],
    ["limits", "network:read"],
    ["networks", ["10.0.0.1/24"]],
    ["networks", ["10.0.0.0/33"]],
    ["networks", ["example.org"]],
    ["networks", Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`)],
  ])("%s: %j is refused", async (field, value) => {
    const { status, body } = await api(bob).post("/user/tokens", { [field]: value });
    expect([status, fieldsOf(body).map((one) => one.split(".")[0])]).toEqual([422, [field]]);
  });

  test("are not widened by the token: it makes no token, and rotates only itself", async () => {
    const other = await aToken(alice, {});
    for (const fields of [{ limits: ["user:write"] }, { networks: ["127.0.0.1"] }]) {
      const { token, id } = await aToken(alice, fields);
      const made = await api({ token }).post("/user/tokens", {});
      const rotated = await api({ token }).post(`/user/tokens/${other.id}/rotate`, {});
      expect([made.status, rotated.status]).toEqual([403, 403]);
      const itself = await api({ token }).post("/user/tokens/self/rotate", {});
      expect(itself.body).toMatchObject({ id, limits: [], networks: [], ...shown(fields) });
    }
  });
});

function shown(fields: object): object {
  return "networks" in fields ? { networks: ["127.0.0.1/32"] } : fields;
}

describe("a token with scopes", () => {
  /** A host in the scope Own, and one elsewhere. */
  async function twoHosts() {
    const { host } = await ownPlaces(carol);
    const other = await aHost({ network: (await aNetwork()).vlan_name });
    return { own: host, other: other.id };
  }

  test.each([
    ["an admin", alice],
    ["the group network", dave],
  ] as const)("of %s writes the network there, and reads everything", async (_, person) => {
    const { own, other } = await twoHosts();
    const { token } = await aToken(person, { scopes: ["own"] });
    const program = api({ token });
    const change = { description: "Changed" };
    const answers = await inOrder([
      () => program.patch(`/network/hosts/${own}`, change),
      () => program.patch(`/network/hosts/${other}`, change),
      () => program.delete(`/network/hosts/${other}`),
      () => program.get(`/network/hosts/${other}`),
      () => program.post("/inventory/locations", { name: "Hall" }),
      () => program.post("/network/domains", { name: "new.example.org" }),
      () => program.patch("/user/profile", { display_name: "Me" }),
      () => program.post("/user/tokens", {}),
      () => program.post(`/changes/${publicId(1)}/undo`, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...[200, 403, 403, 200, 403, 403, 403, 403, 403],
    ]);
    const { body } = await program.get("/user/tokens/self");
    expect(body.scopes).toEqual(["Own"]);
  });

  test("has no more rights than its user, also after the scope is gone", async () => {
    const { own } = await twoHosts();
    const change = { description: "Changed" };
    await aScope({ name: "Elsewhere" });
    const { token: there } = await aToken(carol, { scopes: ["Elsewhere"] });
    const { token: here } = await aToken(carol, { scopes: ["Own", "Elsewhere"] });
    const { token: auditor } = await aToken(audrey, { scopes: ["Own"] });
    const answers = await inOrder(
      [there, here, auditor].map((token) => () => {
        return api({ token }).patch(`/network/hosts/${own}`, change);
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 200, 403]);
    const { sql } = await service();
    const { token, id } = await aToken(dave, { scopes: ["Elsewhere"] });
    await sql`delete from scopes where name = 'Elsewhere'`;
    expect((await api({ token }).patch(`/network/hosts/${own}`, change)).status).toBe(403);
    const listed = await api(dave).get(`/user/tokens/${id}`);
    expect(listed.body.scopes).toEqual(["(deleted)"]);
    const unknown = await api(dave).post("/user/tokens", { scopes: ["Nowhere"] });
    expect([unknown.status, fieldsOf(unknown.body)]).toEqual([422, ["scopes"]]);
  });
});

describe("a token with networks", () => {
  const ELSEWHERE = "203.0.113.7";

  async function statusFrom(token: string, address?: string, origin?: string) {
    const headers: Record<string, string> = address ? { "x-forwarded-for": address } : {};
    return (await api({ token }, origin).get("/network/hosts", { headers })).status;
  }

  test("is refused from other addresses, whatever an untrusted peer says of itself", async () => {
    const here = await aToken(bob, { networks: ["127.0.0.0/8", "::1"] });
    const there = await aToken(bob, { networks: [`${ELSEWHERE}/32`] });
    expect(await statusFrom(here.token)).toBe(200);
    expect(await statusFrom(here.token, ELSEWHERE)).toBe(200);
    expect(await statusFrom(there.token)).toBe(403);
    expect(await statusFrom(there.token, ELSEWHERE)).toBe(403);
    const { body } = await api({ token: there.token }).get("/user/profile");
    expect(body.message).toBe("This token may not be used from this address");
  });

  test("is checked at each request, also while its user is cached, behind a trusted proxy", async () => {
    const server = await serve({ TRUST_PROXY: "on" });
    const { origin } = server.url;
    const blocks = [`${ELSEWHERE}/32`, "2001:db8:1::/48"];
    const { token } = await aToken(bob, { networks: blocks });
    const from = [ELSEWHERE, "203.0.113.8", ELSEWHERE, "2001:db8:1::7", "2001:db8:2::7"];
    const also = [`::ffff:${ELSEWHERE}`, `${ELSEWHERE}:4711`, "[2001:db8:1::7]:80", "unknown"];
    const found = await inOrder(
      [...from, ...also].map((one) => () => statusFrom(token, one, origin)),
    );
    expect(found).toEqual([200, 403, 200, 200, 403, 200, 200, 200, 403]);
    // The last proxy is the one that is trusted.
    expect(await statusFrom(token, `${ELSEWHERE}, 203.0.113.8`, origin)).toBe(403);
    const together = ["203.0.113.8", ELSEWHERE, "203.0.113.8", ELSEWHERE];
    const concurrent = await Promise.all(together.map((one) => statusFrom(token, one, origin)));
    expect(concurrent).toEqual([403, 200, 403, 200]);
    await server.stop(true);
  });

  test("refuses every route from elsewhere", async () => {
    const headers = await bearer(alice, { networks: [`${ELSEWHERE}/32`] });
    const taking = Object.keys(PAGES).map((path) => ({ method: "GET", path }));
    for (const route of [...ofApi, ...taking]) {
      const { status } = await visit(pathOf(route), { method: route.method, headers });
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 403]);
    }
  });

  test("leaves bounded entries in the audit log, which name the token", async () => {
    const { sql } = await service();
    const { id, token } = await aToken(dave, { networks: [`${ELSEWHERE}/32`] });
    for (let at = 0; at < 40; at += 1) await statusFrom(token);
    const entries = await sql`
      select details from audit_log where event = 'access.refused' and user_id = ${await idOf(dave)}`;
    expect(entries.length).toBeLessThanOrEqual(30);
    const { body } = await api(dave).get(`/user/tokens/${id}`);
    expect(body.last_used_at).toBe(null);
    expect(entries[0].details).toEqual({
      method: "GET",
      route: "/api/v1/network/hosts",
      reason: "This token may not be used from this address",
      token: id,
    });
    const [made] = await sql`
      select details from audit_log where event = 'token.created' and details ->> 'token' = ${String(id)}`;
    expect(made.details).toMatchObject({ networks: `${ELSEWHERE}/32`, limits: "" });
  });
});

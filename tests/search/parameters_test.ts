// GET and POST /network/hosts/search take the same parameters as the list of hosts.
import { beforeEach, describe, expect, test } from "bun:test";
import { aFeedNetwork } from "../support/feed_network.ts";
import { everything } from "../support/history.ts";
import { linksOf } from "../support/links.ts";
import { alice, anItem, api, carol, fieldsOf, namesOf, service } from "../support/mod.ts";

const PATH = "/network/hosts/search";

beforeEach(aFeedNetwork);

type Params = Record<string, unknown>;

async function byUrl(params: Params) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) query.append(name, String(one));
  }
  return api(carol).get(`${PATH}?${query}`);
}

function byBody(params: unknown, given: object = {}) {
  return api(carol).post(PATH, params, given);
}

describe.each([
  ["GET", byUrl],
  ["POST", byBody],
])("%s /network/hosts/search", (_, search) => {
  test.each<[Params, string[]]>([
    [{}, ["db", "web"]],
    [{ q: "" }, []],
    [{ q: "name:w*" }, ["web"]],
    [{ q: "name:*", sort: "-name" }, ["web", "db"]],
    [{ is_ioc: true }, ["db"]],
    [{ is_ioc: "True" }, ["db"]],
    [{ device_type: "virtual", q: "name:*" }, ["web"]],
    [{ name: ["web", "db"], sort: "-name" }, ["web", "db"]],
    [{ network: "backup" }, ["db"]],
    [{ ip: "10.1.1.0/24", per_page: 1, page: 2 }, ["web"]],
    [{ name__contains: "B", per_page: 1000 }, ["db", "web"]],
    [{ name: "vault" }, []],
  ])("%j finds %j", async (params, names) => {
    const { status, body } = await search(params);
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(names);
  });

  test("returns hosts with complete interfaces and items, and everything nested with recursive", async () => {
    const item = await anItem();
    const [db] = (await api(alice).get("/network/hosts?name=db")).body;
    await api(alice).patch(`/network/hosts/${db.id}`, { items: [item.ics_id] });
    const [plain] = (await search({ name: "db" })).body;
    expect(plain).toMatchObject({ device_type: "Physical", items: [{ id: item.id }] });
    expect(plain.interfaces[0]).toMatchObject({ name: "db", network: "Office" });
    const [nested] = (await search({ name: "db", recursive: true })).body;
    expect(nested).toMatchObject({
      device_type: { name: "Physical" },
      user: { username: "alice" },
    });
    expect(nested.interfaces).toEqual(plain.interfaces);
  });

  test.each<[Params, string]>([
    [{ colour: "red" }, "colour"],
    [{ is_ioc: "maybe" }, "is_ioc"],
    [{ page: 0 }, "page"],
    [{ per_page: "many" }, "per_page"],
    [{ sort: "colour" }, "sort"],
    [{ q: "name:(" }, "q"],
    [{ q: ["a", "b"] }, "q"],
    [{ recursive: 1 }, "recursive"],
    [{ device_type_id: 2 ** 31 }, "device_type_id"],
  ])("refuses %j", async (params, field) => {
    const { status, body } = await search(params);
    expect([status, fieldsOf(body)]).toEqual([422, [field]]);
  });
});

describe("POST /network/hosts/search", () => {
  test("accepts queries of a thousand clauses, and leaves out links that repeat them", async () => {
    const { origin } = await service();
    const clauses = Array.from({ length: 1_000 }, (_, at) => `n-${at}`);
    const q = ["web", ...clauses].map((name) => `name:${name}`).join(" OR ");
    expect(q.length).toBeGreaterThan(12_000);
    const { status, body, headers } = await byBody({ q });
    expect([status, namesOf(body)]).toEqual([200, ["web"]]);
    expect([headers.get("x-total-count"), headers.get("link")]).toEqual(["1", null]);
    expect(headers.get("x-link-omitted")).toBe("true");
    const short = await byBody({ q: "name:*", per_page: 1 });
    expect(short.headers.get("x-link-omitted")).toBe(null);
    const { next } = linksOf(short.headers);
    expect(next).toBe(`${origin}/api/v1${PATH}?q=name%3A*&per_page=1&page=2`);
    expect(namesOf((await api(carol).get(next!.slice(`${origin}/api/v1`.length))).body)).toEqual([
      "web",
    ]);
  });

  test("is a read: with a read-only token, under any header, without history", async () => {
    const made = await api(carol).post("/user/tokens", { read_only: true });
    const reader = api({ token: made.body.token });
    await reader.get("/user/profile");
    const before = await everything();
    const first = await reader.post(PATH, { q: "name:web" });
    expect([first.status, namesOf(first.body)]).toEqual([200, ["web"]]);
    const headers = {
      "idempotency-key": "once",
      "if-none-match": first.headers.get("etag")!,
      "if-match": '"v99"',
    };
    expect((await reader.post(PATH, { q: "name:web" }, { headers })).status).toBe(200);
    expect((await reader.post(PATH, { q: "name:db" }, { headers })).status).toBe(200);
    expect(await everything()).toBe(before);
  });

  test.each([
    [[], "body"],
    ["name:*", "body"],
    [{ name: null }, "name"],
    [{ name: { contains: "w" } }, "name"],
    [{ name: [["web"]] }, "name"],
    [{ dry_run: true }, "dry_run"],
    [{ __proto__x: 1 }, "__proto__x"],
  ])("refuses the body %j", async (params, field) => {
    const { status, body } = await byBody(
      typeof params === "string" ? JSON.stringify(params) : params,
    );
    expect([status, fieldsOf(body)[0]?.split(".")[0]]).toEqual([422, field]);
  });

  test("accepts no parameters beside its body", async () => {
    const { status, body } = await api(carol).post(`${PATH}?page=2`, {});
    expect([status, fieldsOf(body)]).toEqual([422, ["page"]]);
  });
});

describe("link", () => {
  test("is left out of any list where its filters make it too long, and only there", async () => {
    const list = async (length: number) => {
      const { status, headers } = await api(carol).get(
        `/inventory/locations?name__ne=${"x".repeat(900)}&${"name__ne=y&".repeat(length)}`,
      );
      expect(status).toBe(200);
      return [(headers.get("link") ?? "").length, headers.get("x-link-omitted")];
    };
    const [short, isShort] = await list(200);
    expect([Number(short) > 5_000, isShort]).toEqual([true, null]);
    expect(await list(500)).toEqual([0, "true"]);
  });
});

// The limits of queries, and that other requests do not wait for them.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { aHost } from "../support/makers.ts";
import { alice, api, carol, namesOf, service } from "../support/mod.ts";

setDefaultTimeout(60_000);

function search(query: string) {
  return api(carol).get(`/network/hosts/search?q=${encodeURIComponent(query)}`);
}

async function found(query: string): Promise<string[]> {
  const { status, body } = await search(query);
  expect([query.slice(0, 50), status]).toEqual([query.slice(0, 50), 200]);
  return namesOf(body);
}

function many(count: number, one: (number: number) => string, between = " OR "): string {
  return Array.from({ length: count }, (_, number) => one(number)).join(between);
}

beforeEach(async () => {
  await aHost({ name: "sparrow", description: "Small, brown; sings" });
});

describe("a query may", () => {
  test("list a thousand names, in a field or in any", async () => {
    const names = many(1_000, (number) => `h${number.toString(36)}`);
    expect(await found(`name:(${names} OR sparrow)`)).toEqual(["sparrow"]);
    expect(await found(`${names} OR brown`)).toEqual(["sparrow"]);
    expect(await found(`* NOT (${names})`)).toEqual(["sparrow"]);
    expect(await found(`brown NOT (${names} OR sparrow)`)).toEqual([]);
  });

  test("be 16 KiB long, each byte percent-encoded", async () => {
    const [found, longer] = await Promise.all([
      search(`sparrow OR ${"é".repeat(8_186)}`),
      search(`sparrow OR ${"é".repeat(8_187)}`),
    ]);
    expect([found.status, namesOf(found.body)]).toEqual([200, ["sparrow"]]);
    expect([longer.status, longer.body.errors]).toEqual([
      422,
      [{ field: "q", message: "The query is too long: use at most 16384 bytes" }],
    ]);
    const { origin } = await service();
    const { status } = await fetch(`${origin}/api/v1/network/hosts/search?q=${"a".repeat(70_000)}`);
    expect(status).toBe(431);
  });

  test("be nested deeply", async () => {
    expect(await found(`${"(a OR ".repeat(400)}sparrow${")".repeat(400)}`)).toEqual(["sparrow"]);
    expect(await found(`${"(NOT ".repeat(400)}sparrow${")".repeat(400)}`)).toEqual(["sparrow"]);
  });

  test("contain what PostgreSQL cannot store, and finds nothing by it", async () => {
    const nothing = [
      "a\\u0000b",
      '"\\u0000"',
      "*\\u0000*",
      "x\\u0000~2",
      "/\\u0000&~(b)/",
      "\\ud800*",
    ];
    for (const query of nothing) expect([query, await found(query)]).toEqual([query, []]);
    expect(await found("NOT a\\u0000b")).toEqual(["sparrow"]);
  });

  test("be full of stars", async () => {
    expect(await found("*a*".repeat(300))).toEqual([]);
    expect(await found("*?*p*?*?*?*?*")).toEqual(["sparrow"]);
  });
});

describe("a query that takes too long", () => {
  test("is refused with advice", async () => {
    const terms = many(500, (number) => `(${number} AND x)`, " AND ");
    const { status, body } = await search(terms);
    expect([status, body.errors]).toEqual([
      422,
      [{ field: "q", message: "This expression takes too long; narrow it down" }],
    ]);
  });

  test.each([
    ["by an expression", "/(sl|o|w|[a-z]){1,60}(x|[a-z]){1,60}[0-9]{3}/"],
    ["for words between others", ">zebra"],
  ])("%s is ended in time, while others are answered as usual", async (_, slow) => {
    const { sql } = await service();
    await sql.begin(async (tx) => {
      // Searches in comments wait for this lock; searches for a name do not need the table.
      await tx`lock table comments in access exclusive mode`;
      const ended: string[] = [];
      const waiting = search(slow).finally(() => ended.push("slow"));
      const quick = await api(carol).get("/network/networks");
      expect([quick.status, ended]).toEqual([200, []]);
      const { status, body } = await waiting;
      expect([status, body.errors?.[0].message]).toEqual([
        422,
        "This expression takes too long; narrow it down",
      ]);
    });
    expect((await api(alice).get("/network/hosts")).status).toBe(200);
  });
});

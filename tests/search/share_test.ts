// The searches of one user may use half of the connections, for a limited time.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql as drizzle } from "drizzle-orm";
import { DatabaseUnavailable } from "../../db/errors.ts";
import {
  GENERIC_PLAN_CONNECTIONS,
  SEARCHES_PER_USER,
  SLOW_CONNECTIONS,
} from "../../db/search_limits.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { readRegex } from "../../src/search/language/regex.ts";
import { allChecks } from "../support/checks.ts";
import { aHost } from "../support/makers.ts";
import { alice, api, carol, namesOf, type Person, service } from "../support/mod.ts";

setDefaultTimeout(60_000);

function search(person: Person, query: string, list = "/network/hosts/search") {
  return api(person).get(`${list}?q=${encodeURIComponent(query)}`);
}

function many(count: number, one: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => one(number)).join(" OR ");
}

const ALONE = "This expression takes too long; narrow it down";
const CROWD = "Too many of your searches are running; try again shortly";

beforeEach(async () => {
  await aHost({ name: "sparrow" });
});

/** Searches that wait for the table of comments. */
async function underWay(): Promise<number> {
  const { sql } = await service();
  const [row] = await sql`
    select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
    where relation = 'comments'::regclass and not granted and query like 'select string_agg(int4send(id::integer)%'`;
  return row.count;
}

describe("the searches of one user", () => {
  test("use half of the search connections", () => {
    expect([SEARCHES_PER_USER * 2, SEARCHES_PER_USER * 2]).toEqual([
      GENERIC_PLAN_CONNECTIONS,
      SLOW_CONNECTIONS,
    ]);
  });

  test("use no more than half, of any kind, and leave nothing behind", async () => {
    const { sql } = await service();
    const each = [
      (number: number) => search(carol, `sparrow-${number}`),
      (number: number) => search(carol, `>z${number}`),
      (number: number) => search(carol, `crate-${number}`, "/inventory/items"),
    ];
    await sql.begin(async (tx) => {
      await tx`lock table comments in access exclusive mode`;
      let most = 0;
      const ended: number[] = [];
      const searches = Promise.all(
        Array.from({ length: 9 }, async (_, number) => {
          const answer = await each[number % each.length]!(number);
          ended.push(number);
          return answer;
        }),
      );
      while ((await underWay()) < SEARCHES_PER_USER && ended.length === 0) await Bun.sleep(5);
      const other = await search(alice, "name:sparrow", "/network/hosts");
      expect([other.status, namesOf(other.body), ended]).toEqual([200, ["sparrow"], []]);
      while (ended.length === 0) {
        most = Math.max(most, await underWay());
        await Bun.sleep(10);
      }
      const answers = await searches;
      expect(most).toBe(SEARCHES_PER_USER);
      const long = answers.filter(({ status }) => status === 422);
      expect(long.map(({ body }) => body.errors[0].message)).toEqual(
        Array(SEARCHES_PER_USER).fill(ALONE),
      );
      const crowd = answers.filter(({ status }) => status === 503);
      expect(crowd.map(({ body, headers }) => [body.detail, headers.get("retry-after")])).toEqual(
        Array(9 - SEARCHES_PER_USER).fill([CROWD, "2"]),
      );
      // The table is still locked: a statement that was not cancelled would wait for it.
      expect(await underWay()).toBe(0);
    });
  });

  test("end together when their time is used up, however short each statement is", async () => {
    let taken = 0;
    const nap = () => drizzle`select pg_sleep(0.4)::text as nap`;
    const asked = readSnapshot(Array(8).fill(nap), {
      due: performance.now() + 1_000,
      take: () => {
        taken += 1;
      },
    });
    const error = await asked.then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error.late).toBe(true);
    expect(taken).toBeLessThan(6);
  });
});

describe("fuzzy terms", () => {
  test("are answered, or refused, by their cost", async () => {
    const some = many(99, (number) => `swallow${number}~1`);
    for (let times = 0; times < 3; times += 1) {
      const within = await search(carol, `${some} OR sparrwo~`);
      // On a busy machine the search may not end in time, but not for the number of its terms.
      if (within.status === 200) expect(namesOf(within.body)).toEqual(["sparrow"]);
      else expect(within.body.detail).toMatch(/takes too long|Too many of your searches/);
      const { status, body } = await search(carol, `${some} OR sparrwo~ OR sparow~`);
      expect([status, body.errors?.[0].message]).toEqual([
        422,
        "More than 100 fuzzy terms of 16 characters, or as much in longer ones; use fewer",
      ]);
      const long = many(3, (number) => `${"a".repeat(63)}${number}~2`);
      expect((await search(carol, long)).status).toBe(422);
    }
  });
});

describe.skipIf(!allChecks)("a numeric expression", () => {
  test("is parsed in linear time", () => {
    const best = (digits: number) => {
      const source = `<1-${"9".repeat(digits - 1)}8>`.repeat(40);
      const times = [1, 2, 3, 4, 5].map(() => {
        const begun = performance.now();
        readRegex(source);
        return performance.now() - begun;
      });
      return Math.min(...times);
    };
    best(9);
    expect(best(9) / best(4)).toBeLessThan(20);
  });
});

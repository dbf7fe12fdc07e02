// The total of the audit log is exact after every entry.
import { beforeEach, describe, expect, test } from "bun:test";
import { flush } from "../../src/auth/audit_limits.ts";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import {
  alice,
  api,
  audrey,
  bob,
  carol,
  dave,
  type Person,
  service,
  stranger,
} from "../support/mod.ts";
import { totalOf } from "../support/totals.ts";

const LISTS = [
  "/audit",
  "/audit?event=login.failed",
  "/audit?event__startswith=token.",
  "/audit?username=bob",
  "/audit?username=dave&event=access.refused",
  "/audit?target=old",
  "/audit?count=1",
  "/audit?count__gte=2",
  "/audit?last_at__isnull=false",
  "/audit?at__gte=2020-01-01",
  "/audit?at__lte=2020-01-01",
  "/audit?q=nightly",
  "/audit?q=nightly&username=bob",
];

/** A page that is not full gives its total; of a full one it is cached. */
async function wrongTotals(when: string): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const path of LISTS) {
    const [shown, right] = [await totalOf(path, audrey, 1), await totalOf(path, audrey, 100)];
    if (shown !== right) wrong.push({ when, path, shown, right });
  }
  return wrong;
}

function total(path = "/audit"): Promise<number> {
  return totalOf(path, audrey, 1);
}

const aToken = (by: Person = bob) => api(by).post("/user/tokens", { description: "Nightly copy" });
const aFailure = () =>
  api(stranger).post("/user/login", { username: "bob", password: "wrong wrong wrong" });
const aRefusal = () => api(dave).delete("/user/users/1");

/** Totals of entries, some of them old. */
beforeEach(async () => {
  const { sql } = await service();
  await sql`
    insert into audit_log (event, username, target, at) values
      ('user.changed', 'alice', 'old', '2019-01-01'), ('token.created', 'bob', 'old', '2019-01-02')`;
  await sql`
    insert into audit_log (event, username, target, count, last_at, details) values
      ('access.refused', 'dave', 'new', 2, now(), '{}'), ('access.refused', 'dave', 'new', 3, now(), '{}'),
      ('token.created', 'bob', 'new', 1, null, '{"description": "Nightly copy"}'),
      ('login.failed', 'bob', 'new', 1, null, '{}')`;
  expect(await wrongTotals("first")).toEqual([]);
});

describe("totals of the audit log", () => {
  test("are exact after new entries of every kind", async () => {
    for (const add of [aToken, aFailure, aRefusal, aToken]) {
      await add();
      expect(await wrongTotals("after an entry")).toEqual([]);
    }
    expect(await total("/audit?q=nightly")).toBe(3);
    expect(await total("/audit?username=bob")).toBe(6);
  });

  test("are exact after the counts of entries were raised", async () => {
    // Thirty are entries of their own, the others are counted on the last of them.
    for (let number = 0; number < 35; number += 1) await aRefusal();
    expect(await wrongTotals("before")).toEqual([]);
    const before = await total("/audit?count__gte=2");
    await flush();
    expect(await total("/audit?count__gte=2")).toBe(before + 1);
    expect(await wrongTotals("after")).toEqual([]);
  });

  test("are exact after housekeeping has deleted entries", async () => {
    const before = await total();
    await deleteExpired({ auditDays: 365 });
    expect(await total()).toBe(before - 2);
    expect(await wrongTotals("after a deletion")).toEqual([]);
    await deleteExpired({ auditDays: 365 });
    await aToken();
    expect(await wrongTotals("after another entry")).toEqual([]);
  });

  test("are exact before and after a deletion is committed, or rolled back", async () => {
    const { sql } = await service();
    const before = await total();
    for (const isKept of [true, false]) {
      await sql
        .begin(async (tx) => {
          await tx`delete from audit_log where target = 'old'`;
          await aToken();
          expect(await wrongTotals("while one deletes")).toEqual([]);
          if (isKept) throw new Error("rolled back");
        })
        .catch((error) => expect(error.message).toBe("rolled back"));
      expect(await wrongTotals("after the end")).toEqual([]);
    }
    expect(await total()).toBe(before);
  });

  test("contain an entry that is committed after others with higher ids", async () => {
    const { sql } = await service();
    const before = await total();
    await aToken();
    await sql.begin(async (tx) => {
      await tx`insert into audit_log (event, username, target) values ('user.changed', 'bob', 'slow')`;
      await aToken();
      for (let round = 0; round < 5; round += 1) {
        await aToken(carol);
        expect(await wrongTotals("while one is slow")).toEqual([]);
      }
    });
    expect(await total()).toBe(before + 8);
    expect(await wrongTotals("after the slow one")).toEqual([]);
  });

  test("are exact while many clients add entries, and others are deleted", async () => {
    const { sql } = await service();
    const first = await total();
    let [sent, added, deleted] = [0, 0, 0];
    let isOver = false;
    const add = async (by: Person) => {
      for (let number = 0; number < 15; number += 1) {
        sent += 1;
        expect((await aToken(by)).status).toBe(201);
        added += 1;
        if (number % 7 !== 6) continue;
        deleted += 1;
        await sql`
          delete from audit_log where id = (select min(id) from audit_log where username = ${by.username})`;
      }
    };
    const read = async () => {
      while (!isOver) {
        const known = added;
        const shown = await total();
        expect(shown).toBeGreaterThanOrEqual(first + known - deleted);
        expect(shown).toBeLessThanOrEqual(first + sent);
      }
    };
    const writing = Promise.all([alice, bob, carol, dave].map(add)).finally(() => {
      isOver = true;
    });
    await Promise.all([writing, read(), read(), read()]);
    expect(await total()).toBe(first + sent - deleted);
    expect(await wrongTotals("at last")).toEqual([]);
  });
});

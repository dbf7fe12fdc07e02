// How PostgreSQL plans the statements of requests: those by keys once on each connection, for all values.
import { beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { consoleCaller } from "../../src/auth/auth.ts";
import { type Transaction, write, writeMany } from "../../src/store/write.ts";
import { until } from "../running/processes.ts";
import { service } from "../support/mod.ts";

beforeAll(async () => {
  await service();
  // Until it is known that no pooler is in between.
  await until("generic plans", async () => {
    await database.rows(sql`select ${1}::integer as asked`, "generic");
    return (await mode()) === "force_generic_plan";
  });
});

/** The connection that was used last is used again, so all of this is one connection. */
const reading = (key: number) => sql`select ${key}::integer as planned`;

async function mode(): Promise<string | undefined> {
  const found = await database.row<{ plan_cache_mode: string }>(sql`show plan_cache_mode`);
  return found?.plan_cache_mode;
}

async function counted(): Promise<{ generic: number; custom: number } | undefined> {
  return database.row(sql`
    select generic_plans::integer as generic, custom_plans::integer as custom from pg_prepared_statements
    where statement = 'select $1::integer as planned'`);
}

test("a statement by keys is planned once for all values, any other one for its values", async () => {
  for (const key of [1, 2, 3]) await database.rows(reading(key), "generic");
  expect(await counted()).toEqual({ generic: 3, custom: 0 });
  await database.rows(reading(4));
  expect(await counted()).toEqual({ generic: 3, custom: 1 });
});

test("statements that are sent together have the plans that each of them wants", async () => {
  const before = await counted();
  await database.onOneConnection((read) =>
    Promise.all([read(reading(1), "generic"), read(reading(2)), read(reading(3), "generic")]),
  );
  const { generic = 0, custom = 0 } = before ?? {};
  expect(await counted()).toEqual({ generic: generic + 2, custom: custom + 1 });
});

test("a transaction has plans for its values", async () => {
  await database.rows(reading(1), "generic");
  expect(await mode()).toBe("force_generic_plan");
  const [found] = await database.transaction((tx) =>
    tx.execute<{ plan_cache_mode: string }>(sql`show plan_cache_mode`),
  );
  expect(found?.plan_cache_mode).toBe("auto");
});

test("a write of one record is planned once for all values, one of many records for its values", async () => {
  const modeIn = async (tx: Transaction) => {
    const [found] = await tx.execute<{ plan_cache_mode: string }>(sql`show plan_cache_mode`);
    return found?.plan_cache_mode;
  };
  expect(await write(consoleCaller, modeIn)).toBe("force_generic_plan");
  expect(await writeMany(consoleCaller, modeIn)).toBe("auto");
});

test("a connection that was closed gets its plans again", async () => {
  await database.rows(reading(1), "generic");
  const own = await database.row<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const { sql: other } = await service();
  await other`select pg_terminate_backend(${own?.pid ?? 0}, 10000)`;
  await database.rows(reading(1), "generic");
  expect(await mode()).toBe("force_generic_plan");
});

test("work on one connection sends nothing after its end", async () => {
  const work = await database.onOneConnection(async (read) => ({ read }));
  await expect(work.read(reading(1))).rejects.toThrow("over");
});

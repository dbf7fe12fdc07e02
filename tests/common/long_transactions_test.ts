import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { imports } from "../support/imports.ts";
import { alice, api, service, visit } from "../support/mod.ts";

setDefaultTimeout(120_000);

const LOCATIONS = "/inventory/locations";

/** A transaction with steps that take a second each. */
function sleeping(seconds: number, first: ReturnType<typeof sql>, limit?: number): Promise<string> {
  const work = async (tx: database.Transaction) => {
    await tx.execute(first);
    for (let step = 0; step < seconds; step += 1) await tx.execute(sql`select pg_sleep(1)`);
    return "done";
  };
  return database.transaction(work, limit === undefined ? {} : { wanted: limit });
}

describe("a transaction that takes too long", () => {
  test("is ended in time, leaves nothing behind and affects nobody else", async () => {
    await api(alice).get(LOCATIONS);
    const begun = performance.now();
    const late = sql`insert into locations (name, qrcode) values ('Too late', '')`;
    const error = sleeping(14, late).catch((thrown) => thrown);
    const neighbour = Bun.sleep(3_000).then(() => sleeping(4, sql`select 1`));
    const others: number[] = [];
    while (performance.now() - begun < 8_000) {
      const name = crypto.randomUUID();
      others.push((await api(alice).post(LOCATIONS, { name })).status);
      others.push((await visit("/health/ready")).status);
      await Bun.sleep(50);
    }
    expect(await error).toBeInstanceOf(DatabaseUnavailable);
    expect(await neighbour).toBe("done");
    expect([...new Set(others)].sort()).toEqual([200, 201]);
    expect((await api(alice).get(`${LOCATIONS}?name=Too late`)).body).toEqual([]);
    // It does not continue, so its locks are released.
    expect((await api(alice).post(LOCATIONS, { name: "Too late" })).status).toBe(201);
  });

  test("does not end a transaction with a longer limit, when nothing else runs", async () => {
    await service();
    const longer = sleeping(8, sql`select 1`, database.LONG_TRANSACTION);
    const error = sleeping(7, sql`select 1`).catch((thrown) => thrown);
    expect(await error).toBeInstanceOf(DatabaseUnavailable);
    expect(await longer).toBe("done");
  });
});

describe("a database that takes six seconds over the items", () => {
  test("delays callers that write many rows at once, and nobody else", async () => {
    const { sql } = await service();
    await sql`create function dawdle() returns trigger language plpgsql as $$
      begin perform pg_sleep(6.2); return null; end $$`;
    await sql`create trigger dawdle before insert on items for each statement execute function dawdle()`;
    const [single, many] = await Promise.all([
      api(alice).post("/inventory/items", { ics_id: "AAA001", serial_number: "One" }),
      imports(alice, [{ ics_id: "AAA002", serial_number: "Of many" }]),
    ]);
    await sql`drop function dawdle cascade`;
    expect([single.status, many.status]).toEqual([503, 200]);
    const { body } = await api(alice).get("/inventory/items");
    expect(body.map((item: { ics_id: string }) => item.ics_id)).toEqual(["AAA002"]);
  });
});

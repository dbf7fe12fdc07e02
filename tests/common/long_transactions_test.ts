import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { Away } from "../../db/faults.ts";
import { alice, api, visit } from "../support/mod.ts";

setDefaultTimeout(30_000);

const LOCATIONS = "/inventory/locations";

/** Does something, and then takes a second over each of some steps. */
function sleeping(seconds: number, first: ReturnType<typeof sql>): Promise<string> {
  return database.transaction(async (tx) => {
    await tx.execute(first);
    for (let step = 0; step < seconds; step += 1) await tx.execute(sql`select pg_sleep(1)`);
    return "done";
  });
}

describe("a transaction that takes too long", () => {
  test("is given up in time, leaves nothing behind and disturbs nobody", async () => {
    await api(alice).get(LOCATIONS);
    const begun = performance.now();
    const late = sql`insert into locations (name, qrcode) values ('Too late', '')`;
    const fault = sleeping(7, late).catch((thrown) => thrown);
    const neighbour = Bun.sleep(3_000).then(() => sleeping(4, sql`select 1`));
    const others: number[] = [];
    while (performance.now() - begun < 8_000) {
      const name = crypto.randomUUID();
      others.push((await api(alice).post(LOCATIONS, { name })).status);
      others.push((await visit("/health/ready")).status);
      await Bun.sleep(50);
    }
    expect(await fault).toBeInstanceOf(Away);
    expect(await neighbour).toBe("done");
    expect([...new Set(others)].sort()).toEqual([200, 201]);
    expect((await api(alice).get(`${LOCATIONS}?name=Too late`)).body).toEqual([]);
  });
});

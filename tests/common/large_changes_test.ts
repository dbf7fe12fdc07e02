// A change of thousands of records is listed for everybody, whether or not they see all records.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { alice, aNetwork, api, carol, type Person, service } from "../support/mod.ts";

setDefaultTimeout(120_000);

const HOSTS = 20_000;
const ROUNDS = 5;

/** Hosts that were created in one change. */
async function fill(): Promise<void> {
  const { sql } = await service();
  const { id } = await aNetwork();
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into hosts (id, name, device_type_id) select n, 'host-' || n, 1 from generate_series(1, ${HOSTS}) n;
    insert into interfaces (id, host_id, network_id, name, ip)
      select n, n, ${id}, 'host-' || n, '10.0.0.1'::inet + n from generate_series(1, ${HOSTS}) n;
    with made as (insert into change_sets (at) select now() returning id)
    insert into changes (change_set, at, table_name, row_id, action, after)
      select made.id, now(), 'hosts', hosts.id, 'insert', to_jsonb(hosts) from made, hosts;
    set session_replication_role = default;
    analyze;`);
}

/** Of the fastest of some requests. */
async function millisecondsOf(by: Person): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const { status, body } = await api(by).get("/changes?per_page=1");
    least = Math.min(least, performance.now() - start);
    expect([status, body[0].total]).toEqual([200, HOSTS]);
  }
  return least;
}

describe.skipIf(!allChecks)("a change of twenty thousand hosts", () => {
  test("is listed without a call of a function for each of them", async () => {
    await fill();
    const [all, seen] = [await millisecondsOf(alice), await millisecondsOf(carol)];
    // It is about 3; with a call for each host 22.
    expect(seen / all).toBeLessThan(10);
  });
});

// What lists read does not grow with the tables: checked by the plans of PostgreSQL.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { alice, carol, service } from "../support/mod.ts";
import { readingsDuring, readingsOf } from "../support/plans.ts";

async function fill(networks = 1_000): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into domains (id, name) values (1, 'site.example.org');
    insert into scopes (id, name, first_vlan, last_vlan, supernet, domain_id) values (1, 'Site', 1, 4094, '10.0.0.0/8', 1);
    insert into networks (id, vlan_name, vlan_id, address, first_ip, last_ip, sensitive, scope_id, domain_id)
      select n, 'Net-' || n, n, set_masklen(start, 24)::cidr, start + 1, start + 250, n % 50 = 0, 1, 1
      from generate_series(1, ${networks}) n, lateral (select '10.0.0.0'::inet + n * 256) block (start);
    insert into hosts (id, name, device_type_id) select n, 'host-' || n, 1 from generate_series(1, 2000) n;
    insert into full_names (host_id, name) select id, name || '.site.example.org' from hosts;
    insert into interfaces (id, host_id, network_id, name, ip)
      select n, n, 1 + n % ${networks}, 'host-' || n, '10.0.0.0'::inet + (1 + n % ${networks}) * 256 + 1 + n / ${networks}
      from generate_series(1, 2000) n;
    insert into cnames (name, interface_id) select 'alias-' || n || '.site.example.org', n from generate_series(1, 2000) n;
    insert into items (id, ics_id, serial_number)
      select n, 'A' || chr(65 + n / 1000) || 'A' || lpad((n % 1000)::text, 3, '0'), 'Serial ' || n from generate_series(1, 2000) n;
    set session_replication_role = default;
    analyze;`);
}

/** The least that has more than a page of matches. */
const STARTS: Array<[table: string, path: string]> = [
  ["hosts", "/network/hosts?name__startswith=HOST-77"],
  ["full_names", "/network/hosts?fqdn__startswith=host-77"],
  ["hosts", "/network/hosts?fqdn=HOST-77.site.example.org"],
  ["interfaces", "/network/interfaces?name__startswith=host-77"],
  ["cnames", "/network/cnames?name__startswith=alias-77"],
  ["networks", "/network/networks?vlan_name__startswith=net-77"],
  ["items", "/inventory/items?ics_id__startswith=aba77"],
  ["items", "/inventory/items?serial_number__startswith=SERIAL%2077"],
];

describe.skipIf(!allChecks)("lists", () => {
  test("read only what matches the start of a text", async () => {
    await fill();
    for (const [table, path] of STARTS) {
      const readings = await readingsOf(table, `${path}&per_page=5`, alice);
      const most = Math.max(...readings.map(({ rows }) => rows));
      const isWhole = readings.some(({ whole }) => whole);
      expect([path, readings.length > 0, isWhole, most < 150]).toEqual([path, true, false, true]);
    }
  });

  test("of hosts read the networks of their rows, even where a few pages hold all networks", async () => {
    await fill(100);
    const { sql } = await service();
    // Without the pages of the rows of other tests.
    await sql.unsafe("vacuum full analyze networks");
    const readings = await readingsOf("networks", "/network/hosts", alice);
    expect(readings.map(({ whole, rows }) => [whole, rows <= 20])).toEqual([[false, true]]);
  });

  test("of hosts and interfaces, as pages, read few networks to offer some as a filter", async () => {
    await fill();
    for (const by of [alice, carol]) {
      const own = await browser(by);
      for (const path of ["/network/hosts?per_page=1", "/network/interfaces?per_page=1"]) {
        await own.get(path);
        const work = async () => expect((await own.get(path)).status).toBe(200);
        const readings = await readingsDuring("networks", work, /order by lower\(networks/);
        expect([path, readings.length]).toEqual([path, 1]);
        expect(readings[0]?.rows).toBeLessThanOrEqual(30);
      }
    }
  });
});

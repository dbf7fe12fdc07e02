// A list of many hosts must not read them all to show twenty.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { alice, carol, type Person, service } from "../support/mod.ts";
import { readingsOf } from "../support/plans.ts";

const LIMIT = 300_000;
setDefaultTimeout(LIMIT);

const HOSTS = 20_000;

/** Hosts with three interfaces each, in networks of 120 addresses; one network in fifty is sensitive. */
async function fill(): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into domains (id, name) values (1, 'site.example.org');
    insert into scopes (id, name, first_vlan, last_vlan, supernet, domain_id) values (1, 'Site', 1, 4094, '10.0.0.0/8', 1);
    insert into networks (id, vlan_name, vlan_id, address, first_ip, last_ip, sensitive, scope_id, domain_id)
      select n, 'Net-' || n, n, set_masklen(start, 24)::cidr, start + 1, start + 250, n % 50 = 0, 1, 1
      from generate_series(1, 501) n, lateral (select '10.0.0.0'::inet + n * 256) block (start);
    insert into hosts (id, name, is_ioc, device_type_id, created_at, updated_at)
      select n, 'host-' || n, n % 100 = 0, 1 + n % 9, '2026-01-01'::timestamptz + n * interval '1 minute',
        '2026-01-01'::timestamptz + n * 7 % 20011 * interval '1 minute'
      from generate_series(1, ${HOSTS}) n;
    insert into interfaces (id, host_id, network_id, name, ip, mac)
      select n * 3 + k, n, 1 + (n / 120) * 3 + k, 'host-' || n || (array['', '-b', '-c'])[k + 1],
        '10.0.0.0'::inet + (1 + (n / 120) * 3 + k) * 256 + 1 + n % 120, ('0a28' || lpad(to_hex(n * 3 + k), 8, '0'))::macaddr
      from generate_series(1, ${HOSTS}) n, generate_series(0, 2) k;
    insert into cnames (name, interface_id) select 'alias-' || n || '.site.example.org', n * 3 from generate_series(1, ${HOSTS}) n;
    insert into groups (id, name) select n, 'group-' || n from generate_series(1, 50) n;
    insert into group_hosts (group_id, host_id) select 1 + n % 50, n from generate_series(1, ${HOSTS}) n;
    set session_replication_role = default;
    analyze;`);
}

/** Each list by its default order and by those of its own columns. */
const LISTS: Array<[table: string, path: string, sorts: string[]]> = [
  ["hosts", "hosts", ["name", "id", "created_at", "updated_at"]],
  ["interfaces", "interfaces", ["ip", "name", "id", "mac"]],
  ["cnames", "cnames", ["name", "id"]],
];
const FILTERS: Array<[table: string, query: string]> = [
  ["hosts", "hosts?name=host-77"],
  ["hosts", "hosts?name__contains=1777"],
  ["hosts", "hosts?ip=10.0.7.11"],
  ["hosts", "hosts?mac=0a2800000100"],
  ["hosts", "hosts?network=Net-7"],
  ["hosts", "hosts?interfaces=host-77-b"],
  ["hosts", "hosts?automation_groups=group-7"],
  ["hosts", "hosts?is_ioc=true"],
  ["interfaces", "interfaces?ip=10.0.7.0/28"],
  ["interfaces", "interfaces?mac=0a2800000100"],
  ["interfaces", "interfaces?name=host-77-b"],
  ["interfaces", "interfaces?host=host-77"],
  ["interfaces", "interfaces?network=Net-7"],
  ["cnames", "cnames?name=alias-77.site.example.org"],
];

const SEARCHES: Array<[table: string, query: string]> = [
  ["interfaces", "interfaces?q=host-77-b"],
  ["interfaces", "interfaces?q=*1777-b*"],
  ["interfaces", "interfaces?q=10.0.7.0/28"],
  ["interfaces", "interfaces?q=network:net-7 AND ip:10.0.7.1"],
  ["interfaces", "interfaces?q=0a:28:00:00:01:00"],
  ["cnames", "cnames?q=name:alias-77.*"],
  ["cnames", "cnames?q=interface:host-77"],
];

describe.skipIf(!allChecks)("the lists of twenty thousand hosts", () => {
  beforeEach(fill, LIMIT);

  // One test, because deleting the rows between several would take longer.
  test("need one page and one count query, and read few rows for rare values", async () => {
    for (const [table, path, sorts] of LISTS) {
      for (const sort of sorts.flatMap((one) => [one, `-${one}`])) {
        for (const by of [alice, carol]) await expectPage(table, `${path}?sort=${sort}&page=3`, by);
      }
    }
    for (const [table, query] of FILTERS) {
      for (const by of [alice, carol]) await expectNoWhole(table, query, by);
    }
    for (const [table, query] of SEARCHES) {
      const readings = await readingsOf(table, `/network/${query}`, alice);
      const most = Math.max(...readings.map(({ rows }) => rows));
      expect([query, most]).toSatisfy(([, rows]) => Number(rows) <= 3_000);
    }
  });
});

async function expectNoWhole(table: string, query: string, by: Person): Promise<void> {
  const readings = await readingsOf(table, `/network/${query}`, by);
  const isWhole = readings.some(({ whole }) => whole);
  const found = [query, by.username, readings.length <= 2, isWhole];
  expect(found).toEqual([query, by.username, true, false]);
}

async function expectPage(table: string, path: string, by: Person): Promise<void> {
  const [page, ...more] = await readingsOf(table, `/network/${path}`, by);
  // A cached total needs no count.
  const [found, isOne] = [[path, by.username, page?.whole], more.length <= 1];
  expect([...found, isOne]).toEqual([path, by.username, false, true]);
  expect([path, by.username, page?.rows]).toSatisfy(([, , rows]) => Number(rows) <= 3_000);
}

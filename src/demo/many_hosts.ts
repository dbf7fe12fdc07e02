// Tens of thousands of hosts with three interfaces each, for tests at scale: written in bulk, but stamped and tracked
// like any others.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { consoleCaller } from "../auth/auth.ts";
import { type Transaction, write } from "../store/write.ts";

/** Hosts in one change set, well within the statement timeout. */
const BATCH = 1_000;
const EACH = 3;
/** Interfaces in a network of 240 addresses. */
const FULL = 120;
const SCOPES = 32;
/** Networks in the block of a scope. */
const CUTS = 1_024;
export const MOST_HOSTS = (SCOPES * CUTS * FULL) / EACH;
const DAY = 24 * 60 * 60 * 1_000;

/** Adds the missing hosts, spread over eleven months. */
export async function addHosts(target: number, until: Date): Promise<void> {
  const existing = await database.row<{ count: number; next: number }>(sql`
    select count(*)::int as count, count(*) filter (where name ~ '^node-[0-9]{7}$')::int as next from hosts`);
  const { count = 0, next = 0 } = existing ?? {};
  const end = next + Math.max(0, target - count);
  if (end === next) return;
  await addNetworks(Math.ceil(end / FULL) * EACH, until);
  for (let from = next; from < end; from += BATCH) {
    const day = 330 * (1 - (from - next) / (end - next)) + 2;
    const at = new Date(until.getTime() - day * DAY);
    const to = Math.min(from + BATCH, end) - 1;
    await write({ ...consoleCaller, at }, (tx) => connect(tx, { from, to }));
  }
  await database.change(
    sql`analyze networks, hosts, interfaces, cnames, group_hosts, changes, change_sets`,
  );
}

/** Adds networks to the scopes in turn; one in fifty is sensitive, one in forty admin-only. */
async function addNetworks(networks: number, until: Date): Promise<void> {
  const at = new Date(until.getTime() - 340 * DAY);
  await write({ ...consoleCaller, at }, async (tx) => {
    await tx.execute(sql`
      insert into domains (name) values ('site.example.org') on conflict do nothing`);
    await tx.execute(sql`
      insert into scopes (name, first_vlan, last_vlan, supernet, domain_id)
      select 'Site-' || lpad((scope + 1)::text, 2, '0'), 1, 4094, set_masklen('10.128.0.0'::inet + scope * 262144::bigint, 14)::cidr, domains.id
      from generate_series(0, ${Math.min(networks, SCOPES) - 1}::integer) scope, domains where domains.name = 'site.example.org'
      on conflict do nothing`);
    await tx.execute(sql`
      insert into groups (name, vars)
      select 'role-' || lpad(number::text, 2, '0'), jsonb_build_object('role', number)
      from generate_series(1, 50) number on conflict do nothing`);
    await tx.execute(sql`
      insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, gateway, sensitive, admin_only, scope_id, domain_id)
      select 'Net-' || lpad(number::text, 5, '0'), 1 + number / ${SCOPES}, set_masklen(start, 24)::cidr, start + 10, start + 249, start + 254,
        number % 50 = 49, number % 40 = 39, scopes.id, scopes.domain_id
      from generate_series(0, ${networks - 1}::integer) number
        cross join lateral (select '10.128.0.0'::inet + (number % ${SCOPES}) * 262144::bigint + (number / ${SCOPES}) * 256::bigint as start) block
        join scopes on scopes.name = 'Site-' || lpad((number % ${SCOPES} + 1)::text, 2, '0')
      on conflict do nothing`);
  });
}

async function connect(tx: Transaction, { from, to }: { from: number; to: number }): Promise<void> {
  await tx.execute(sql`
    insert into hosts (name, description, is_ioc, device_type_id, automation_vars)
    select ${named(sql`number`)}, case when number % 3 = 0 then 'Controller of section ' || number % 97 end, number % 4 = 0, types.id,
      case when number % 10 = 0 then jsonb_build_object('section', number % 97) else '{}' end
    from generate_series(${from}::integer, ${to}::integer) number
      join (select id, row_number() over (order by id) - 1 as place, count(*) over () as types from device_types) types
        on types.place = number % types.types`);
  await tx.execute(sql`
    insert into interfaces (host_id, network_id, name, ip, mac)
    select hosts.id, networks.id, hosts.name || (array['', '-mgmt', '-data'])[which + 1], networks.first_ip + number % ${FULL},
      ('0a28' || lpad(to_hex(number::bigint * ${EACH} + which), 8, '0'))::macaddr
    from generate_series(${from}::integer, ${to}::integer) number
      cross join generate_series(0, ${EACH - 1}) which
      join hosts on hosts.name = ${named(sql`number`)}
      join networks on networks.vlan_name = 'Net-' || lpad((number / ${FULL} * ${EACH} + which)::text, 5, '0')`);
  await tx.execute(sql`
    insert into group_hosts (group_id, host_id)
    select groups.id, hosts.id from generate_series(${from}::integer, ${to}::integer) number
      join hosts on hosts.name = ${named(sql`number`)}
      join groups on groups.name = 'role-' || lpad((number % 50 + 1)::text, 2, '0')`);
  await tx.execute(sql`
    insert into cnames (name, interface_id)
    select 'alias-' || number || '.site.example.org', interfaces.id
    from generate_series(${from}::integer, ${to}::integer) number
      join interfaces on interfaces.name = ${named(sql`number`)} where number % 20 = 0`);
}

function named(number: ReturnType<typeof sql>) {
  return sql`('node-' || lpad(${number}::text, 7, '0'))`;
}

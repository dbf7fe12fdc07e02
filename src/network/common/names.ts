// One namespace: in a domain no label names two hosts. The refusal of a name in use is the same whether or not
// its owner is visible to the caller; forms add the owner that the caller sees.
import { type SQL, sql } from "drizzle-orm";
import { isReservedName, reservedName } from "../../input/domain_names.ts";
import { NAME_NOT_AVAILABLE } from "../../store/constraints.ts";
import type { DataRule } from "../../store/rules.ts";
import type { Transaction } from "../../store/write.ts";

/** Labels share 1,024 locks: an import has more labels than PostgreSQL has room for locks. */
function locksOf(labels: SQL): SQL {
  return sql`
    select pg_advisory_xact_lock(hashtextextended('labels ' || slot, 0))
    from (select distinct hashtext(label) & 1023 as slot from (${labels}) named (label) order by slot) one`;
}

/** Serialises writes that use the same labels, before any row is locked. */
export async function lockLabels(tx: Transaction, labels: string[]): Promise<void> {
  await tx.execute(locksOf(sql`select unnest(${sql.param(labels)}::text[])`));
}

/** No host or interface has the name of another host, and no cname one of their full names. */
const ONE_NAMESPACE: DataRule = {
  on: {
    hosts: ["name"],
    interfaces: ["name", "host_id", "network_id"],
    cnames: ["name"],
    networks: ["domain_id"],
  },
  lockRows: (touched) =>
    locksOf(sql`
      select name from hosts where ${touched("hosts", sql`id`)}
      union select name from interfaces where ${touched("interfaces", sql`id`)}
      union select hosts.name from interfaces join hosts on hosts.id = host_id
        where ${touched("interfaces", sql`interfaces.id`)}
      union select split_part(name, '.', 1) from cnames where ${touched("cnames", sql`id`)}`),
  tellsOf: "its records",
  // In SQL: unions, of which each part has an index.
  broken: (touched) => sql`
    with concerned as (
      select id from interfaces where ${touched("interfaces", sql`id`)}
      union select id from interfaces where ${touched("hosts", sql`host_id`)}
      union select id from interfaces where ${touched("networks", sql`network_id`)}
      union select interfaces.id from cnames join interfaces on interfaces.name = split_part(cnames.name, '.', 1)
        where ${touched("cnames", sql`cnames.id`)}
      union select interfaces.id from cnames join hosts on hosts.name = split_part(cnames.name, '.', 1)
          join interfaces on host_id = hosts.id
        where ${touched("cnames", sql`cnames.id`)}
    )
    select name as record, is_moved from (
      select hosts.name, false as is_moved from hosts
        join interfaces on interfaces.name = hosts.name and host_id <> hosts.id
      where ${touched("hosts", sql`hosts.id`)}
      union all select hosts.name, false from interfaces
        join hosts on hosts.name = interfaces.name and hosts.id <> host_id
      where ${touched("interfaces", sql`interfaces.id`)}
      union all select cnames.name, ${touched("networks", sql`network_id`)}
      from concerned join interfaces using (id) join hosts on hosts.id = host_id
        join networks on networks.id = network_id join domains on domains.id = domain_id
        cross join unnest(array[interfaces.name, hosts.name]) label
        join cnames on cnames.name = label || '.' || domains.name
      -- A host without an interface may get one in any domain.
      union all select cnames.name, false from hosts join cnames on split_part(cnames.name, '.', 1) = hosts.name
      where ${touched("hosts", sql`hosts.id`)} and not exists (select from interfaces where host_id = hosts.id)
        and cnames.name in (select hosts.name || '.' || domains.name from domains)
      union all select cnames.name, false from cnames join hosts on hosts.name = split_part(cnames.name, '.', 1)
      where ${touched("cnames", sql`cnames.id`)} and not exists (select from interfaces where host_id = hosts.id)
        and cnames.name in (select hosts.name || '.' || domains.name from domains)
    ) used order by name limit 1`,
  refuse: ({ record = "", is_moved }) =>
    is_moved
      ? { field: "domain", message: `The name ${record} is taken there`, code: "name_taken" }
      : { field: "name", message: NAME_NOT_AVAILABLE, taken: { value: record } },
};

const NOT_RESERVED: DataRule = {
  on: { hosts: ["name"], interfaces: ["name"], cnames: ["name"] },
  tellsOf: "its records",
  broken: (touched) => sql`
    select name as record from (
      select name from hosts where ${touched("hosts", sql`id`)}
      union all select name from interfaces where ${touched("interfaces", sql`id`)}
      union all select name from cnames where ${touched("cnames", sql`id`)}
    ) named where ${isReservedName(sql`name`)} order by name limit 1`,
  refuse: ({ record = "" }) => ({ field: "name", message: reservedName(record) }),
};

/** Of hosts, interfaces and cnames. */
export const nameRules = [ONE_NAMESPACE, NOT_RESERVED];

interface RequestedName {
  label: string | SQL;
  /** The host that is to have the name; absent while it is created. */
  host?: number | SQL;
  /** The domain of the full name; null for a new host without an interface, which may get one in any domain. */
  domain?: number | SQL | null;
}

/** Selects a row if the name is in use. */
export function nameConflict({ label, host, domain }: RequestedName): SQL {
  const isOther = (id: SQL) => (host === undefined ? sql`true` : sql`${id} <> ${host}`);
  // In SQL: a union over the tables that share one namespace.
  return sql`
    select from hosts where name = ${label} and ${isOther(sql`id`)}
    union all select from interfaces where name = ${label} and ${isOther(sql`host_id`)}
    union all ${cnameConflict({ label, host, domain })}
    limit 1`;
}

/** Selects a row if a cname is a full name that the host has or would get. */
function cnameConflict({ label, host, domain }: RequestedName): SQL {
  return sql`
    select from cnames
      where split_part(cnames.name, '.', 1) = ${label}
        and (${sql.join(fullNameConditions({ label, host, domain }), sql` or `)})`;
}

/** Conditions for cnames that are a full name which the host has or would get. */
function fullNameConditions({ label, host, domain }: RequestedName): SQL[] {
  const conditions: SQL[] = [];
  if (domain == null) {
    const isInNone = sql`not exists (select from interfaces where host_id = ${host})`;
    const isInAny = domain === null || host === undefined ? sql`true` : isInNone;
    const inAny = sql`exists (select from domains where cnames.name = ${label} || '.' || domains.name)`;
    conditions.push(sql`(${isInAny} and ${inAny})`);
  } else {
    const name = sql`(select name from domains where id = ${domain}::integer)`;
    conditions.push(sql`cnames.name = ${label} || '.' || ${name}`);
  }
  if (host !== undefined) {
    conditions.push(sql`exists (
      select from interfaces join networks on networks.id = network_id join domains on domains.id = domain_id
      where host_id = ${host} and cnames.name = ${label} || '.' || domains.name)`);
  }
  return conditions;
}

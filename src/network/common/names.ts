// One namespace: in a domain no label names two hosts. The refusal of a name in use is the same whether or not
// its owner is visible to the caller.
import { type SQL, sql } from "drizzle-orm";
import { invalid, unavailableValue } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import { NAME_NOT_AVAILABLE } from "../../store/constraints.ts";
import { readIn } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

/** Labels share this many locks: an import has more labels than PostgreSQL has room for locks. */
const LABEL_LOCKS = 1024n;

/** Serialises writes that use the same labels; called before any row is locked. */
export async function lockLabels(tx: Transaction, labels: string[]): Promise<void> {
  const keys = new Set(labels.map((label) => `labels ${BigInt(Bun.hash(label)) % LABEL_LOCKS}`));
  if (keys.size > 0) await advisoryLock(tx, ...[...keys].toSorted());
}

/** The values may be columns of a query. */
interface RequestedName {
  label: string | SQL;
  /** The host that is to have the name; absent while it is created. */
  host?: number | SQL;
  /** The domain of the full name; null for a new host without an interface, which may get one in any domain. */
  domain?: number | SQL | null;
}

interface NamedField extends RequestedName {
  field: string;
  label: string;
}

/** Refuses the name of a host or an interface if it names another host. */
export async function refuseUsedName(tx: Transaction, wanted: NamedField): Promise<void> {
  const [other] = await tx.execute(nameConflict(wanted));
  if (other) throw unavailableValue(wanted.field, NAME_NOT_AVAILABLE, { value: wanted.label });
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
export function cnameConflict({ label, host, domain }: RequestedName): SQL {
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

/** Refuses a cname whose full name a host or an interface has, or a host would get with its first interface. */
export async function refuseFullName(tx: Transaction, name: string): Promise<void> {
  const [label = "", ...rest] = name.split(".");
  const [other] = await tx.execute(fullNameConflict(label, rest.join(".")));
  if (other) throw unavailableValue("name", NAME_NOT_AVAILABLE, { value: name });
}

/** Selects a row if the full name of a host or an interface is that of a cname. The values may be columns. */
export function fullNameConflict(label: string | SQL, domain: string | SQL): SQL {
  // In SQL: a union over the tables that share one namespace.
  return sql`
    select from interfaces
      join hosts on hosts.id = host_id
      join networks on networks.id = network_id
      join domains on domains.id = domain_id
    where domains.name = ${domain} and (interfaces.name = ${label} or hosts.name = ${label})
    union all select from hosts
    where name = ${label} and not exists (select from interfaces where host_id = hosts.id)
      and exists (select from domains where name = ${domain})
    limit 1`;
}

/** Refuses to move a network into a domain where a cname has the name of one of its hosts or interfaces. */
export async function refuseCnameConflict(
  tx: Transaction,
  { network, domain }: { network: number; domain: number },
): Promise<void> {
  const [clash] = await readIn(tx)<{ name: string }>(sql`
    select cnames.name from interfaces
      join hosts on hosts.id = host_id
      join domains on domains.id = ${domain}
      join cnames on cnames.name in (interfaces.name || '.' || domains.name, hosts.name || '.' || domains.name)
    where network_id = ${network} order by cnames.name limit 1`);
  if (clash) throw invalid("domain", `The name ${clash.name} is taken there`);
}

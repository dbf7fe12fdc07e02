// One namespace: in a domain no label stands for two hosts. A name that is hidden from whoever asks is refused
// in the same words as any other.
import { type SQL, sql } from "drizzle-orm";
import { invalid, taken } from "../../input/errors.ts";
import { inside } from "../../store/read.ts";
import { advisoryLock, type Transaction } from "../../store/write.ts";

export const TAKEN = "This name is not available";

/** Whoever wants one of these labels waits for the one before; called before any row is locked. */
export async function claim(tx: Transaction, labels: string[]): Promise<void> {
  for (const label of [...new Set(labels)].toSorted()) await advisoryLock(tx, `label ${label}`);
}

interface Wanted {
  field: string;
  label: string;
  /** Whose it is to be, where it is there already. */
  host?: number;
  /** Where its full name would be; null for a new host without an interface, which may come into any domain. */
  domain?: number | null;
}

/** Refuses the name of a host or of an interface that means another host already. */
export async function refuseTaken(tx: Transaction, wanted: Wanted): Promise<void> {
  const [other] = await tx.execute(whoHas(wanted));
  if (other) throw taken(wanted.field, TAKEN, { asked: wanted.label });
}

/** A row where the name is taken. */
export function whoHas({ label, host = 0, domain }: Omit<Wanted, "field">): SQL {
  const hasNone = sql`not exists (select from interfaces where host_id = ${host})`;
  const isInAny = domain === undefined ? hasNone : sql`${domain === null}::boolean`;
  return sql`
    select from hosts where name = ${label} and id <> ${host}
    union all select from interfaces where name = ${label} and host_id <> ${host}
    union all select from cnames
      where split_part(cnames.name, '.', 1) = ${label} and (
        cnames.name = ${label} || '.' || (select name from domains where id = ${domain ?? null}::integer)
        or (${isInAny} and exists (select from domains where cnames.name = ${label} || '.' || domains.name))
        or exists (
          select from interfaces join networks on networks.id = network_id join domains on domains.id = domain_id
          where host_id = ${host} and cnames.name = ${label} || '.' || domains.name))
    limit 1`;
}

/** Refuses the full name of a cname that a host or an interface has, or that a host would get with an interface. */
export async function refuseFullName(tx: Transaction, name: string): Promise<void> {
  const [label = "", ...rest] = name.split(".");
  const [other] = await tx.execute(sql`
    select from interfaces
      join hosts on hosts.id = host_id
      join networks on networks.id = network_id
      join domains on domains.id = domain_id
    where domains.name = ${rest.join(".")} and (interfaces.name = ${label} or hosts.name = ${label})
    union all select from hosts
    where name = ${label} and not exists (select from interfaces where host_id = hosts.id)
      and exists (select from domains where name = ${rest.join(".")})
    limit 1`);
  if (other) throw taken("name", TAKEN, { asked: name });
}

/** Refuses to move a network into a domain where a cname means something else by one of its names. */
export async function refuseClashIn(
  tx: Transaction,
  { network, domain }: { network: number; domain: number },
): Promise<void> {
  const [clash] = await inside(tx)<{ name: string }>(sql`
    select cnames.name from interfaces
      join hosts on hosts.id = host_id
      join domains on domains.id = ${domain}
      join cnames on cnames.name in (interfaces.name || '.' || domains.name, hosts.name || '.' || domains.name)
    where network_id = ${network} order by cnames.name limit 1`);
  if (clash) throw invalid("domain", `The name ${clash.name} is taken there`);
}

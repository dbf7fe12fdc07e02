// The groups that a host was put into; those that choose their hosts by a query are not written down.
import { sql } from "drizzle-orm";
import type { Fault } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { inside } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

export async function keysOfGroups(
  tx: Transaction,
  named: string[] | undefined,
  faults: Fault[],
): Promise<number[] | undefined> {
  if (named === undefined) return undefined;
  // Held, so that none of them comes to choose by a query, or goes, before the host is in it.
  const found = await inside(tx)<{ id: number; type: string; name: string }>(sql`
    select groups.id, groups.type, one as name from unnest(${sql.param(named)}::text[]) one
      join groups on lower(groups.name) = lower(one collate names)
    order by groups.id for share of groups`);
  for (const name of new Set(named)) {
    const message = faultOf(name, found.find((one) => one.name === name)?.type);
    if (message) faults.push({ field: "automation_groups", message });
  }
  return found.map(({ id }) => id);
}

function faultOf(name: string, type: string | undefined): string | undefined {
  if (type === undefined) return `'${name}' is not a valid group`;
  return type === "query" ? `The group '${name}' chooses its hosts by a query` : undefined;
}

/** Into these groups and no others; undefined leaves it where it is. */
export async function joinGroups(
  tx: Transaction,
  host: number,
  groups: number[] | undefined,
): Promise<void> {
  if (groups === undefined) return;
  const wanted = integers(groups);
  await tx.execute(sql`
    delete from group_hosts where host_id = ${host} and group_id <> all(${wanted})`);
  await tx.execute(sql`
    insert into group_hosts (group_id, host_id) select distinct id, ${host}::integer from unnest(${wanted}) id
    on conflict do nothing`);
}

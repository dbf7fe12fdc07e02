// Groups within groups. No group comes to stand within itself: who changes that takes a turn first.
import { sql } from "drizzle-orm";
import type { Fault } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { inside } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

interface Named {
  names: string[];
  faults: Fault[];
  /** Whose children they are to be, where it is there already. */
  group?: number;
}

export async function keysOfChildren(tx: Transaction, wanted: Named): Promise<number[]> {
  const { names, faults, group = 0 } = wanted;
  const found = await inside(tx)<{ id: number; name: string }>(sql`
    select groups.id, one as name from unnest(${sql.param(names)}::text[]) one
      join groups on lower(groups.name) = lower(one collate names)
    order by groups.id for key share of groups`);
  const above = await idsAbove(tx, group);
  for (const name of new Set(names)) {
    const id = found.find((one) => one.name === name)?.id;
    const message = faultOf({ name, id, group, above });
    if (message) faults.push({ field: "children", message });
  }
  return found.map(({ id }) => id);
}

interface Candidate {
  name: string;
  id: number | undefined;
  group: number;
  above: Set<number>;
}

function faultOf({ name, id, group, above }: Candidate): string | undefined {
  if (id === undefined) return `'${name}' is not a valid group`;
  if (id === group) return "A group does not contain itself";
  return above.has(id) ? `'${name}' contains this group already` : undefined;
}

async function idsAbove(tx: Transaction, group: number): Promise<Set<number>> {
  const found = await inside(tx)<{ id: number }>(sql`
    with recursive above as (
      select parent_id as id from group_children where child_id = ${group}
      union select parent_id from group_children join above on child_id = above.id
    )
    select id from above`);
  return new Set(found.map(({ id }) => id));
}

/** These and no others. Tells whether any came or went. */
export async function adopt(
  tx: Transaction,
  { group, children }: { group: number; children: number[] },
): Promise<boolean> {
  const wanted = integers(children);
  const gone = await tx.execute(sql`
    delete from group_children where parent_id = ${group} and child_id <> all(${wanted}) returning id`);
  const come = await tx.execute(sql`
    insert into group_children (parent_id, child_id)
    select distinct ${group}::integer, id from unnest(${wanted}) id on conflict do nothing returning id`);
  return gone.length + come.length > 0;
}

// Groups within groups. Changes are serialised by a lock, so that no group comes to contain itself.

import { and, eq, sql } from "drizzle-orm";
import { group_children } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import type { FieldError } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";

interface ChildNames {
  names: string[];
  errors: FieldError[];
  /** The parent group; absent while it is created. */
  group?: number;
}

export async function idsOfChildren(
  tx: Transaction,
  caller: Caller,
  wanted: ChildNames,
): Promise<number[]> {
  const { names, errors, group = 0 } = wanted;
  const found = await tx.execute<{ id: number; name: string }>(sql`
    select groups.id, one as name from unnest(${sql.param(names)}::text[]) one
      join groups on lower(groups.name) = lower(one collate names)
    order by groups.id for key share of groups`);
  for (const name of new Set(names)) {
    const id = found.find((one) => one.name === name)?.id;
    const message = "A group does not contain itself";
    const wrong = { field: "children", name, table: "groups", noun: "group" };
    if (id === undefined) errors.push(await unknownRecord(tx, caller, wrong));
    else if (id === group) errors.push({ field: "children", message });
  }
  return found.map(({ id }) => id).filter((id) => id !== group);
}

/** Replaces the children of a group; true if any were added or removed. */
export async function setChildren(
  tx: Transaction,
  { group, children }: { group: number; children: number[] },
): Promise<boolean> {
  const wanted = integers(children);
  const removed = await tx
    .delete(group_children)
    .where(
      and(eq(group_children.parent_id, group), sql`${group_children.child_id} <> all(${wanted})`),
    )
    .returning({ id: group_children.id });
  const added = await tx.execute(sql`
    insert into group_children (parent_id, child_id)
    select distinct ${group}::integer, id from unnest(${wanted}) id on conflict do nothing returning id`);
  return removed.length + added.length > 0;
}

// The static groups of a host; memberships in groups by query are not stored.

import { and, eq, sql } from "drizzle-orm";
import { group_hosts, hosts } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { type FieldError, refuse } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import type { ListChange } from "../../store/bulk.ts";
import { mayEdit } from "../../store/may_edit.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import { lock, type Transaction } from "../../store/write.ts";

export async function idsOfGroups(
  tx: Transaction,
  caller: Caller,
  named: string[] | undefined,
  errors: FieldError[],
): Promise<number[] | undefined> {
  if (named === undefined) return undefined;
  // Locked, so that none of them becomes a group by query or is deleted before the host is a member.
  const found = await tx.execute<{ id: number; type: string; name: string }>(sql`
    select groups.id, groups.type, one as name from unnest(${sql.param(named)}::text[]) one
      join groups on lower(groups.name) = lower(one collate names)
    order by groups.id for share of groups`);
  for (const name of new Set(named)) {
    const group = found.find((one) => one.name === name);
    if (group) errors.push(...groupErrors(group));
    else errors.push(await unknownRecord(tx, caller, { ...UNKNOWN, name }));
  }
  return found.map(({ id }) => id);
}

const UNKNOWN = { field: "automation_groups", table: "groups", noun: "group" };

/** Whether a host can be a member of the group, by the type of the group. */
function groupErrors({ name, type }: { name: string; type: string }): FieldError[] {
  const { field } = UNKNOWN;
  const message = `The group '${name}' finds its hosts by a query`;
  return type === "query" ? [{ field, message }] : [];
}

/** Replaces the static groups of a host; undefined leaves them. */
export async function setGroups(
  tx: Transaction,
  host: number,
  groups: number[] | undefined,
): Promise<void> {
  if (groups === undefined) return;
  const wanted = integers(groups);
  const { host_id, group_id } = group_hosts;
  await tx.delete(group_hosts).where(and(eq(host_id, host), sql`${group_id} <> all(${wanted})`));
  await tx.execute(sql`
    insert into group_hosts (group_id, host_id) select distinct id, ${host}::integer from unnest(${wanted}) id
    on conflict do nothing`);
}

/** Adds a host to groups and removes it from others, as part of a larger write; true if any were. */
export async function changeGroups(
  tx: Transaction,
  caller: Caller,
  host: number,
  { add, remove, replaces }: ListChange,
): Promise<boolean> {
  await lock(tx, caller, { table: hosts, id: host });
  await mayEdit(tx.execute, caller, [host]);
  const wanted = integers(await knownGroups(tx, caller, add));
  const unwanted = integers(await knownGroups(tx, caller, remove));
  const { id, host_id, group_id } = group_hosts;
  const leaves = replaces ? sql`true` : sql`${group_id} = any(${unwanted})`;
  const left = await tx
    .delete(group_hosts)
    .where(and(eq(host_id, host), sql`${group_id} <> all(${wanted})`, leaves))
    .returning({ id });
  const joined = await tx.execute(sql`
    insert into group_hosts (group_id, host_id) select distinct id, ${host}::integer from unnest(${wanted}) id
    on conflict do nothing returning id`);
  return left.length + joined.length > 0;
}

/** Refuses names that are unknown, and groups that find their hosts by a query. */
export async function knownGroups(
  tx: Transaction,
  caller: Caller,
  names: string[],
): Promise<number[]> {
  const errors: FieldError[] = [];
  const found = await idsOfGroups(tx, caller, names, errors);
  if (errors.length > 0) throw refuse(errors);
  return found ?? [];
}

// The static groups of a host; memberships in groups by query are not stored.

import { and, eq, sql } from "drizzle-orm";
import { group_hosts } from "../../../db/tables/network.ts";
import { type FieldError, unknownName } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { readIn } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

export async function idsOfGroups(
  tx: Transaction,
  named: string[] | undefined,
  errors: FieldError[],
): Promise<number[] | undefined> {
  if (named === undefined) return undefined;
  // Locked, so that none of them becomes a group by query or is deleted before the host is a member.
  const found = await readIn(tx)<{ id: number; type: string; name: string }>(sql`
    select groups.id, groups.type, one as name from unnest(${sql.param(named)}::text[]) one
      join groups on lower(groups.name) = lower(one collate names)
    order by groups.id for share of groups`);
  for (const name of new Set(named)) {
    errors.push(...groupErrors(name, found.find((one) => one.name === name)?.type));
  }
  return found.map(({ id }) => id);
}

function groupErrors(name: string, type: string | undefined): FieldError[] {
  const field = "automation_groups";
  if (type === undefined) return [unknownName(field, name, "group")];
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

// The items that a host runs on.

import { and, eq, ne, sql } from "drizzle-orm";
import { items as itemTable } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { type FieldError, type Refusal, refuse, unavailableValue } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { mayEdit } from "../../store/may_edit.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";

export async function idsOfItems(
  tx: Transaction,
  caller: Caller,
  named: string[] | undefined,
  errors: FieldError[],
): Promise<number[] | undefined> {
  if (named === undefined) return undefined;
  const labels = named.map((one) => one.toUpperCase());
  const found = await tx
    .select({ id: itemTable.id, ics_id: itemTable.ics_id })
    .from(itemTable)
    .where(sql`${itemTable.ics_id} = any(${sql.param(labels)}::text[])`)
    .orderBy(itemTable.id)
    .for("no key update");
  const missing = labels.filter((label) => !found.some(({ ics_id }) => ics_id === label));
  for (const label of new Set(missing)) {
    const wrong = { field: "items", name: label, table: "items", column: "ics_id", noun: "item" };
    errors.push(await unknownRecord(tx, caller, wrong));
  }
  return found.map(({ id }) => id);
}

/** Replaces the items of a host; undefined leaves them. */
export async function setItems(
  tx: Transaction,
  caller: Caller,
  { host, items }: { host: number; items: number[] | undefined },
): Promise<void> {
  if (items === undefined) return;
  await refuseTransfer(tx, caller, { host, items });
  const wanted = integers(items);
  const { id, host_id } = itemTable;
  await tx
    .update(itemTable)
    .set({ host_id: null })
    .where(and(eq(host_id, host), sql`${id} <> all(${wanted})`));
  await tx
    .update(itemTable)
    .set({ host_id: host, stack_member: null })
    .where(and(sql`${id} = any(${wanted})`, sql`${host_id} is distinct from ${host}`));
}

/** The end of a refusal that forms recognise to offer a checkbox. */
export const MOVE_HINT = "; tick the box below to move it";

/** Refuses items that are mounted on other hosts: a form moves them only if its checkbox is set. */
export async function refuseMounted(
  tx: Transaction,
  caller: Caller,
  { host = 0, items = [] }: { host?: number; items?: string[] },
): Promise<void> {
  const labels = items.map((one) => one.toUpperCase());
  const mounted = await tx.execute<{ ics_id: string; name: string }>(sql`
    select ics_id, hosts.name from items join hosts on hosts.id = items.host_id
    where ics_id = any(${sql.param(labels)}::text[]) and hosts.id <> ${host} and ${mayKnowHost(caller, sql`hosts.id`)}
    order by ics_id`);
  if (mounted.length === 0) return;
  throw refuse(
    mounted.map(({ ics_id, name }) => ({
      field: "items",
      message: `${ics_id} is mounted on ${name}${MOVE_HINT}`,
    })),
  );
}

/** Moving an item here changes the host that it was on, so the caller must be allowed to edit that host. */
async function refuseTransfer(
  tx: Transaction,
  caller: Caller,
  { host, items }: { host: number; items: number[] },
): Promise<void> {
  const { id, ics_id: label, host_id: owner } = itemTable;
  const mounted = await tx
    .select({ ics_id: label, host_id: sql<number>`${owner}` })
    .from(itemTable)
    .where(and(sql`${id} = any(${integers(items)})`, ne(owner, host)))
    .orderBy(label);
  for (const { ics_id, host_id } of mounted) {
    await mayEdit(tx.execute, caller, [host_id], () => onHiddenHost(ics_id));
  }
}

export function onHiddenHost(ics_id: string): Refusal {
  const message = `The item ${ics_id} is not available`;
  return unavailableValue("items", message, { value: ics_id, isHidden: true });
}

// The MAC addresses on an item. One that is taken off stays registered, without an item.
import { type Static, Type } from "@sinclair/typebox";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { items as itemTable, macs } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { isMac } from "../../input/kinds.ts";
import { MOST_ELEMENTS } from "../../input/limits.ts";
import { closed, MAC_ADDRESS, nullable, paragraph } from "../../input/shape.ts";
import { changeSetOf, type Transaction, write } from "../../store/write.ts";
import { item } from "./item.ts";
import { macOnOtherItem, notAMac } from "./item_rules.ts";
import * as items from "./items.ts";

/** The fields of a form: addresses to put on, as text, and addresses to take off. */
export const macFields = {
  macs: Type.Optional({
    ...nullable(paragraph(2_000, "Use one MAC address on each line")),
    title: item.fields.macs.label,
  }),
  free: Type.Optional(Type.Array(MAC_ADDRESS, { maxItems: MOST_ELEMENTS })),
};
export const changedMacs = closed(macFields);

interface MacChanges {
  change_set: number;
  added: number;
  freed: number;
}

export function changeMacs(
  caller: Caller,
  which: string,
  { macs: text, free = [] }: Static<typeof changedMacs>,
): Promise<MacChanges> {
  return write(caller, async (tx) => {
    const item_id = await items.keyOf(which, tx);
    const taken = await takeMacs(tx, text ?? "", item_id);
    const freed = await removeMacs(tx, item_id, free);
    return { added: await addMacs(tx, item_id, taken), freed, change_set: await changeSetOf(tx) };
  });
}

/**
 * Registers and locks the addresses in a text, separated by blanks, commas or semicolons. Text that is not an address,
 * and addresses of other items, are refused.
 */
export async function takeMacs(tx: Transaction, text: string, item_id?: number): Promise<string[]> {
  const words = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  const invalid = words.filter((one) => !isMac(one));
  const errors = invalid.slice(0, 5).map((one) => notAMac(one));
  const addresses = words.filter(isMac);
  if (addresses.length === 0 && errors.length === 0) return [];
  const given = array(addresses);
  await tx.execute(sql`
    insert into ${macs} (address) select distinct unnest(${given}) order by 1
    on conflict (address) do nothing`);
  // Locked before they are read, so that a concurrent change is seen.
  await tx
    .select({ id: macs.id })
    .from(macs)
    .where(sql`${macs.address} = any(${given})`)
    .orderBy(macs.address)
    .for("no key update");
  const taken = await tx.execute<{ address: string; ics_id: string }>(sql`
    select macs.address::text as address, items.ics_id from macs join items on items.id = macs.item_id
    where macs.address = any(${given}) and items.id <> ${item_id ?? 0} order by macs.address`);
  errors.push(...taken.map(({ address, ics_id }) => macOnOtherItem(address, ics_id)));
  if (errors.length > 0) throw refuse(errors);
  return addresses;
}

/** Returns how many are new on the item. */
export async function addMacs(
  tx: Transaction,
  item_id: number,
  addresses: string[],
): Promise<number> {
  if (addresses.length === 0) return 0;
  // Locked, so that the item is not deleted meanwhile.
  const [held] = await tx
    .select({ id: itemTable.id })
    .from(itemTable)
    .where(eq(itemTable.id, item_id))
    .for("key share");
  if (!held) throw notFound();
  const put = await tx
    .update(macs)
    .set({ item_id })
    .where(
      sql`${macs.address} = any(${array(addresses)}) and ${macs.item_id} is distinct from ${item_id}`,
    )
    .returning({ id: macs.id });
  return put.length;
}

/** Addresses of other items are left alone. Returns how many were taken off. */
export async function removeMacs(
  tx: Transaction,
  item_id: number,
  addresses: string[],
): Promise<number> {
  const freed = await tx
    .update(macs)
    .set({ item_id: null })
    .where(and(sql`${macs.address} = any(${array(addresses)})`, eq(macs.item_id, item_id)))
    .returning({ id: macs.id });
  return freed.length;
}

function array(addresses: string[]): SQL {
  return sql`${sql.param(addresses)}::text[]::macaddr[]`;
}

// Creates, changes and moves items. Items inside a moved one move along.

import { type Static, Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { collectErrors, type FieldError, invalid, refuse } from "../../input/errors.ts";
import { integers, keyIn } from "../../input/keys.ts";
import { atLeastOne, closed, foreignKey, nullable } from "../../input/shape.ts";
import { textError } from "../../input/text.ts";
import { brokenBy } from "../../store/constraints.ts";
import * as crud from "../../store/crud.ts";
import * as records from "../../store/records.ts";
import {
  cachedByVisibility,
  changeFields,
  creationFields,
  recordQuery,
} from "../../store/resource.ts";
import { isLimitedToPlaces, mayWrite } from "../../store/rights/check.ts";
import { judge } from "../../store/rules.ts";
import { assign, changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import type { Colour } from "../attributes/attribute.ts";
import { nextTemporary } from "./ics_ids.ts";
import { type Item, item } from "./item.ts";
import { CYCLE, chosenId, type ItemPlace, newId } from "./item_rules.ts";
import { mountOf } from "./mount.ts";
import { checkSerial } from "./same_serials.ts";
import { locationIn, lockTree, setPlace } from "./tree.ts";

const host_id = nullable(foreignKey("host"));
const { ics_id, ...created } = creationFields(item);

export const newItem = closed({
  ...created,
  ics_id: Type.Optional(nullable(ics_id)),
  parent_id: Type.Optional(nullable(foreignKey("item"))),
  host_id: Type.Optional(host_id),
});
export const changedItem = atLeastOne({ ...changeFields(item), host_id });

type NewItem = Static<typeof newItem>;
type ChangedItem = Static<typeof changedItem>;

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Item>> {
  return crud.list(item, caller, params);
}

/** An item as pages show it. */
export type ShownItem = Item & { status_colour: Colour | null };

/** The list with these fields only, so that fields that a page does not show cost nothing. */
export function listPicked<const Name extends string>(
  caller: Caller,
  names: readonly Name[],
  params: URLSearchParams,
): Promise<records.ListJson<Pick<ShownItem, Name & keyof ShownItem>>> {
  return records.list(records.pick(shownQuery(caller), names), params);
}

/** Its page shows more of each than these fields have. */
const ELSEWHERE = ["children", "history"] as const;

/** An item without what its page reads otherwise. */
export type ItemOfPage = Omit<ShownItem, (typeof ELSEWHERE)[number]>;

/** By primary key or by ICS id, for pages. */
export function findShown(caller: Caller, id: string): Promise<records.RecordJson<ItemOfPage>> {
  return records.find(records.omit(shownQuery(caller), ELSEWHERE), idCondition(id));
}

const shownQuery = cachedByVisibility<ShownItem>((caller) =>
  records.extend<Pick<ShownItem, "status_colour">>()(recordQuery(item, caller), {
    // Of kind value: lists are not filtered or sorted by it.
    status_colour: {
      kind: "value",
      column: sql`(select colour from statuses where statuses.id = items.status_id)`,
    },
  }),
);

/** By primary key, which is all digits, or by ICS id. */
export async function find(
  caller: Caller,
  id: string,
  isRecursive = false,
): Promise<records.RecordJson<Item>> {
  return records.find({ ...recordQuery(item, caller), isRecursive }, idCondition(id));
}

export function create(caller: Caller, input: NewItem): Promise<records.RecordJson<Item>> {
  return write(
    caller,
    (tx) => add(tx, caller, input),
    (tx, { id }) => crud.find(item, caller, id, { tx }),
  );
}

/** As part of a write that does more, which may have chosen the temporary id. */
export async function add(
  tx: Transaction,
  caller: Caller,
  input: NewItem,
  temporary?: string,
): Promise<{ id: number; ics_id: string }> {
  const { parent_id, ics_id: wanted, ...given } = input;
  const errors: FieldError[] = [];
  if (parent_id != null) await lockTree(tx);
  const place = await collectErrors(errors, () =>
    parent_id == null ? {} : locationIn(tx, caller, parent_id),
  );
  const columns = await collectErrors(errors, () => columnsIn(tx, caller, given));
  const label = await collectErrors(errors, () =>
    wanted == null ? undefined : requireUnused(tx, wanted),
  );
  const mount = await collectErrors(errors, () => mountOf(tx, caller, given));
  if (errors.length > 0) throw refuse(errors);
  const ics_id = label ?? temporary ?? (await nextTemporary(tx));
  const { serial_number } = given;
  const [made] = await tx
    .insert(items)
    .values({ ...place, ...columns, serial_number, ics_id, ...mount })
    .returning({ id: items.id });
  const id = made?.id ?? 0;
  await checkSerial(tx, caller, id);
  return { id, ics_id };
}

export function update(
  caller: Caller,
  which: string,
  input: ChangedItem,
): Promise<records.RecordJson<Item>> {
  return write(
    caller,
    (tx) => change(tx, caller, { which, ...input }),
    (tx, id) => crud.find(item, caller, id, { tx }),
  );
}

/** As part of a write that does more. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { which, ...input }: ChangedItem & { which: string },
): Promise<number> {
  const { parent, ics_id, ...given } = input;
  const isMove = [parent, given.location, given.status].some((one) => one !== undefined);
  if (isMove) await lockTree(tx);
  const id = await keyOf(which, tx);
  await lock(tx, caller, { table: items, id });
  const errors: FieldError[] = [];
  const label = await collectErrors(errors, () => relabel(tx, id, ics_id));
  const place = await collectErrors(errors, () => newPlace(tx, caller, { id, parent }));
  const columns = await collectErrors(errors, () => columnsIn(tx, caller, given));
  const mount = await collectErrors(errors, () => mountOf(tx, caller, { ...given, id }));
  const target = { table: items, where: eq(items.id, id) };
  if (errors.length > 0) {
    // Its place and mount are judged as well: all errors are reported together.
    await assign(tx, target, { ...place, ...mount });
    await collectErrors(errors, () => judge(tx, caller));
    throw refuse(errors);
  }
  await changeAlike(tx, [id], { ...place, ...columns, ...label, ...mount });
  if (given.serial_number !== undefined || given.manufacturer !== undefined)
    await checkSerial(tx, caller, id);
  return id;
}

/** Sets columns of items that are locked, also of many at once; what is inside moves along. */
export async function changeAlike(
  tx: Transaction,
  keys: number[],
  values: ItemColumns,
): Promise<void> {
  const where = sql`${items.id} = any(${integers(keys)})`;
  await assign(tx, { table: items, where }, values);
  await setPlace(tx, keys, values);
}

/** Deletes its comments as well and frees its MAC addresses. Refused while other items are inside. Returns the change set. */
export async function remove(caller: Caller, id: number): Promise<number> {
  return write(caller, async (tx) => {
    await lockTree(tx);
    await lock(tx, caller, { table: items, id });
    const count = await tx.$count(items, eq(items.parent_id, id));
    if (count > 0) {
      throw invalid(
        "id",
        `This item contains ${count} other ${count === 1 ? "item" : "items"}; remove them first`,
      );
    }
    await tx.delete(items).where(eq(items.id, id));
    return changeSetOf(tx);
  });
}

const KEY_ONLY: Parameters<typeof records.find<{ id: number }>>[0] = {
  from: sql`items`,
  version: sql`version`,
  fields: { id: { kind: "integer", column: sql`items.id` } },
};

/** The primary key behind either form of an item's id, or notFound. */
export async function keyOf(id: string, tx?: Transaction): Promise<number> {
  return records.rowOf(await records.find(KEY_ONLY, idCondition(id), tx)).id;
}

/** The condition for an id: all digits are a primary key, anything else is an ICS id. */
export function idCondition(id: string): SQL {
  if (textError(id)) return sql`false`;
  if (!/^[0-9]+$/.test(id)) return sql`items.ics_id = ${id.toUpperCase()}`;
  const key = keyIn(id);
  return key === undefined ? sql`false` : sql`items.id = ${key}`;
}

type ItemColumns = Partial<typeof items.$inferInsert>;

/** The fields of a body as columns, with keys instead of names. */
async function columnsIn(
  tx: Transaction,
  caller: Caller,
  given: ChangedItem,
): Promise<ItemColumns> {
  return (await crud.columnsIn(tx, caller, item, given)) as ItemColumns;
}

async function relabel(tx: Transaction, id: number, wanted?: string): Promise<{ ics_id?: string }> {
  if (wanted === undefined) return {};
  const [found] = await tx.select({ ics_id: items.ics_id }).from(items).where(eq(items.id, id));
  const ics_id = newId(found?.ics_id ?? "", wanted);
  return ics_id === undefined ? {} : { ics_id: await requireUnused(tx, ics_id) };
}

/** The unique constraint decides. This check before only reports a used id together with the other errors. */
async function requireUnused(tx: Transaction, wanted: string): Promise<string> {
  const ics_id = chosenId(wanted);
  const [other] = await tx.select({ id: items.id }).from(items).where(eq(items.ics_id, ics_id));
  if (other) throw brokenBy("items_ics_id_key");
  return ics_id;
}

async function newPlace(
  tx: Transaction,
  caller: Caller,
  { id, parent }: { id: number; parent: string | null | undefined },
): Promise<Partial<ItemPlace>> {
  if (parent === undefined) return {};
  if (parent === null) return { parent_id: null };
  const place = await locationIn(tx, caller, parent.toUpperCase());
  // A constraint would report it without the other errors.
  if (place.parent_id === id) throw refuse([CYCLE]);
  return place;
}

/** Whether the caller may change the item with this ICS id, because of where it is. */
export async function mayWriteItem(caller: Caller, ics_id: string): Promise<boolean> {
  return !isLimitedToPlaces(caller) || mayWrite(caller, "items", await keyOf(ics_id));
}

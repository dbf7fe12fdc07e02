import { type Static, Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { type Fault, invalid, noting, refuse } from "../../input/errors.ts";
import { keyIn, LARGEST_KEY } from "../../input/keys.ts";
import { closed, KEY, line, nullable, some } from "../../input/shape.ts";
import { flaw } from "../../input/text.ts";
import { brokenBy } from "../../store/constraints.ts";
import * as records from "../../store/records.ts";
import { assign, lock, type Transaction, write } from "../../store/write.ts";
import { keysOf, type Names } from "../attributes/references.ts";
import { chosen, ICS_ID, isTemporary, nextTemporary } from "./ics_ids.ts";
import { mountOf } from "./mount.ts";
import { itemResource } from "./record.ts";
import { carryDown, lockTree, type Place, placeIn, refuseCycle } from "./tree.ts";

export { item } from "./record.ts";

const fields = {
  ics_id: ICS_ID,
  serial_number: line(100),
  quantity: Type.Integer({
    minimum: 1,
    maximum: LARGEST_KEY,
    description: "Use a whole number from 1",
  }),
  manufacturer: nullable(line(100, "Use the name of a manufacturer")),
  model: nullable(line(100, "Use the name of a model")),
  location: nullable(line(100, "Use the name of a location")),
  status: nullable(line(100, "Use the name of a status")),
  host_id: nullable(KEY),
  stack_member: nullable(
    Type.Integer({ minimum: 0, maximum: 9, description: "Use a number from 0 to 9" }),
  ),
};
const { serial_number, ics_id, ...optional } = fields;

export const newItem = closed({
  serial_number,
  ics_id: Type.Optional(nullable(ics_id)),
  ...Type.Partial(Type.Object({ ...optional, parent_id: nullable(KEY) })).properties,
});
export const changedItem = some({ ...fields, parent: nullable(ICS_ID) });

export type NewItem = Static<typeof newItem>;
export type ChangedItem = Static<typeof changedItem>;

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(itemResource(caller), params);
}

/** The same list with no more of each item than what is named: what a page does not show costs nothing. */
export function listTelling(
  caller: Caller,
  names: readonly string[],
  params: URLSearchParams,
): Promise<records.Listed> {
  return records.list(records.pick(itemResource(caller), names), params);
}

/** Where an item stands in a list, by the list's parameters, and the ids of those around it. */
export function placeInList(
  caller: Caller,
  id: number,
  params: URLSearchParams,
): Promise<records.Place | undefined> {
  return records.placeOf(itemResource(caller), params, { id, called: sql`items.ics_id` });
}

/** By its primary key, which is all digits, or by the id on its label. */
export async function find(
  caller: Caller,
  id: string,
  isRecursive = false,
): Promise<records.Found> {
  return records.find({ ...itemResource(caller), isRecursive }, named(id));
}

export function create(caller: Caller, input: NewItem): Promise<records.Found> {
  return write(caller, async (tx) => read(tx, caller, await add(tx, caller, input)));
}

/** As part of a write that does more. */
export async function add(tx: Transaction, caller: Caller, input: NewItem): Promise<number> {
  const { parent_id, ics_id: wanted, manufacturer, model, location, status, ...plain } = input;
  const names: Names = { manufacturer, model, location, status };
  const faults: Fault[] = [];
  if (parent_id != null) await lockTree(tx);
  const place = await noting(faults, () => (parent_id == null ? {} : placeIn(tx, parent_id)));
  const keys = await noting(faults, () => keysOf(tx, names));
  const label = await noting(faults, () => (wanted == null ? undefined : free(tx, wanted)));
  const mount = await noting(faults, () => mountOf(tx, caller, plain));
  if (faults.length > 0) throw refuse(faults);
  const ics_id = label ?? (await nextTemporary(tx));
  const [made] = await tx
    .insert(items)
    .values({ ...plain, ics_id, ...place, ...keys, ...mount })
    .returning({ id: items.id });
  return made?.id ?? 0;
}

export function update(caller: Caller, which: string, input: ChangedItem): Promise<records.Found> {
  return write(caller, async (tx) =>
    read(tx, caller, await change(tx, caller, { which, ...input })),
  );
}

/** As part of a write that does more. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { which, ...input }: ChangedItem & { which: string },
): Promise<number> {
  const { parent, ics_id, manufacturer, model, location, status, ...plain } = input;
  const names: Names = { manufacturer, model, location, status };
  const isMove = parent !== undefined || location !== undefined || status !== undefined;
  if (isMove) await lockTree(tx);
  const id = await keyOf(which, tx);
  await lock(tx, caller, { table: items, id });
  const faults: Fault[] = [];
  const label = await noting(faults, () => relabel(tx, id, ics_id));
  const place = await noting(faults, () => newPlace(tx, id, parent));
  const keys = await noting(faults, () => keysOf(tx, names));
  const mount = await noting(faults, () => mountOf(tx, caller, { ...plain, id }));
  if (faults.length > 0) throw refuse(faults);
  const target = { table: items, where: eq(items.id, id) };
  await assign(tx, target, { ...plain, ...label, ...place, ...keys, ...mount });
  await carryDown(tx, id, { ...place, ...keys });
  return id;
}

/** With its comments; its MACs stay, without it. Refused while something stands inside of it. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    await lockTree(tx);
    await lock(tx, caller, { table: items, id });
    const [inside] = await tx.execute<{ count: number }>(
      sql`select count(*)::int as count from ${items} where ${items.parent_id} = ${id}`,
    );
    const count = inside?.count ?? 0;
    if (count > 0) {
      throw invalid(
        "id",
        `This item holds ${count} other ${count === 1 ? "item" : "items"}; take them out first`,
      );
    }
    await tx.delete(items).where(eq(items.id, id));
  });
}

const KEY_ONLY = {
  from: sql`items`,
  version: sql`version`,
  fields: { id: { kind: "integer", column: sql`items.id` } },
} as const;

/** The primary key behind either form of an item's id, or notFound. */
export async function keyOf(id: string, tx?: Transaction): Promise<number> {
  const found = await records.find(KEY_ONLY, named(id), tx);
  return JSON.parse(found.json).id;
}

/** Which item is meant: all digits are its primary key, all else is the id on its label. */
export function named(id: string): SQL {
  if (flaw(id)) return sql`false`;
  if (!/^[0-9]+$/.test(id)) return sql`items.ics_id = ${id.toUpperCase()}`;
  const key = keyIn(id);
  return key === undefined ? sql`false` : sql`items.id = ${key}`;
}

function read(tx: Transaction, caller: Caller, id: number): Promise<records.Found> {
  const isRecursive = records.nests(caller);
  return records.find({ ...itemResource(caller), isRecursive }, sql`items.id = ${id}`, tx);
}

/** A label that was printed stays; only a temporary id gives way to another. */
async function relabel(tx: Transaction, id: number, wanted?: string): Promise<{ ics_id?: string }> {
  if (wanted === undefined) return {};
  const [found] = await tx.select({ ics_id: items.ics_id }).from(items).where(eq(items.id, id));
  const now = found?.ics_id ?? "";
  if (wanted.toUpperCase() === now) return {};
  if (!isTemporary(now)) throw invalid("ics_id", `The id ${now} is not temporary and stays`);
  return { ics_id: await free(tx, wanted) };
}

/** The constraint decides; looked at first, a taken id is told with all else that is wrong. */
async function free(tx: Transaction, wanted: string): Promise<string> {
  const ics_id = chosen(wanted);
  const [other] = await tx.select({ id: items.id }).from(items).where(eq(items.ics_id, ics_id));
  if (other) throw brokenBy("items_ics_id_key");
  return ics_id;
}

async function newPlace(
  tx: Transaction,
  id: number,
  parent: string | null | undefined,
): Promise<Partial<Place>> {
  if (parent === undefined) return {};
  if (parent === null) return { parent_id: null };
  const place = await placeIn(tx, parent.toUpperCase());
  await refuseCycle(tx, id, place.parent_id ?? 0);
  return place;
}

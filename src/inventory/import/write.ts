// Writes the plan of an import, with one statement for each kind of change.

import { sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import { batchesOf, keySubquery, newKeys, textSubquery } from "../../import/statements.ts";
import type { Transaction } from "../../store/write.ts";
import { lockTemporaryIds } from "../items/ics_ids.ts";
import { lockTree } from "../items/tree.ts";
import type { Draft } from "./drafts.ts";
import { type ExistingRecords, icsIdsOf, macsOf, wantsTemporary } from "./existing_records.ts";
import type { ItemPlan, ItemVerdict } from "./plan.ts";
import { hasErrors, stackPlace } from "./row_dependencies.ts";
import { type ImportEntry, STORED } from "./rows.ts";
import type { InheritedPlace } from "./tree.ts";

/** Advisory locks first, then rows in a fixed order, so that imports do not deadlock. */
export async function lockRows(tx: Transaction, entries: ImportEntry[]): Promise<void> {
  await lockTree(tx);
  if (entries.some(wantsTemporary)) await lockTemporaryIds(tx);
  const labels = textSubquery(icsIdsOf(entries));
  await tx
    .select({ id: items.id })
    .from(items)
    .where(sql`${items.ics_id} in ${labels}`)
    .orderBy(items.id)
    .for("no key update");
  const addresses = textSubquery(new Set(entries.flatMap(macsOf)));
  await tx.execute(sql`
    select 1 from macs
    where address in (select address::macaddr from ${addresses} as rows (address))
      or item_id in (select id from items where ics_id in ${labels})
    order by address for no key update`);
}

/** Returns the verdicts with the ids of new items. */
export async function writePlan(tx: Transaction, plan: ItemPlan): Promise<ItemVerdict[]> {
  const { known } = plan;
  const kinds = new Map(plan.verdicts.map(({ verdict }, at) => [plan.drafts[at], verdict]));
  const made = plan.drafts.filter((draft) => kinds.get(draft) === "new");
  const changed = plan.drafts.filter((draft) => kinds.get(draft) === "change");
  const newIds = await newKeys(tx, "items", made.length);
  const ids = new Map(made.map(({ id }, at) => [id, newIds[at] ?? 0]));
  const labels = icsIdsFor(made, known.free);
  const context = { ids, labels, places: plan.places };
  await clearStackMembers(tx, changed);
  await insertItems(tx, made, context);
  await updateItems(tx, changed, context);
  await passPlacesDown(tx, plan, known);
  await moveMacs(tx, [...made, ...changed], { ids, known });
  await addComments(tx, [...made, ...changed], ids);
  return plan.verdicts.map((verdict, at) => {
    const draft = plan.drafts[at];
    return { ...verdict, ics_id: (draft && labels.get(draft)) ?? verdict.ics_id };
  });
}

interface PlanContext {
  /** The keys of new items, by their placeholders. */
  ids: Map<number, number>;
  labels: Map<Draft, string>;
  places: Map<number, InheritedPlace>;
}

function icsIdsFor(made: Draft[], free: string[]): Map<Draft, string> {
  const temporary = free.values();
  return new Map(made.map((draft) => [draft, draft.label ?? temporary.next().value ?? ""]));
}

/** Clears stack members that other rows take, so that two items can swap places. */
async function clearStackMembers(tx: Transaction, changed: Draft[]): Promise<void> {
  const mode = new Set(changed.flatMap(stackPlace));
  const leaving = changed.filter(({ existing, ...draft }) =>
    existing
      ? stackPlace(existing).some((place) => mode.has(place) && !stackPlace(draft).includes(place))
      : false,
  );
  if (leaving.length === 0) return;
  await tx
    .update(items)
    .set({ stack_member: null })
    .where(sql`${items.id} in ${keySubquery(leaving.map(({ id }) => id))}`);
}

const COLUMNS = [
  ...STORED.map(({ column }) => column),
  "location_id",
  "status_id",
  "parent_id",
  "host_id",
  "stack_member",
];
const names = sql.join(
  COLUMNS.map((column) => sql.identifier(column)),
  sql`, `,
);

async function insertItems(tx: Transaction, made: Draft[], context: PlanContext): Promise<void> {
  if (made.length === 0) return;
  const rows = JSON.stringify(made.map((draft) => rowOf(draft, context)));
  await tx.execute(sql`
    insert into items (id, ics_id, ${names})
    select id, ics_id, ${names} from jsonb_populate_recordset(null::items, ${rows}::text::jsonb)`);
}

async function updateItems(tx: Transaction, changed: Draft[], context: PlanContext): Promise<void> {
  if (changed.length === 0) return;
  const rows = JSON.stringify(changed.map((draft) => rowOf(draft, context)));
  const sets = COLUMNS.map(
    (column) => sql`${sql.identifier(column)} = now.${sql.identifier(column)}`,
  );
  await tx.execute(sql`
    update items set ${sql.join(sets, sql`, `)}
    from jsonb_populate_recordset(null::items, ${rows}::text::jsonb) now where items.id = now.id`);
}

function rowOf(draft: Draft, { ids, labels, places }: PlanContext) {
  const { parent_id } = draft;
  return {
    id: ids.get(draft.id) ?? draft.id,
    ics_id: labels.get(draft) ?? draft.label,
    ...draft.stored,
    ...places.get(draft.id),
    parent_id: parent_id === null ? null : (ids.get(parent_id) ?? parent_id),
    host_id: draft.host_id,
    stack_member: draft.stack_member,
  };
}

/** Passes places on to the items inside that have no row of their own. */
async function passPlacesDown(
  tx: Transaction,
  plan: ItemPlan,
  known: ExistingRecords,
): Promise<void> {
  const own = new Set(plan.drafts.filter((draft) => !hasErrors(draft)).map(({ id }) => id));
  const inherited = [...known.around.values()].flatMap((was) => {
    const now = plan.places.get(was.id);
    const isSame = now?.location_id === was.location_id && now?.status_id === was.status_id;
    return own.has(was.id) || isSame ? [] : [{ id: was.id, ...now }];
  });
  if (inherited.length === 0) return;
  await tx.execute(sql`
    update items set location_id = now.location_id, status_id = now.status_id
    from jsonb_populate_recordset(null::items, ${JSON.stringify(inherited)}::text::jsonb) now
    where items.id = now.id`);
}

interface MacContext {
  ids: Map<number, number>;
  known: ExistingRecords;
}

/** MAC addresses that are taken off an item stay registered. */
async function moveMacs(
  tx: Transaction,
  drafts: Draft[],
  { ids, known }: MacContext,
): Promise<void> {
  const removed = drafts.flatMap(({ existing, macs }) =>
    (existing?.macs ?? []).filter((address) => !macs.includes(address)),
  );
  const added = drafts.flatMap(({ id, existing, macs }) =>
    macs
      .filter((address) => !existing?.macs.includes(address))
      .map((address) => ({ address, item_id: ids.get(id) ?? id })),
  );
  const taken = new Set(added.map(({ address }) => address));
  const moved = [
    ...removed
      .filter((address) => !taken.has(address))
      .map((address) => ({ address, item_id: null })),
    ...added.filter(({ address }) => known.macs.has(address)),
  ];
  const made = added.filter(({ address }) => !known.macs.has(address));
  for (const rows of batchesOf(moved)) {
    await tx.execute(sql`
      update macs set item_id = now.item_id
      from jsonb_populate_recordset(null::macs, ${rows}::text::jsonb) now
      where macs.address = now.address`);
  }
  for (const rows of batchesOf(made)) {
    await tx.execute(sql`
      insert into macs (address, item_id)
      select address, item_id from jsonb_populate_recordset(null::macs, ${rows}::text::jsonb)`);
  }
}

async function addComments(
  tx: Transaction,
  drafts: Draft[],
  ids: Map<number, number>,
): Promise<void> {
  const added = drafts.flatMap(({ id, comments }) =>
    comments.map((body) => ({ item_id: ids.get(id) ?? id, body })),
  );
  for (const rows of batchesOf(added)) {
    await tx.execute(sql`
      insert into comments (item_id, body)
      select item_id, body from jsonb_populate_recordset(null::comments, ${rows}::text::jsonb)`);
  }
}

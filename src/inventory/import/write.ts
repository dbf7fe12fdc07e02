// What an import has decided, written in as few statements as there are kinds of things to write.
import { sql } from "drizzle-orm";
import type { Transaction } from "../../store/write.ts";
import { awaitTemporary } from "../items/ics_ids.ts";
import { lockTree } from "../items/tree.ts";
import type { Draft } from "./drafts.ts";
import {
  addressesOf,
  type Known,
  keys,
  labelsOf,
  texts,
  wantsTemporary,
} from "./existing_records.ts";
import type { Plan, Verdict } from "./plan.ts";
import { isRefused, placesInStack } from "./row_dependencies.ts";
import { type Entry, PLAIN } from "./rows.ts";
import type { Location } from "./tree.ts";

/** The turns first, then the rows in one order: so nobody waits in a circle. */
export async function hold(tx: Transaction, entries: Entry[]): Promise<void> {
  await lockTree(tx);
  if (entries.some(wantsTemporary)) await awaitTemporary(tx);
  const labels = texts(labelsOf(entries));
  await tx.execute(
    sql`select 1 from items where ics_id in ${labels} order by id for no key update`,
  );
  const addresses = texts(new Set(entries.flatMap(addressesOf)));
  await tx.execute(sql`
    select 1 from macs
    where address in (select address::macaddr from ${addresses} as rows (address))
      or item_id in (select id from items where ics_id in ${labels})
    order by address for no key update`);
}

/** Gives the verdicts with the ids that what is new has got. */
export async function carryOut(tx: Transaction, plan: Plan, known: Known): Promise<Verdict[]> {
  const kinds = new Map(plan.verdicts.map(({ verdict }, at) => [plan.drafts[at], verdict]));
  const made = plan.drafts.filter((draft) => kinds.get(draft) === "new");
  const changed = plan.drafts.filter((draft) => kinds.get(draft) === "change");
  const ids = await newIds(tx, made);
  const labels = labelled(made, known.free);
  const writing = { ids, labels, places: plan.places };
  await leaveStacks(tx, changed);
  await insertItems(tx, made, writing);
  await updateItems(tx, changed, writing);
  await carryDown(tx, plan, known);
  await moveMacs(tx, [...made, ...changed], { ids, known });
  await addComments(tx, [...made, ...changed], ids);
  return plan.verdicts.map((verdict, at) => {
    const draft = plan.drafts[at];
    return { ...verdict, ics_id: (draft && labels.get(draft)) ?? verdict.ics_id };
  });
}

interface Writing {
  /** The keys of what is new, by what stood for them. */
  ids: Map<number, number>;
  labels: Map<Draft, string>;
  places: Map<number, Location>;
}

/** In the order of the rows, which is the order in which a list shows what was made at once. */
async function newIds(tx: Transaction, made: Draft[]): Promise<Map<number, number>> {
  if (made.length === 0) return new Map();
  const rows = await tx.execute<{ id: number }>(sql`
    select nextval(pg_get_serial_sequence('items', 'id'))::int as id
    from generate_series(1, ${made.length}::int) order by 1`);
  return new Map(made.map(({ id }, at) => [id, rows[at]?.id ?? 0]));
}

function labelled(made: Draft[], free: string[]): Map<Draft, string> {
  const temporary = free.values();
  return new Map(made.map((draft) => [draft, draft.label ?? temporary.next().value ?? ""]));
}

/** Two who change places would each find the other's taken. */
async function leaveStacks(tx: Transaction, changed: Draft[]): Promise<void> {
  const wanted = new Set(changed.flatMap(placesInStack));
  const leaving = changed.filter(({ kept, ...draft }) =>
    kept
      ? placesInStack(kept).some(
          (place) => wanted.has(place) && !placesInStack(draft).includes(place),
        )
      : false,
  );
  if (leaving.length === 0) return;
  await tx.execute(sql`
    update items set stack_member = null where id in ${keys(leaving.map(({ id }) => id))}`);
}

const COLUMNS = [
  ...PLAIN,
  "manufacturer_id",
  "model_id",
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

async function insertItems(tx: Transaction, made: Draft[], writing: Writing): Promise<void> {
  if (made.length === 0) return;
  const rows = JSON.stringify(made.map((draft) => rowOf(draft, writing)));
  await tx.execute(sql`
    insert into items (id, ics_id, ${names})
    select id, ics_id, ${names} from jsonb_populate_recordset(null::items, ${rows}::text::jsonb)`);
}

async function updateItems(tx: Transaction, changed: Draft[], writing: Writing): Promise<void> {
  if (changed.length === 0) return;
  const rows = JSON.stringify(changed.map((draft) => rowOf(draft, writing)));
  const sets = COLUMNS.map(
    (column) => sql`${sql.identifier(column)} = now.${sql.identifier(column)}`,
  );
  await tx.execute(sql`
    update items set ${sql.join(sets, sql`, `)}
    from jsonb_populate_recordset(null::items, ${rows}::text::jsonb) now where items.id = now.id`);
}

function rowOf(draft: Draft, { ids, labels, places }: Writing) {
  const { parent_id } = draft;
  return {
    id: ids.get(draft.id) ?? draft.id,
    ics_id: labels.get(draft) ?? draft.label,
    ...draft.plain,
    manufacturer_id: draft.manufacturer_id,
    model_id: draft.model_id,
    ...places.get(draft.id),
    parent_id: parent_id === null ? null : (ids.get(parent_id) ?? parent_id),
    host_id: draft.host_id,
    stack_member: draft.stack_member,
  };
}

/** To what stands inside and has no row of its own. */
async function carryDown(tx: Transaction, plan: Plan, known: Known): Promise<void> {
  const own = new Set(plan.drafts.filter((draft) => !isRefused(draft)).map(({ id }) => id));
  const carried = [...known.around.values()].flatMap((was) => {
    const now = plan.places.get(was.id);
    const isSame = now?.location_id === was.location_id && now?.status_id === was.status_id;
    return own.has(was.id) || isSame ? [] : [{ id: was.id, ...now }];
  });
  if (carried.length === 0) return;
  await tx.execute(sql`
    update items set location_id = now.location_id, status_id = now.status_id
    from jsonb_populate_recordset(null::items, ${JSON.stringify(carried)}::text::jsonb) now
    where items.id = now.id`);
}

interface Addressing {
  ids: Map<number, number>;
  known: Known;
}

/** Those that an item has no longer stay registered. */
async function moveMacs(
  tx: Transaction,
  drafts: Draft[],
  { ids, known }: Addressing,
): Promise<void> {
  const gone = drafts.flatMap(({ kept, macs }) =>
    (kept?.macs ?? []).filter((address) => !macs.includes(address)),
  );
  const come = drafts.flatMap(({ id, kept, macs }) =>
    macs
      .filter((address) => !kept?.macs.includes(address))
      .map((address) => ({ address, item_id: ids.get(id) ?? id })),
  );
  const taken = new Set(come.map(({ address }) => address));
  const moved = [
    ...gone.filter((address) => !taken.has(address)).map((address) => ({ address, item_id: null })),
    ...come.filter(({ address }) => known.macs.has(address)),
  ];
  const made = come.filter(({ address }) => !known.macs.has(address));
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
  const said = drafts.flatMap(({ id, comments }) =>
    comments.map((body) => ({ item_id: ids.get(id) ?? id, body })),
  );
  for (const rows of batchesOf(said)) {
    await tx.execute(sql`
      insert into comments (item_id, body)
      select item_id, body from jsonb_populate_recordset(null::comments, ${rows}::text::jsonb)`);
  }
}

/** Characters of JSON that are written by one statement, and those of the row with which they become so many. */
const BATCH = 1024 * 1024;

/** JSON arrays of the rows: all of them in one text would keep others waiting while it is made. */
function* batchesOf(rows: object[]): Generator<string> {
  let batch: string[] = [];
  let length = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    batch.push(json);
    length += json.length;
    if (length < BATCH) continue;
    yield `[${batch.join()}]`;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield `[${batch.join()}]`;
}

// Applies the rows of the scan desk as one change set, so that one undo reverts them all.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { type FieldError, invalid, type Refusal, refuse } from "../../input/errors.ts";
import * as crud from "../../store/crud.ts";
import type { Read } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { inSavepoint } from "../../store/savepoint.ts";
import { changeSetOf, type Transaction, writeMany } from "../../store/write.ts";
import { item } from "../items/item.ts";
import * as items from "../items/items.ts";
import { type LeavingItem, leavingParents, locationIn, lockTree } from "../items/tree.ts";
import { type Desk, errorOf, type GivenValues, type ScanRow, verdictOf } from "./scan_desk.ts";

interface ScanResult {
  change_set: number;
  /** The keys of the rows that were not applied. */
  left: string[];
}

/** With "good" the valid rows are applied; with "all" either all rows or none. Errors are returned by row. */
export async function apply(
  caller: Caller,
  { rows, keepsParents }: Pick<Desk, "rows" | "keepsParents">,
  wanted: "all" | "good",
): Promise<ScanResult> {
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const leaving = keepsParents ? [] : await leavingIn(rows, tx.execute);
    const made = new Map<string, string>();
    const errors: FieldError[] = [];
    let count = 0;
    for (const row of rows.filter((one) => verdictOf(one) !== "nothing")) {
      const work = () => applyRow(tx, caller, { row, made, leaving });
      const message = errorOf(row) ?? sentenceOf(await inSavepoint(tx, caller, work));
      if (message) errors.push({ field: row.key, message });
      else count += 1;
    }
    if (errors.length > 0 && (wanted === "all" || count === 0)) throw refuse(errors);
    if (count === 0) throw invalid("scans", NOTHING_TO_APPLY);
    return { change_set: await changeSetOf(tx), left: errors.map(({ field }) => field) };
  });
}

export const NOTHING_TO_APPLY = "Nothing to apply yet";

/** How many items, not on the list themselves, would move along inside those that it changes. */
export async function countInside(rows: ScanRow[]): Promise<number> {
  const placeOf = ({ parent, location, status }: GivenValues): GivenValues => {
    const holder = rows.find(({ key, is }) => key === parent && is === "new");
    const { location: there, status: then } = holder?.given ?? {};
    return { parent, location: location ?? there, status: status ?? then };
  };
  const changed = rows.flatMap((row) =>
    row.is === "found" && verdictOf(row) === "change"
      ? [{ id: row.item.id, ...placeOf(row.given) }]
      : [],
  );
  const found = await database.row<{ count: number }>(sql`
    with recursive given as (
      select one.id, parent.id is not null or location is not null as is_located,
        coalesce((select locations.id from locations where name = location), parent.location_id) as location_id,
        parent.id is not null or status is not null as has_status,
        coalesce((select statuses.id from statuses where name = status), parent.status_id) as status_id
      from json_to_recordset(${JSON.stringify(changed)}::text::json)
          as one (id integer, location text, status text, parent text)
        left join items parent on parent.ics_id = one.parent
    ), inside as (
      select given.*, id as item_id from given
      union select inside.id, is_located, inside.location_id, has_status, inside.status_id, items.id
      from inside join items on items.parent_id = item_id
    )
    select count(distinct items.id)::int as count from inside join items on items.id = item_id
    where items.id not in (select id from given)
      and (is_located and items.location_id is distinct from inside.location_id
        or has_status and items.status_id is distinct from inside.status_id)`);
  return found?.count ?? 0;
}

/** The items whose rows move them away from their parents without giving them other ones. */
export async function leavingIn(rows: ScanRow[], read: Read = database.rows) {
  const moved = rows.flatMap((row) => {
    const { location } = row.given;
    const isMove = row.is === "found" && !row.error && location;
    return isMove ? [{ id: row.item.id, location }] : [];
  });
  const groups = Map.groupBy(moved, ({ location }) => location);
  const found = Array.from(groups, ([name, those]) => {
    const keys = those.map(({ id }) => id);
    return leavingParents(read, keys, sql`(select id from locations where name = ${name})`);
  });
  const withParent = new Set(rows.flatMap(({ key, given }) => (given.parent ? [key] : [])));
  return (await Promise.all(found)).flat().filter(({ ics_id }) => !withParent.has(ics_id));
}

export interface ScanOutcome {
  registered: number;
  changed: number;
  /** The items, unless they were deleted since. */
  ics_ids: string[];
}

/** What a change set of the caller did to items; undefined if it changed none. */
export async function outcome(
  caller: Caller,
  change_set: number,
): Promise<ScanOutcome | undefined> {
  const found = await database.row<ScanOutcome>(sql`
    select count(distinct row_id) filter (where action = 'insert')::int as registered,
      (count(distinct row_id) - count(distinct row_id) filter (where action = 'insert'))::int as changed,
      coalesce(array_agg(distinct items.ics_id::text) filter (where items.id is not null), '{}') as ics_ids
    from changes left join items on items.id = row_id
    where change_set = ${change_set} and changes.user_id = ${caller.id} and table_name = 'items'`);
  return found && found.registered + found.changed > 0 ? found : undefined;
}

function sentenceOf(refusal: Refusal | undefined): string | undefined {
  return refusal && (refusal.errors[0]?.message ?? refusal.message);
}

interface RowContext {
  row: ScanRow;
  /** The ICS ids of the items that this change set registers, by row key. */
  made: Map<string, string>;
  leaving: LeavingItem[];
}

async function applyRow(tx: Transaction, caller: Caller, context: RowContext): Promise<void> {
  const { row, made, leaving } = context;
  const { parent: parentKey, ...names } = row.given;
  const parent = parentKey && (made.get(parentKey) ?? parentKey);
  if (row.is === "new") {
    const { ics_id, serial_number = "" } = row;
    const place = parent ? await locationIn(tx, caller, parent) : undefined;
    const entered = { ...names, ics_id, serial_number, parent_id: place?.parent_id };
    made.set(row.key, (await items.add(tx, caller, entered)).ics_id);
  }
  if (row.is === "found") {
    const which = String(row.item.id);
    // It may have moved along with another row.
    const present = records.rowOf(await crud.find(item, caller, row.item.id, { tx }));
    if (verdictOf({ ...row, item: present }) === "nothing") return;
    const leaves = leaving.some(({ ics_id }) => ics_id === row.key);
    const place = { ...names, parent: leaves ? null : parent };
    await items.change(tx, caller, { which, ...place, ics_id: row.label });
  }
}

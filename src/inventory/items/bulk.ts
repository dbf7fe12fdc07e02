// The same change for many items in one write, so that one undo reverts it. Items inside them move along, as they
// do for a single item.

import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { comments, items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid, refuse } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { closed, paragraph } from "../../input/shape.ts";
import { requireSelection, VALUE_AND_CLEAR } from "../../store/bulk.ts";
import { columnsIn } from "../../store/crud.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Transaction, writeMany } from "../../store/write.ts";
import { item } from "./item.ts";
import { newItem } from "./items.ts";
import { lockTree, setPlace } from "./tree.ts";

const { location, status } = newItem.properties;

/** Blank fields stay as they are, unless they are cleared. */
export const bulkChange = closed({
  location,
  status,
  clear: Type.Optional(
    Type.Array(Type.Union([Type.Literal("location"), Type.Literal("status")]), {
      maxItems: 2,
      description: "Use location and status",
    }),
  ),
  comment: Type.Optional(Type.Union([paragraph(10_000), Type.Null()])),
});
type BulkChange = Static<typeof bulkChange>;

/** Items by key, or all that the parameters of a list select. */
export type ItemSelection = { keys: number[] } | { params: URLSearchParams };

export interface ItemBulkOutcome {
  change_set: number;
  /** How many of the selected items still exist. */
  chosen: number;
  /** How many of the chosen change. */
  changed: number;
  /** How many change because they are inside a selected item. */
  inside: number;
  commented: number;
  /** The first changed items, with their old and new values. */
  examples: BulkExample[];
}

export interface BulkExample {
  ics_id: string;
  location: string | null;
  new_location: string | null;
  status: string | null;
  new_status: string | null;
}

export const MOST_ITEMS_AT_ONCE = 10_000;
const MOST_EXAMPLES = 50;
/** Parameters that change how a list is displayed, but not what it selects. */
const DISPLAY = ["page", "per_page", "cols", "selected"];

export async function selectedKeys(caller: Caller, chosen: ItemSelection): Promise<number[]> {
  const keys =
    "keys" in chosen ? chosen.keys : await records.keys(recordQuery(item, caller), filters(chosen));
  requireSelection(item, keys, MOST_ITEMS_AT_ONCE, "items");
  return keys;
}

/** In a dry run it returns the same outcome and changes nothing. */
export async function change(
  caller: Caller,
  keys: number[],
  input: BulkChange,
): Promise<ItemBulkOutcome> {
  const { comment } = input;
  const names = placeNames(input);
  if (Object.keys(names).length === 0 && comment == null) {
    throw invalid("location", "Fill in at least one: location, status or comment");
  }
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const existing = await lockExisting(tx, keys);
    await setPlace(tx, existing, await columnsIn(tx, caller, item, names));
    if (comment) await addComments(tx, existing, comment);
    return {
      ...(await outcome(tx, existing)),
      chosen: existing.length,
      commented: comment ? existing.length : 0,
    };
  });
}

/** The new location and status; null if they are cleared. */
function placeNames({ clear = [], ...input }: BulkChange): Record<string, string | null> {
  const both = clear.filter((field) => input[field] != null);
  if (both.length > 0) throw refuse(both.map((field) => ({ field, message: VALUE_AND_CLEAR })));
  return {
    ...(input.location != null && { location: input.location }),
    ...(input.status != null && { status: input.status }),
    ...Object.fromEntries(clear.map((field) => [field, null])),
  };
}

function filters({ params }: { params: URLSearchParams }): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => !DISPLAY.includes(name)));
}

/** Locks the items in key order, so that concurrent changes of the same items do not deadlock. */
async function lockExisting(tx: Transaction, keys: number[]): Promise<number[]> {
  const rows = await tx
    .select({ id: items.id })
    .from(items)
    .where(sql`${items.id} = any(${integers(keys)})`)
    .orderBy(items.id)
    .for("no key update");
  return rows.map(({ id }) => id);
}

async function addComments(tx: Transaction, keys: number[], body: string): Promise<void> {
  await tx.execute(sql`
    insert into ${comments} (item_id, body) select id, ${body} from unnest(${integers(keys)}) id`);
}

/** The outcome of the write, from the history that its triggers have recorded. */
async function outcome(
  tx: Transaction,
  keys: number[],
): Promise<Omit<ItemBulkOutcome, "chosen" | "commented">> {
  // In SQL: it compares JSON states of the history.
  const [row] = await tx.execute<{ json: string }>(sql`
    with done as (
      select row_id, before, after, row_id = any(${integers(keys)}) as is_chosen from changes
      where change_set = current_setting('app.change_set')::bigint and table_name = 'items'
    )
    select json_build_object(
      'change_set', current_setting('app.change_set')::bigint,
      'changed', count(*) filter (where is_chosen),
      'inside', count(*) filter (where not is_chosen),
      'examples', (
        select coalesce(json_agg(one), '[]') from (
          select after ->> 'ics_id' as ics_id, was.name as location, now.name as new_location,
            before_status.name as status, after_status.name as new_status
          from done
            left join locations was on was.id = (before ->> 'location_id')::integer
            left join locations now on now.id = (after ->> 'location_id')::integer
            left join statuses before_status on before_status.id = (before ->> 'status_id')::integer
            left join statuses after_status on after_status.id = (after ->> 'status_id')::integer
          order by is_chosen desc, after ->> 'ics_id' limit ${MOST_EXAMPLES}
        ) one)
    )::text as json from done`);
  return JSON.parse(row?.json ?? "{}");
}

// The same change for many items at once: one write, so that one undo takes it back. What stands inside of
// them follows, as it does for one.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { comments, items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { closed, paragraph } from "../../input/shape.ts";
import { columnsIn } from "../../store/crud.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Transaction, writeMany } from "../../store/write.ts";
import { item } from "./item.ts";
import { newItem } from "./items.ts";
import { lockTree, setPlace } from "./tree.ts";

const { location, status } = newItem.properties;

/** What is left blank stays as it is. */
export const bulkChange = closed({
  location,
  status,
  comment: Type.Optional(Type.Union([paragraph(10_000), Type.Null()])),
});
export type BulkChange = Static<typeof bulkChange>;

/** Items by their keys, or all that a list's parameters find. */
export type Chosen = { keys: number[] } | { params: URLSearchParams };

export interface Outcome {
  change_set: number;
  /** How many were chosen and are still there. */
  chosen: number;
  /** How many of the chosen change. */
  changed: number;
  /** How many change because they are inside of one that was chosen. */
  inside: number;
  commented: number;
  /** The first that change, with what was and what will be. */
  examples: Example[];
}

export interface Example {
  ics_id: string;
  location: string | null;
  new_location: string | null;
  status: string | null;
  new_status: string | null;
}

export const MOST = 10_000;
const MOST_EXAMPLES = 50;
/** What says how a list is shown, not what is in it. */
const DISPLAY = ["page", "per_page", "cols", "selected"];

export async function keysOfChosen(caller: Caller, chosen: Chosen): Promise<number[]> {
  const keys =
    "keys" in chosen ? chosen.keys : await records.keys(recordQuery(item, caller), filters(chosen));
  if (keys.length === 0) throw invalid("items", "Choose at least one item");
  if (keys.length > MOST) {
    throw invalid("items", `Change at most ${MOST.toLocaleString("en")} items at once`);
  }
  return keys;
}

/** With the wish for a dry run it tells exactly what it would do, and does nothing. */
export async function change(caller: Caller, keys: number[], input: BulkChange): Promise<Outcome> {
  const { location: place, status: state, comment } = input;
  if (place == null && state == null && comment == null) {
    throw invalid("location", "Fill in at least one: location, status or comment");
  }
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const here = await present(tx, keys);
    const names = { ...(place && { location: place }), ...(state && { status: state }) };
    await setPlace(tx, here, await columnsIn(tx, item, names));
    if (comment) await say(tx, here, comment);
    return {
      ...(await outcome(tx, here)),
      chosen: here.length,
      commented: comment ? here.length : 0,
    };
  });
}

function filters({ params }: { params: URLSearchParams }): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => !DISPLAY.includes(name)));
}

/** Locked, in one order, so that two who change the same items wait for each other. */
async function present(tx: Transaction, keys: number[]): Promise<number[]> {
  const rows = await tx.execute<{ id: number }>(
    sql`select id from ${items} where id = any(${integers(keys)}) order by id for no key update`,
  );
  return rows.map(({ id }) => id);
}

async function say(tx: Transaction, keys: number[], body: string): Promise<void> {
  await tx.execute(sql`
    insert into ${comments} (item_id, body) select id, ${body} from unnest(${integers(keys)}) id`);
}

/** What the write has done so far, from what its triggers wrote down. */
async function outcome(
  tx: Transaction,
  keys: number[],
): Promise<Omit<Outcome, "chosen" | "commented">> {
  const [told] = await tx.execute<{ json: string }>(sql`
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
  return JSON.parse(told?.json ?? "{}");
}

// The same change for many items in one write, so that one undo reverts it. Items inside them move along, as they
// do for a single item.

import { Type } from "@sinclair/typebox";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { closed, paragraph, TRUE_OR_FALSE } from "../../input/shape.ts";
import {
  clearable,
  type FieldValues,
  isClearable,
  type ListChange,
  listShapes,
  readBulkInput,
  requireSelection,
  sharedFields,
} from "../../store/bulk.ts";
import { columnsIn } from "../../store/crud.ts";
import { type Field, MOST_TAGS, tag } from "../../store/fields.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { SITE_FIELD, withParts } from "../../store/site/definitions.ts";
import { type Transaction, writeMany } from "../../store/write.ts";
import * as comments from "../comments/comments.ts";
import { item } from "./item.ts";
import { changeAlike } from "./items.ts";
import { type LeavingItem, leavingParents, lockTree, setPlace } from "./tree.ts";

// Another parent is a rule about each item: the scan desk moves many into one.
const { parent, ...fields } = sharedFields(item).properties;
const lists = listShapes(item);
const CLEARABLE = clearable(item).filter((name) => name in fields || name === "tags");

export function mayClear(name: string): boolean {
  return CLEARABLE.includes(name) || (isClearable(item, name) && name.includes("."));
}

/** Blank fields stay as they are, unless they are cleared. */
export const bulkChange = closed({
  ...fields,
  ...lists,
  clear: Type.Optional(
    Type.Array(
      Type.Union([
        ...CLEARABLE.map((name) => Type.Literal(name)),
        Type.String({ pattern: "^site\\.[a-z0-9_]{1,40}$" }),
      ]),
      { maxItems: 100, description: `Use ${CLEARABLE.join(", ")}, or a field of the site` },
    ),
  ),
  comment: Type.Optional(Type.Union([paragraph(10_000), Type.Null()])),
  /** Items that move away from their parents are taken out of them. */
  leave_parent: Type.Optional(TRUE_OR_FALSE),
});
type BulkChange = FieldValues & {
  clear?: string[];
  comment?: string | null;
  leave_parent?: boolean;
};

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
  /** The chosen items that move away from the place of their parents. */
  leaving: LeavingItem[];
  /** The first changed items, with their old and new values. */
  examples: BulkExample[];
}

/** How many of the chosen items change or get a comment. */
export function itemsIn({ changed, commented }: Pick<ItemBulkOutcome, "changed" | "commented">) {
  return Math.max(changed, commented);
}

export interface BulkExample {
  ics_id: string;
  was: Record<string, string | null>;
  now: Record<string, string | null>;
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
  const { comment, leave_parent: leaves = false, ...fields } = input;
  const { set: values, lists } = readBulkInput(item, fields);
  const changed = Object.keys(withParts(values)).filter((name) => name !== SITE_FIELD);
  const names = [...changed, ...lists.map(([name]) => name)];
  if (names.length === 0 && comment == null) {
    throw invalid("location", "Fill in at least one field");
  }
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const existing = await lockExisting(tx, keys);
    const columns = await columnsIn(tx, caller, item, values);
    const { location_id: to } = columns;
    const leaving = to === undefined ? [] : await leavingParents(tx.execute, existing, to);
    // Together with the place, so that an item has one entry in the history.
    const left = leaves ? leaving.map(({ id }) => id) : [];
    await changeAlike(tx, left, { ...columns, parent_id: null });
    await changeAlike(tx, await withOther(tx, existing, columns), columns);
    await setPlace(tx, existing, columns);
    for (const [, by] of lists) await changeTags(tx, existing, by);
    if (comment) await comments.add(tx, existing, { body: comment });
    return {
      leaving,
      ...(await outcome(tx, existing, names)),
      chosen: existing.length,
      commented: comment ? existing.length : 0,
    };
  });
}

async function changeTags(
  tx: Transaction,
  keys: number[],
  { add, remove, replaces }: ListChange,
): Promise<void> {
  const [added, gone] = [add, remove].map((tags) => sql`${sql.param(tags.map(tag))}::text[]`);
  const wanted = sql`
    select id, ics_id, array(
      select distinct tag from unnest(tags || ${added}) tag
      where tag = any(${added}) or not ${replaces}::boolean and tag <> all(${gone}) order by tag) as tags
    from items where id = any(${integers(keys)})`;
  const [full] = await tx.execute<{ ics_id: string }>(sql`
    select ics_id from (${wanted}) wanted where cardinality(tags) > ${MOST_TAGS} order by ics_id limit 1`);
  if (full) throw invalid("tags__add", `${full.ics_id}: Use at most ${MOST_TAGS} tags`);
  await tx.execute(sql`
    update items set tags = wanted.tags from (${wanted}) wanted
    where items.id = wanted.id and items.tags <> wanted.tags`);
}

/** Those that do not have these values already. */
async function withOther(tx: Transaction, keys: number[], values: FieldValues): Promise<number[]> {
  const columns: Record<string, PgColumn> = getTableColumns(items);
  const differs = Object.entries(values).map(([name, value]) => {
    const column = columns[name];
    // What changes is merged into the other values.
    if (name === SITE_FIELD)
      return sql`${column} is distinct from jsonb_strip_nulls(${column} || (${value} -> ''))`;
    return sql`${column} is distinct from ${sql.param(value, column)}`;
  });
  if (differs.length === 0) return [];
  const found = await tx.execute<{ id: number }>(sql`
    select id from items where id = any(${integers(keys)}) and (${sql.join(differs, sql` or `)})`);
  return found.map(({ id }) => id);
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

/** The outcome of the write, from the history that its triggers have recorded. */
async function outcome(
  tx: Transaction,
  keys: number[],
  names: string[],
): Promise<Omit<ItemBulkOutcome, "chosen" | "commented" | "leaving">> {
  // In SQL: it compares JSON states of the history.
  const [row] = await tx.execute<{ json: string }>(sql`
    with done as (
      select before, after, row_id = any(${integers(keys)}) as is_chosen from changes
      where change_set = current_setting('app.change_set')::bigint and table_name = 'items'
    )
    select json_build_object(
      'change_set', current_setting('app.change_set')::bigint,
      'changed', count(*) filter (where is_chosen),
      'inside', count(*) filter (where not is_chosen),
      'examples', (
        select coalesce(json_agg(one), '[]') from (
          select after ->> 'ics_id' as ics_id,
            ${valuesOf(names, sql`before`)} as was, ${valuesOf(names, sql`after`)} as now
          from done order by is_chosen desc, after ->> 'ics_id' limit ${MOST_EXAMPLES}
        ) one)
    )::text as json from done`);
  return JSON.parse(row?.json ?? "{}");
}

/** Fields of a recorded state, as texts: of other records their names, unless these may be hidden. */
function valuesOf(names: string[], state: SQL): SQL {
  const described: Record<string, Field> = item.fields;
  const shownNames = names.filter((name) => !described[name]?.refersTo?.isHidden);
  const pairs = shownNames.map((name) => {
    const { column, refersTo } = described[name] ?? {};
    if (name.startsWith(`${SITE_FIELD}.`)) {
      return sql`${name}::text, ${state} -> 'site' ->> ${name.slice(SITE_FIELD.length + 1)}::text`;
    }
    const value =
      name === "tags"
        ? sql`(select string_agg(tag, ', ') from jsonb_array_elements_text(${state} -> 'tags') tag)`
        : sql`${state} ->> ${column?.(name) ?? name}::text`;
    const shown = refersTo
      ? sql`(select ${sql.identifier(refersTo.name)} from ${sql.identifier(refersTo.table)} where id = (${value})::integer)`
      : value;
    return sql`${name}::text, ${shown}`;
  });
  return sql`json_build_object(${sql.join(pairs, sql`, `)})`;
}

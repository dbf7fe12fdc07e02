// Changes many records of one resource alike, or deletes those that are not in use, in one write. The description of
// the resource decides which fields can be changed.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, QueryRejected, translate } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { forbidden, invalid, Refusal, refuse } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { KIND_RULES } from "../input/kinds.ts";
import { MOST_RECORDS_AT_ONCE } from "../input/limits.ts";
import { closed, compiled, REFERS_TO, readInput, SITE_PARTS } from "../input/shape.ts";
import { formatNumber } from "../input/text.ts";
import { refusalFor } from "./constraints.ts";
import * as crud from "./crud.ts";
import { inUse } from "./in_use.ts";
import { rowOf } from "./records.ts";
import { changeFields, type Resource, recordQuery } from "./resource.ts";
import { judge } from "./rules.ts";
import { SITE_FIELD, withParts } from "./site/definitions.ts";
import { type Texts, textsIn } from "./versions.ts";
import { changeSetOf, type Transaction, writeMany } from "./write.ts";

export type FieldValues = Record<string, unknown>;

/** How one record is changed and deleted as part of a larger write. */
export interface BulkArea {
  resource: Resource;
  change: (tx: Transaction, caller: Caller, id: number, input: FieldValues) => Promise<unknown>;
  remove?: (tx: Transaction, caller: Caller, id: number) => Promise<unknown>;
  /** The fields with lists of names, to which names are added and from which they are removed. */
  lists?: Record<string, BulkList>;
}

export interface BulkList {
  /** Refuses unknown names, once for all records. */
  check: (tx: Transaction, caller: Caller, names: string[]) => Promise<void>;
  /** Part of a larger write; true if the record changes. */
  change: (tx: Transaction, caller: Caller, id: number, by: ListChange) => Promise<boolean>;
}

export interface ListChange {
  add: string[];
  remove: string[];
  /** Removes all names but those that are added. */
  replaces: boolean;
}

/** For resources without further rules. */
export function standardBulk(resource: Resource): BulkArea {
  return {
    resource,
    change: (tx, caller, id, input) => crud.change(tx, caller, { resource, id }, input),
    remove: (tx, caller, id) => crud.removeIn(tx, caller, { resource, id }),
  };
}

export interface SelectedRecord {
  id: number;
  name: string;
  /** As the caller sees it. */
  version: number;
}

export interface BulkOutcome {
  change_set: number;
  /** How many records change, or are deleted. */
  changed: number;
  /** The first ones that change, with the old and the new values. */
  examples: Array<{ name: string; was: Texts; now: Texts }>;
  /** Records that are not deleted, and why. */
  notDeleted: Array<{ id: number; name: string; reason: string }>;
}

const MOST_EXAMPLES = 20;
const VALUE_AND_CLEAR = "Enter a value or clear it, not both";

/** The fields that can have one value in many records, each optional: all but the name and lists. */
export function sharedFields(resource: Resource): TObject {
  const taken = sharedSchemas(resource).flatMap(([name, schema]) =>
    ["array", "object"].includes(schema.type) && !schema[SITE_PARTS]
      ? []
      : [[name, Type.Optional(schema[SITE_PARTS] ? schema : blankAllowed(schema))] as const],
  );
  return closed(Object.fromEntries(taken));
}

function sharedSchemas(resource: Resource): Array<[name: string, schema: TSchema]> {
  const { key, fields } = resource;
  return Object.entries<TSchema>(changeFields(resource)).filter(
    ([name]) => name !== key && !fields[name]?.individual,
  );
}

/** The fields with lists that many records may have in common. */
export function sharedLists(resource: Resource): Array<[name: string, schema: TSchema]> {
  return sharedSchemas(resource).filter(([, { type }]) => type === "array");
}

/** A blank input means no change. */
function blankAllowed(schema: TSchema): TSchema {
  const kinds: TSchema[] = schema.anyOf ?? [schema];
  if (kinds.some(({ type }) => type === "null")) return schema;
  const { title, description } = schema;
  return {
    ...Type.Union([...kinds, Type.Null()], { title, description }),
    ...(REFERS_TO in schema && { [REFERS_TO]: schema[REFERS_TO] }),
  };
}

/** The names of the inputs with names to add to a list, and to remove from it. */
export function listInputs(name: string): { add: string; remove: string } {
  return { add: `${name}__add`, remove: `${name}__remove` };
}

/** The input of a change: a value for each shared field, names for each list, and the fields to clear. */
export function bulkShape({ resource }: BulkArea): TObject {
  return closed({
    ...sharedFields(resource).properties,
    ...listShapes(resource),
    clear: Type.Optional(
      Type.Array(Type.String(), { description: "Name the fields to clear", maxItems: 100 }),
    ),
  });
}

/** The inputs of lists. */
export function listShapes(resource: Resource): Record<string, TSchema> {
  const lists = sharedLists(resource).flatMap(([name, schema]) => {
    const { add, remove } = listInputs(name);
    const called = schema.title?.toLowerCase() ?? name;
    const titled = (verb: string) => Type.Optional({ ...schema, title: `${verb} ${called}` });
    return [
      [add, titled("Add")],
      [remove, titled("Remove")],
    ] as const;
  });
  return Object.fromEntries(lists);
}

/** Whether a change has any fields. */
export function mayChange({ resource }: BulkArea): boolean {
  return sharedSchemas(resource).some(([, { type }]) => type !== "object");
}

/** The fields that can be cleared: those that may be empty, and lists. */
export function clearable(resource: Resource): string[] {
  return sharedSchemas(resource).flatMap(([name, schema]) =>
    schema.type === "array" || emptyOf(schema) !== undefined ? [name] : [],
  );
}

/** Of the fields of the site each can, unless it is required. */
export function isClearable(resource: Resource, name: string): boolean {
  return clearable(resource).includes(name) || name.startsWith(`${SITE_FIELD}.`);
}

/** The empty value that a field accepts, if there is one. */
function emptyOf(schema: TSchema): null | "" | undefined {
  const check = compiled(schema);
  return [null, "" as const].find((value) => check.Check(value));
}

/** Refuses an empty selection and one of too many records. */
export function requireSelection(
  { noun, plural }: Pick<Resource, "noun" | "plural">,
  keys: number[],
  most: number,
  field = "id",
): void {
  if (keys.length === 0) throw invalid(field, `Choose at least one ${noun}`);
  if (keys.length > most) {
    throw invalid(field, `Choose at most ${formatNumber(most)} ${plural} at once`);
  }
}

/** The records with these ids that are visible to the caller. */
export async function selectedRecords(
  caller: Caller,
  resource: Resource,
  keys: number[],
): Promise<SelectedRecord[]> {
  requireSelection(resource, keys, MOST_RECORDS_AT_ONCE);
  const { id, version, visible = sql`true` } = recordQuery(resource, caller);
  const table = sql.identifier(resource.name);
  const name = sql`${table}.${sql.identifier(resource.key)}`;
  // In key order, so that concurrent changes of the same records do not deadlock.
  return database.rows<SelectedRecord>(sql`
    select ${id} as id, ${name} as name, ${version} as version from ${table}
    where ${id} = any(${integers(keys)}) and ${visible} order by ${id}`);
}

interface BulkInput {
  /** The fields with one value, by name. */
  set: FieldValues;
  lists: Array<[name: string, by: ListChange]>;
}

/** Blank fields are left out. */
export function readBulkInput(resource: Resource, input: FieldValues): BulkInput {
  const cleared = namesIn(input.clear).filter((name) => isClearable(resource, name));
  const given = Object.keys(sharedFields(resource).properties).flatMap((name) => {
    const value = name === SITE_FIELD ? siteIn(input, cleared) : input[name];
    return value == null ? [] : [[name, value] as const];
  });
  const both = cleared.filter((name) => withParts(input)[name] != null);
  if (both.length > 0) {
    throw refuse(both.map((field) => ({ field, message: VALUE_AND_CLEAR })));
  }
  const emptied = sharedSchemas(resource).flatMap(([name, schema]) =>
    cleared.includes(name) && schema.type !== "array" ? [[name, emptyOf(schema)] as const] : [],
  );
  const lists = sharedLists(resource).flatMap(([name]): BulkInput["lists"] => {
    const inputs = listInputs(name);
    const [add, remove] = [namesIn(input[inputs.add]), namesIn(input[inputs.remove])];
    const replaces = cleared.includes(name);
    return add.length + remove.length > 0 || replaces ? [[name, { add, remove, replaces }]] : [];
  });
  return { set: Object.fromEntries([...given, ...emptied]), lists };
}

/** What changes in the fields of the site; undefined if nothing does. */
function siteIn(input: FieldValues, cleared: string[]): FieldValues | undefined {
  const given = Object.entries((input[SITE_FIELD] ?? {}) as FieldValues);
  const filled = given.filter(([, value]) => value != null && value !== "");
  const emptied = cleared.flatMap((name) => {
    const [field, key] = name.split(".");
    return field === SITE_FIELD && key ? [[key, null] as const] : [];
  });
  const all = [...filled, ...emptied];
  return all.length > 0 ? Object.fromEntries(all) : undefined;
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))] : [];
}

/** A dry run returns the same outcome and changes nothing. */
export function change(
  caller: Caller,
  area: BulkArea,
  { rows, input }: { rows: SelectedRecord[]; input: FieldValues },
): Promise<BulkOutcome> {
  const { resource } = area;
  const { set, lists } = readBulkInput(resource, input);
  const names = [...Object.keys(set), ...lists.map(([name]) => name)];
  if (names.length === 0) {
    throw invalid("id", "Fill in at least one field");
  }
  return writeMany(caller, async (tx) => {
    // Checked once for all records: the refusal of an unknown name does not name a record.
    await crud.columnsIn(tx, caller, resource, set);
    for (const [name, by] of lists) {
      const { check } = area.lists?.[name] ?? {};
      const inputs = listInputs(name);
      await inField(inputs.add, async () => check?.(tx, caller, by.add));
      await inField(inputs.remove, async () => check?.(tx, caller, by.remove));
    }
    const read = async (id: number) =>
      textsIn(rowOf(await crud.find(resource, caller, id, { tx })), names);
    const examples: BulkOutcome["examples"] = [];
    const moved = new Set<number>();
    for (const row of rows) {
      const was = examples.length < MOST_EXAMPLES ? await read(row.id) : undefined;
      const isMoved = await nameInErrors(row.name, async () => {
        const moves = await changeOne(tx, caller, area, { row, set, lists });
        await judge(tx, caller);
        return moves;
      });
      if (isMoved) moved.add(row.id);
      const now = was && (await read(row.id));
      if (was && now && Object.keys(now).some((one) => was[one] !== now[one])) {
        examples.push({ name: row.name, was, now });
      }
    }
    const changed = moved.union(await changedRows(tx, resource)).size;
    return { change_set: await changeSetOf(tx), changed, examples, notDeleted: [] };
  });
}

/** Returns whether one of its lists changes. */
async function changeOne(
  tx: Transaction,
  caller: Caller,
  area: BulkArea,
  { row, set, lists }: BulkInput & { row: SelectedRecord },
): Promise<boolean> {
  let current = atVersion(caller, row.version);
  if (Object.keys(set).length > 0) {
    await area.change(tx, current, row.id, set);
    current = atVersion(caller, undefined);
  }
  let isMoved = false;
  for (const [name, by] of lists) {
    const changeList = area.lists?.[name]?.change ?? inColumn(area, name);
    const field = listInputs(name).add;
    const isChanged = await inField(field, () => changeList(tx, current, row.id, by));
    isMoved = isMoved || isChanged;
    current = atVersion(caller, undefined);
  }
  return isMoved;
}

/** A list of texts in a column, such as tags. */
function inColumn({ resource, change: write }: BulkArea, name: string): BulkList["change"] {
  const { table, fields } = resource;
  const shape = closed({ [name]: fields[name]?.change as TSchema });
  const { read = String } = KIND_RULES[fields[name]?.kind ?? "list"];
  return async (tx, caller, id, { add, remove: gone, replaces }) => {
    const [found] = await tx.execute<{ now: string[] }>(sql`
      select ${sql.identifier(name)} as now from ${table} where id = ${id} for no key update`);
    const { now = [] } = found ?? {};
    const kept = replaces ? [] : now.filter((one) => !gone.map(read).includes(one));
    const list = [...new Set([...kept, ...add.map(read)])];
    if (list.length === now.length && list.every((one) => now.includes(one))) return false;
    await write(tx, caller, id, readInput(shape, { [name]: list }));
    return true;
  };
}

/** The caller, who changes a record only if it still has this version: 412 otherwise. */
function atVersion(caller: Caller, version: number | undefined): Caller {
  const if_match = version === undefined ? null : `"v${version}"`;
  const { dry_run = false, ...options } = caller.options ?? {};
  return { ...caller, options: { ...options, dry_run, if_match } };
}

/** Deletes those that are not in use and that the caller may delete. */
export async function remove(
  caller: Caller,
  { resource, remove: removeOne }: BulkArea,
  rows: SelectedRecord[],
): Promise<BulkOutcome> {
  const rejected: Array<{ row: SelectedRecord; error: QueryRejected | Refusal }> = [];
  const outcome = await writeMany(caller, async (tx) => {
    rejected.length = 0;
    // The newest first: a record inside another one is usually the newer of the two.
    for (const row of rows.toReversed()) {
      const own = atVersion(caller, row.version);
      const work = async () => removeOne?.(tx, own, row.id);
      const error = await nameInErrors(row.name, () => rejectionOf(tx, work));
      if (error) rejected.unshift({ row, error });
    }
    const changed = (await changedRows(tx, resource)).size;
    return { change_set: await changeSetOf(tx), changed, examples: [] };
  });
  // After the write, because the reasons are read on another connection.
  const notDeleted: BulkOutcome["notDeleted"] = [];
  for (const { row, error } of rejected) {
    const { id, name } = row;
    notDeleted.push({ id, name, reason: await reasonOf(caller, error) });
  }
  return { ...outcome, notDeleted };
}

async function reasonOf(caller: Caller, error: QueryRejected | Refusal): Promise<string> {
  const refusal = error instanceof Refusal ? error : await inUse(caller, error);
  return refusal?.errors[0]?.message ?? refusal?.message ?? "";
}

/** Returns the error if the record cannot be deleted. The transaction goes on without its deletion. */
async function rejectionOf(
  tx: Transaction,
  work: () => Promise<unknown>,
): Promise<QueryRejected | Refusal | undefined> {
  await tx.execute(sql`savepoint one_record`);
  try {
    await work();
    await tx.execute(sql`release savepoint one_record`);
    return undefined;
  } catch (error) {
    const rejected = translate(error);
    const isInUse = rejected instanceof QueryRejected && rejected.code === FOREIGN_KEY;
    const isForOthers = rejected instanceof Refusal && rejected.status === 403;
    if (!isInUse && !isForOthers) throw error;
    await tx.execute(sql`rollback to savepoint one_record`);
    return rejected;
  }
}

/** Puts the name of the record before the messages of a refusal. */
async function nameInErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const rejected = translate(thrown);
    const error = rejected instanceof QueryRejected ? refusalFor(rejected) : rejected;
    if (!(error instanceof Refusal)) throw thrown;
    const named = (message: string) => `${name}: ${message}`;
    if (error.status === 403) throw forbidden(named(error.message));
    if (error.status !== 422) throw thrown;
    throw refuse(error.errors.map((one) => ({ ...one, message: named(one.message) })));
  }
}

/** An error of a list is shown at one of its inputs. */
async function inField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 422) throw error;
    throw refuse(error.errors.map((one) => ({ ...one, field })));
  }
}

/** From the history that the triggers have written. */
async function changedRows(tx: Transaction, { name }: Resource): Promise<Set<number>> {
  const found = await tx.execute<{ id: number }>(sql`
    select distinct row_id as id from changes
    where change_set = current_setting('app.change_set')::bigint and table_name = ${name}`);
  return new Set([...found].map(({ id }) => Number(id)));
}

// Changes many records of one resource alike, or deletes those that are not in use, in one write. The description of
// the resource decides which fields can be changed.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, QueryRejected, translate } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid, Refusal, refuse } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { MOST_RECORDS_AT_ONCE } from "../input/limits.ts";
import { closed, nullable } from "../input/shape.ts";
import { formatNumber } from "../input/text.ts";
import * as crud from "./crud.ts";
import { REFERS_TO } from "./fields.ts";
import { inUse } from "./in_use.ts";
import { rowOf } from "./records.ts";
import { changes, type Resource, recordQuery } from "./resource.ts";
import { type Texts, textsIn } from "./versions.ts";
import { changeSetOf, type Transaction, writeMany } from "./write.ts";

type FieldValues = Record<string, unknown>;

/** How one record is changed and deleted as part of a larger write. */
export interface BulkArea {
  resource: Resource;
  change: (tx: Transaction, caller: Caller, id: number, input: FieldValues) => Promise<unknown>;
  remove?: (tx: Transaction, caller: Caller, id: number) => Promise<unknown>;
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
}

export interface BulkOutcome {
  change_set: number;
  /** How many records change, or are deleted. */
  changed: number;
  /** The first ones that change, with the old and the new values. */
  examples: Array<{ name: string; was: Texts; now: Texts }>;
  /** Records that are not deleted, and why. */
  notDeleted: Array<{ name: string; reason: string }>;
}

const MOST_EXAMPLES = 20;

/** The fields that can have one value in many records, each optional: all but the name and lists. */
export function sharedFields(resource: Resource): TObject {
  const taken = Object.entries<TSchema>(changes(resource)).flatMap(([name, schema]) => {
    const isShared = name !== resource.key && !["array", "object"].includes(schema.type);
    return isShared ? [[name, Type.Optional(blankAllowed(schema))] as const] : [];
  });
  return closed(Object.fromEntries(taken));
}

/** A blank input means no change. */
function blankAllowed(schema: TSchema): TSchema {
  const kinds: TSchema[] = schema.anyOf ?? [schema];
  if (kinds.some(({ type }) => type === "null")) return schema;
  return { ...nullable(schema), ...(REFERS_TO in schema && { [REFERS_TO]: schema[REFERS_TO] }) };
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
  const { id, visible = sql`true` } = recordQuery(resource, caller);
  const table = sql.identifier(resource.name);
  const name = sql`${table}.${sql.identifier(resource.key)}`;
  // In key order, so that concurrent changes of the same records do not deadlock.
  return database.rows<SelectedRecord>(sql`
    select ${id} as id, ${name} as name from ${table}
    where ${id} = any(${integers(keys)}) and ${visible} order by ${id}`);
}

/** A dry run returns the same outcome and changes nothing. */
export function change(
  caller: Caller,
  area: BulkArea,
  { rows, input }: { rows: SelectedRecord[]; input: FieldValues },
): Promise<BulkOutcome> {
  const { resource } = area;
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));
  const names = Object.keys(set);
  if (names.length === 0) {
    const [first = "id"] = Object.keys(sharedFields(resource).properties);
    throw invalid(first, "Fill in at least one field");
  }
  return writeMany(caller, async (tx) => {
    // Checked once for all records: the refusal of an unknown name does not name a record.
    await crud.columnsIn(tx, caller, resource, set);
    const read = async (id: number) =>
      textsIn(rowOf(await crud.find(resource, caller, id, { tx })), names);
    const examples: BulkOutcome["examples"] = [];
    for (const { id, name } of rows) {
      const was = examples.length < MOST_EXAMPLES ? await read(id) : undefined;
      await nameInErrors(name, () => area.change(tx, caller, id, set));
      const now = was && (await read(id));
      if (was && now && names.some((one) => was[one] !== now[one])) {
        examples.push({ name, was, now });
      }
    }
    const changed = await changedRows(tx, resource);
    return { change_set: await changeSetOf(tx), changed, examples, notDeleted: [] };
  });
}

/** Deletes the records that are not in use. */
export async function remove(
  caller: Caller,
  { resource, remove: removeOne }: BulkArea,
  rows: SelectedRecord[],
): Promise<BulkOutcome> {
  const rejected: Array<{ name: string; error: QueryRejected }> = [];
  const outcome = await writeMany(caller, async (tx) => {
    rejected.length = 0;
    // The newest first: a record inside another one is usually the newer of the two.
    for (const { id, name } of rows.toReversed()) {
      const error = await rejectionIfInUse(tx, async () => removeOne?.(tx, caller, id));
      if (error) rejected.unshift({ name, error });
    }
    const changed = await changedRows(tx, resource);
    return { change_set: await changeSetOf(tx), changed, examples: [] };
  });
  // After the write, because the reasons are read on another connection.
  const notDeleted: BulkOutcome["notDeleted"] = [];
  for (const { name, error } of rejected) {
    const [reason] = (await inUse(caller, error))?.errors ?? [];
    notDeleted.push({ name, reason: reason?.message ?? "" });
  }
  return { ...outcome, notDeleted };
}

/** Returns the error if the record is in use. The transaction goes on without its deletion. */
async function rejectionIfInUse(
  tx: Transaction,
  work: () => Promise<unknown>,
): Promise<QueryRejected | undefined> {
  await tx.execute(sql`savepoint one_record`);
  try {
    await work();
    await tx.execute(sql`release savepoint one_record`);
    return undefined;
  } catch (error) {
    const rejected = translate(error);
    const isInUse = rejected instanceof QueryRejected && rejected.code === FOREIGN_KEY;
    if (!isInUse) throw error;
    await tx.execute(sql`rollback to savepoint one_record`);
    return rejected;
  }
}

/** Puts the name of the record before the messages of a refusal. */
async function nameInErrors(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 422) throw error;
    throw refuse(
      error.errors.map(({ field, message }) => ({ field, message: `${name}: ${message}` })),
    );
  }
}

/** Counted in the history that the triggers have written. */
async function changedRows(tx: Transaction, { name }: Resource): Promise<number> {
  const [found] = await tx.execute<{ count: number }>(sql`
    select count(distinct row_id)::int as count from changes
    where change_set = current_setting('app.change_set')::bigint and table_name = ${name}`);
  return found?.count ?? 0;
}

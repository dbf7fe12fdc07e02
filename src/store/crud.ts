// The common operations of resources: list, find, create, update, remove.
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "../auth/auth.ts";
import { type FieldError, refuse } from "../input/errors.ts";
import { readTime } from "../input/times.ts";
import type { Field } from "./fields.ts";
import { mayEdit } from "./may_edit.ts";
import * as records from "./records.ts";
import { registered } from "./registry.ts";
import {
  type Fields,
  type ListedRowOfFields,
  listedQuery,
  type Resource,
  type RowOfFields,
  recordQuery,
} from "./resource.ts";
import { unknownRecord } from "./unknown_name.ts";
import { assign, insert, lock, type Transaction, write } from "./write.ts";

export function list<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<RowOfFields<F>>> {
  return records.list(recordQuery(resource, caller), params) as Promise<
    records.ListJson<RowOfFields<F>>
  >;
}

/** The list as pages show it. */
export function listRows<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<ListedRowOfFields<F>>> {
  return records.list(listedQuery(resource, caller), params);
}

/** A row of such a list by its name, case-sensitive. */
export function findRow<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  name: string,
): Promise<records.RecordJson<ListedRowOfFields<F>>> {
  const query = listedQuery(resource, caller);
  const column = nameOf(resource);
  return records.find(
    query,
    sql`lower(${column}) = lower(${name}::text collate names) and ${column} = ${name}
      and ${query.visible ?? sql`true`}`,
  );
}

/** One record that is visible to the caller. */
export function find<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  id: number,
  { tx, isRecursive = records.wantsRecursive(caller) }: records.ReadOptions = {},
): Promise<records.RecordJson<RowOfFields<F>>> {
  const query = recordQuery(resource, caller);
  const where = sql`${query.id} = ${id} and ${query.visible ?? sql`true`}`;
  return records.find({ ...query, isRecursive }, where, tx) as Promise<
    records.RecordJson<RowOfFields<F>>
  >;
}

/** The position of a record in the list that a query reads, and the names of its neighbours. */
export function positionIn(
  resource: Resource,
  query: records.RecordQuery,
  id: number,
  params: URLSearchParams,
): Promise<records.ListPosition | undefined> {
  return records.positionOf(query, params, { id, name: nameOf(resource) });
}

function nameOf({ name, key }: Pick<Resource, "name" | "key">): SQL {
  return sql`${sql.identifier(name)}.${sql.identifier(key)}`;
}

type InputValues = Record<string, unknown>;

/** `check` refuses what other data forbids. */
export function create<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  input: InputValues,
  check?: (tx: Transaction) => Promise<unknown>,
): Promise<records.RecordJson<RowOfFields<F>>> {
  const work = async (tx: Transaction) => {
    const values = await columnsIn(tx, caller, resource, input);
    await mayEditHosts(tx, caller, resource, [values]);
    await check?.(tx);
    return insert(tx, resource.table, values);
  };
  return write(caller, work, (tx, id) => find(resource, caller, id, { tx }));
}

/** `check` refuses what other data forbids; the record is locked by then. */
export function update<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  id: number,
  input: InputValues,
  check?: (tx: Transaction) => Promise<unknown>,
): Promise<records.RecordJson<RowOfFields<F>>> {
  return write(
    caller,
    (tx) => change(tx, caller, { resource, id, check }, input),
    (tx) => find(resource, caller, id, { tx }),
  );
}

interface RecordUpdate {
  resource: Resource;
  id: number;
  check?: ((tx: Transaction) => Promise<unknown>) | undefined;
}

/** Part of a larger write. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { resource, id, check }: RecordUpdate,
  input: InputValues,
): Promise<void> {
  const { table, row } = await lockRecord(tx, caller, resource, id);
  const values = await columnsIn(tx, caller, resource, input);
  await mayEditHosts(tx, caller, resource, [row, values]);
  await check?.(tx);
  await assign(tx, { table, where: eq(table.id, id) }, values);
}

export function remove(resource: Resource, caller: Caller, id: number): Promise<void> {
  return write(caller, (tx) => removeIn(tx, caller, { resource, id }));
}

/** Part of a larger write. */
export async function removeIn(
  tx: Transaction,
  caller: Caller,
  { resource, id }: Pick<RecordUpdate, "resource" | "id">,
): Promise<void> {
  const { table, row } = await lockRecord(tx, caller, resource, id);
  await mayEditHosts(tx, caller, resource, [row]);
  await tx.delete(table).where(eq(table.id, id));
}

async function lockRecord(tx: Transaction, caller: Caller, resource: Resource, id: number) {
  const table = resource.table as PgTable & { id: PgColumn };
  const row = await lock<InputValues>(tx, caller, {
    table,
    id,
    ...(resource.visible && { visible: resource.visible(caller) }),
    ...(resource.ofHost && { columns: sql`host_id` }),
  });
  return { table, row };
}

/** Refuses to change a part of a host, as it was and as it is, if the caller may not change the host. */
async function mayEditHosts(
  tx: Transaction,
  caller: Caller,
  { ofHost }: Resource,
  states: InputValues[],
): Promise<void> {
  if (!ofHost) return;
  const hosts = states.flatMap(({ host_id }) => (host_id == null ? [] : [Number(host_id)]));
  await mayEdit(tx.execute, caller, hosts);
}

/** The values of a body by columns: names of other records become their ids, in one query. */
export async function columnsIn(
  tx: Transaction,
  caller: Caller,
  { fields }: Pick<Resource, "fields">,
  input: InputValues,
): Promise<InputValues> {
  const set = Object.entries(input).filter(([, value]) => value !== undefined);
  const references = Object.entries(fields).flatMap(([name, field]) =>
    field.refersTo && input[name] !== undefined ? [{ name, field, value: input[name] }] : [],
  );
  const keys = await keysOf(tx, caller, references);
  const columns = set.map(async ([name, value]) => {
    const field = fields[name];
    if (field?.toColumn) return [name, await field.toColumn(tx, caller, value)];
    if (!field?.refersTo) return [name, inKind(field, value)];
    return [field.column?.(name) ?? name, keys[name] ?? null];
  });
  return Object.fromEntries(await Promise.all(columns));
}

/** Labels are stored in lower case and codes in upper; a time is the beginning of the period that it names. */
function inKind(field: Field | undefined, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (field?.kind === "time") return new Date(readTime(value)?.begin ?? value);
  if (field?.kind === "label") return value.toLowerCase();
  return field?.kind === "code" ? value.toUpperCase() : value;
}

export interface NamedReference {
  name: string;
  field: Field;
  value: unknown;
}

/** A hidden record is refused like one that does not exist. */
export async function keysOf(
  tx: Transaction,
  caller: Caller,
  references: NamedReference[],
): Promise<Record<string, number | null>> {
  if (references.length === 0) return {};
  const each = references.map(({ name, field, value }): SQL => {
    const { table = "", name: called = "" } = field.refersTo ?? {};
    return sql`
      (select id from ${sql.identifier(table)}
        where lower(${sql.identifier(called)}) = lower(${value}::text collate names)
          and ${registered(table)?.visible?.(caller) ?? sql`true`})
      as ${sql.identifier(name)}`;
  });
  const [found] = await tx.execute<Record<string, number | null>>(
    sql`select ${sql.join(each, sql`, `)}`,
  );
  const wrong = references.filter(({ name, value }) => value !== null && found?.[name] == null);
  const errors: FieldError[] = [];
  for (const { name, field, value } of wrong) {
    const { table = "", name: column = "" } = field.refersTo ?? {};
    // The parent of a location is a location.
    const noun = name === "parent" ? registered(table)?.noun : undefined;
    const unknown = { field: name, name: String(value), table, column, ...(noun && { noun }) };
    errors.push(await unknownRecord(tx, caller, unknown));
  }
  if (errors.length > 0) throw refuse(errors);
  return found ?? {};
}

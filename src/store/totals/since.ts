// How many more rows match a condition than before the changes that were made since a change set. Only the rows that may
// differ are read, once as they are and once as they were: the condition is evaluated twice, each time on tables with
// these rows alone, which have the names of the tables that it reads (as in network/past.ts).
//
// "Before" is the state from which the first change of each row was made. Change sets of transactions that run at the same
// time may be committed in any order; so that state is not always that of one moment, but it is the same whenever it is
// computed. That is enough: what was counted from it is counted from it again.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { recordFrom } from "../past/rows.ts";
import { SNAPSHOT } from "./snapshot.ts";

export interface CountedRows {
  /** The tables and the condition, from "from". */
  matching: SQL;
  /** A column of the records by which they decide about each other: see resource.ts. */
  siblings?: string | undefined;
}

/** The statement that selects a TotalDifference: what the changes after a set have changed. */
export type Since = (set: number) => SQL;

/** With more changes it is as fast to count again. */
const MOST_CHANGES = 2_000;
const MOST_SHAPES = 1_000;
/** The greatest bigint. */
const LAST_SET = sql.raw("9223372036854775807");

interface DatabaseSchema {
  /** The tables whose changes are recorded. */
  tracked: readonly string[];
  references: readonly TableReference[];
  tables: readonly string[];
}

/** A column with the key of a row of another table. */
interface TableReference {
  table: string;
  column: string;
  to: string;
}

let schema: Promise<DatabaseSchema> | undefined;
const shapes = new Map<string, Roles | undefined>();

onOpen(() => {
  schema = undefined;
  shapes.clear();
});

/** Undefined if the history does not tell: of tables that are not tracked, and of conditions about rows far away. */
export async function sinceOf({ matching, siblings }: CountedRows): Promise<Since | undefined> {
  schema ??= readSchema().catch((error) => {
    schema = undefined;
    throw error;
  });
  const known = await schema;
  const text = database.statementText(matching);
  if (!shapes.has(text)) {
    if (shapes.size >= MOST_SHAPES) shapes.clear();
    shapes.set(text, rolesIn(text, known, siblings));
  }
  const roles = shapes.get(text);
  return roles && ((set) => difference(matching, roles, set));
}

async function readSchema(): Promise<DatabaseSchema> {
  const found = await database.row<{ json: string }>(sql`
    select json_build_object(
      'tables', array(select relname from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace),
      'tracked', array(select tgrelid::regclass::text from pg_trigger where tgname = 'track'),
      'references', array(
        select json_build_object('table', conrelid::regclass::text, 'column', attname, 'to', confrelid::regclass::text)
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and cardinality(conkey) = 1 and connamespace = current_schema()::regnamespace)
    )::text as json`);
  return JSON.parse(found?.json ?? '{"tables":[],"tracked":[],"references":[]}');
}

/** What the tables of a condition have to do with its records. */
interface Roles {
  own: string;
  /** The column by which records are read: those with one value are read together. */
  by: string;
  /** Tables with rows that belong to one record, by the column with its key. */
  parts: Array<{ table: string; column: string }>;
  /** Tables that these refer to. A new row there changes nothing until something refers to it. */
  referred: string[];
  /** The others. */
  further: string[];
}

// Also in the texts of Drizzle, which quotes names.
const READ = /\b(?:from|join)\s+"?([a-z_]+)"?/g;

function rolesIn(
  text: string,
  { tables, tracked, references }: DatabaseSchema,
  siblings: string | undefined,
): Roles | undefined {
  const read = [...text.matchAll(READ)]
    .map(([, name = ""]) => name)
    .filter((name) => tables.includes(name));
  const [own = "", ...others] = read;
  if (read.some((name) => !tracked.includes(name))) return undefined;
  // Records that depend on others of their table.
  if (others.includes(own) && !siblings) return undefined;
  const by = siblings && others.includes(own) ? siblings : "id";
  const names = [...new Set(others)].filter((name) => name !== own);
  const parts =
    by === "id" ? references.filter(({ table, to }) => to === own && names.includes(table)) : [];
  const near = [own, ...parts.map(({ table }) => table)];
  const beyond = names.filter((name) => !near.includes(name));
  // If it is read twice, its rows may also be found by something else than their keys.
  const isReferred = (name: string) =>
    others.filter((one) => one === name).length === 1 &&
    references.some(({ table, to }) => to === name && near.includes(table));
  return {
    own,
    by,
    parts,
    referred: beyond.filter(isReferred),
    further: beyond.filter((name) => !isReferred(name)),
  };
}

function difference(matching: SQL, roles: Roles, set: number): SQL {
  const { own, parts, referred, further } = roles;
  const near = [own, ...new Set(parts.map(({ table }) => table))];
  const many = sql.raw(String(MOST_CHANGES));
  const limit = sql.raw(String(MOST_CHANGES + 1));
  // PostgreSQL plans for any set. It would read the whole history to find the first changes, so they are in the order of an
  // index; and it expects a third of the history after a set, but few changes between two.
  const changesOf = [...near, ...referred, ...further].map(
    (table) => sql`(
      select id, table_name, row_id, action, before, after from changes
      where table_name = ${text(table)} and change_set > ${set}::bigint and change_set <= ${LAST_SET}
      order by change_set limit ${limit})`,
  );
  const matchingIn = (state: typeof rowsNow) => sql`(
    with ${sql.join(
      near.map((table) => sql`${sql.identifier(table)} as materialized (${state(table, roles)})`),
      sql`, `,
    )} select count(*)::int ${matching})`;
  return sql`
    with since as materialized (${sql.join(changesOf, sql` union all `)}), first as materialized (
      select distinct on (table_name, row_id) table_name, row_id, before from since order by table_name, row_id, id
    ), touched as materialized (${sql.join(touched(roles), sql` union `)}),
    known as materialized (
      select exists (select from change_sets where id = ${set}::bigint)
        and (select count(*) from since) <= ${many}
        and not exists (select from since
          where table_name in (${texts(referred)}) and action <> 'insert' or table_name in (${texts(further)})) as is_known
    )
    select case when is_known and exists (select from touched)
        then ${matchingIn(rowsNow)} - ${matchingIn(rowsBefore)} else 0 end as delta,
      (select count(*)::int from since) as changes, not is_known as is_unknown,
      pg_postmaster_start_time()::text as server, ${SNAPSHOT} as snapshot
    from known`;
}

/** The keys of the records that may differ. */
function touched({ own, by, parts }: Roles): SQL[] {
  const inStates = (table: string, column: string) => sql`
    select (state ->> ${text(column)})::integer as key
    from since cross join lateral (values (before), (after)) states (state) where table_name = ${text(table)}`;
  const ownKeys =
    by === "id"
      ? sql`select row_id as key from since where table_name = ${text(own)}`
      : inStates(own, by);
  return [ownKeys, ...parts.map(({ table, column }) => inStates(table, column))];
}

function rowsNow(table: string, roles: Roles): SQL {
  return sql`select * from ${sql.identifier(table)} where ${isTouched(table, roles)}`;
}

function rowsBefore(table: string, roles: Roles): SQL {
  const isOf = sql`table_name = ${text(table)}`;
  return sql`
    ${rowsNow(table, roles)} and not id = any(array(select row_id from first where ${isOf}))
    union all
    select one.* from first cross join lateral ${recordFrom(table, sql`before`)} one
    where ${isOf} and before is not null`;
}

function isTouched(table: string, { own, by, parts }: Roles): SQL {
  const columns =
    table === own ? [by] : parts.filter((one) => one.table === table).map(({ column }) => column);
  const each = columns.map(
    (column) => sql`${sql.identifier(column)} = any(array(select key from touched))`,
  );
  return sql`(${sql.join(each, sql` or `)})`;
}

function texts(names: readonly string[]): SQL {
  return names.length > 0 ? sql.join(names.map(text), sql`, `) : sql`null`;
}

/** Names of tables and columns, not values: the statement stays the same. */
function text(name: string): SQL {
  return sql.raw(`'${name}'`);
}

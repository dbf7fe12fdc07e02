// How many more rows match a condition than before the changes that were made since a change set. Only the rows that may
// differ are read, once as they are and once as they were: the condition is evaluated twice, each time on tables with
// these rows alone, which have the names of the tables that it reads (as in network/past.ts).
//
// "Before" is the state from which the first change of each row was made. Change sets of transactions that run at the same
// time may be committed in any order; so that state is not always that of one moment, but it is the same whenever it is
// computed. That is enough: what was counted from it is counted from it again.
import { type SQL, sql } from "drizzle-orm";
import { recordFrom } from "../past/rows.ts";
import { LAST_MARK, SERVER, type Since, text } from "./difference.ts";
import { SNAPSHOT } from "./snapshot.ts";

/** With more changes it is as fast to count again. */
const MOST_CHANGES = 2_000;

export interface TrackedTables {
  /** The tables whose changes are recorded. */
  tracked: readonly string[];
  references: readonly TableReference[];
}

/** A column with the key of a row of another table. */
interface TableReference {
  table: string;
  column: string;
  to: string;
}

/** What the tables of a condition have to do with its records. */
export interface Roles {
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

/** Of a statement that reads these tables, its own first; undefined if the history does not tell. */
export function rolesIn(
  read: readonly string[],
  { tracked, references }: TrackedTables,
  siblings: string | undefined,
): Roles | undefined {
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

export function sinceSet(roles: Roles, matching: SQL): Since {
  return { newest: NEWEST_SET, after: (set) => difference(matching, roles, set) };
}

const NEWEST_SET = sql`select counted_set()::float8 as mark`;

function difference(matching: SQL, roles: Roles, set: number): SQL {
  const { own, parts, referred, further } = roles;
  const near = [own, ...new Set(parts.map(({ table }) => table))];
  const many = sql.raw(String(MOST_CHANGES));
  const limit = sql.raw(String(MOST_CHANGES + 1));
  // PostgreSQL plans for any set. It would read the whole history to find the first changes, so they are in the order of an
  // index.
  const changesOf = [...near, ...referred, ...further].map(
    (table) => sql`(
      select id, table_name, row_id, action, before, after from changes
      where table_name = ${text(table)} and change_set > ${set}::bigint and change_set <= ${LAST_MARK}
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
      ${SERVER} as edition, ${SNAPSHOT} as snapshot
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

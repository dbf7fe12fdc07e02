// A record as it was at a time. It is read by the same query as now: the statement begins with tables of that time under
// their own names, which the query reads instead. Only rows that lead to the record are rebuilt. What is hidden now is
// hidden then.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, consoleCaller } from "../../auth/auth.ts";
import { mayKnowPast } from "../../auth/visibility.ts";
import * as records from "../records.ts";
import { type Fields, type Resource, type RowOf, recordQuery } from "../resource.ts";
import { recordFrom } from "./rows.ts";

export interface PastRecord {
  id: number;
  at: Date;
}

export interface Past {
  known?: SQL;
  /** Its own table and those that lead to it, by their names; each may read those before it. */
  tables: Record<string, SQL>;
}

/** A record at a time. By default only rows of its own table and of those that it refers to are of that time. */
export function findPast<F extends Fields>(
  caller: Caller,
  resource: Resource<F>,
  when: PastRecord,
  { known = resource.visible?.(caller) ?? sql`true`, tables }: Past = {
    tables: { [resource.name]: rowsAt(resource.name, when) },
  },
): Promise<records.RecordJson<RowOf<Resource<F>>>> {
  const query = recordQuery(resource, consoleCaller);
  const { site } = recordQuery(resource, caller).fields;
  const fields = { ...query.fields, ...(site && { site }) };
  const all = Object.values({ ...tables, ...referredTo(caller, resource, when, tables) });
  const instead = sql`with ${sql.join(all, sql`, `)}`;
  return records.find(
    { ...query, fields, instead },
    sql`${query.id} = ${when.id} and ${known}`,
  ) as Promise<records.RecordJson<RowOf<Resource<F>>>>;
}

/** The past rows of tables that the resource refers to, except those in `tables`. */
function referredTo(
  caller: Caller,
  resource: Resource,
  when: PastRecord,
  tables: Past["tables"],
): Past["tables"] {
  const names = Object.values(resource.fields).flatMap(({ refersTo }) => refersTo?.table ?? []);
  const further = names.filter((name) => !(name in tables));
  return Object.fromEntries(
    further.map((name) => [
      name,
      rowsAt(name, when, allIds(name), { known: mayKnowPast(caller, name, sql`one.id`) }),
    ]),
  );
}

interface RowFilter {
  only?: SQL;
  known?: SQL;
}

/** A CTE with past rows of a table, by default the row of the record alone. */
export function rowsAt(
  table: string,
  when: PastRecord,
  ids: SQL = sql`select ${when.id}::integer`,
  { only = sql`true`, known = sql`true` }: RowFilter = {},
): SQL {
  const name = sql.identifier(table);
  return sql`${name} as (
    select one.* from (${ids}) ever (id)
      cross join lateral (select state_at(${table}, ever.id, ${timestamp(when)}) as state) was
      cross join lateral ${recordFrom(table, sql`was.state`)} one
    where was.state is not null and ${only} and ${known})`;
}

/** The ids of all rows that a table has ever had. */
export function allIds(table: string): SQL {
  return sql`select distinct row_id from changes where table_name = ${table}`;
}

export function timestamp({ at }: PastRecord): SQL {
  return sql`${at.toISOString()}::timestamptz`;
}

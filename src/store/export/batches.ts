// Reads the records of a whole list for a file. A list shows twenty records and looks up each of their values by itself;
// a batch of a file joins the tables that hold the values instead. As rows, not as JSON, which costs a tenth more.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { integers } from "../../input/keys.ts";
import { joinsOf } from "../filters.ts";
import type { Read } from "../read.ts";
import type { RecordQuery } from "../records.ts";

/** Records of one statement: enough to make its planning cheap. */
const BATCH = 1_000;

interface BatchOptions {
  read?: Read;
  /** The ids are: then the index is read once for all, which costs half as much where nothing is joined. */
  isAscending?: boolean;
}

/** The records with these ids, in this order; those that were deleted or hidden since are left out. */
export async function* batches<Row>(
  query: RecordQuery<Row>,
  ids: readonly number[],
  { read = database.rows, isAscending = false }: BatchOptions = {},
): AsyncGenerator<Row[]> {
  const batch = isAscending ? ascending : inGivenOrder;
  const selected = batchSql(query);
  for (let at = 0; at < ids.length; at += BATCH) {
    yield await read<Row>(batch({ ...query, ...selected }, ids.slice(at, at + BATCH)));
  }
}

type BatchQuery = Pick<RecordQuery, "table" | "id" | "visible"> & BatchSql;

function inGivenOrder(query: BatchQuery, ids: readonly number[]): SQL {
  const { table, id, visible = sql`true`, columns, joins } = query;
  // In SQL: the columns are those of the description. generate_series() tells the planner how many records there are.
  // They are read before anything is joined: else it joins small tables to each record by itself.
  return sql`
    with given as materialized (select ${integers(ids)} as ids),
      wanted as materialized (
        select at.place, one.* from given, generate_series(1, ${sql.raw(String(BATCH))}) at (place)
          cross join lateral (select * from ${table} where ${id} = given.ids[at.place] offset 0) one)
    select ${columns} from wanted ${table} ${joins} where ${visible} order by ${table}.place`;
}

function ascending(query: BatchQuery, ids: readonly number[]): SQL {
  const { table, id, visible = sql`true`, columns, joins } = query;
  return sql`
    select ${columns} from ${table} ${joins} where ${id} = any(${integers(ids)}) and ${visible} order by ${id}`;
}

interface BatchSql {
  columns: SQL;
  joins: SQL;
}

function batchSql({ fields, joins }: RecordQuery): BatchSql {
  const visibleFields = Object.entries(fields).filter(([, { hidden }]) => !hidden);
  const columns = visibleFields.map(
    ([name, { kind, column, recordValue = column, batchValue }]) => {
      const value = kind === "time" ? sql`shown(${column})` : (batchValue?.value ?? recordValue);
      return sql`${value} as ${sql.identifier(name)}`;
    },
  );
  const further = joinsOf(visibleFields.map(([, field]) => field.batchValue ?? field));
  return { columns: sql.join(columns, sql`, `), joins: sql.join([joins, ...further], sql` `) };
}

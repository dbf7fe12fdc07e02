// Parts of the statements that read and write the rows of an import, however many there are.
import { type SQL, sql } from "drizzle-orm";
import { mapInSlices } from "../input/time_slices.ts";
import type { Read } from "../store/read.ts";
import type { Transaction } from "../store/write.ts";

/** From this many rows on, a sequential scan costs little more than an index lookup for each row. */
const SCAN_FROM = 300;

interface SearchWork<T> {
  rows: number;
  work: () => Promise<T>;
}

/**
 * Sets the planner for the number of rows: a cached plan, or one from outdated statistics, may take minutes. Bitmap
 * scans are off because PostgreSQL underestimates what the trigram index costs for single ids; JIT is off because
 * compiling the recursive query takes longer than running it.
 */
export async function withSearchPlans<T>(
  tx: Transaction,
  { rows, work }: SearchWork<T>,
): Promise<T> {
  const nestedLoops = rows < SCAN_FROM ? "on" : "off";
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true),
      set_config('enable_bitmapscan', 'off', true), set_config('enable_nestloop', ${nestedLoops}, true)`);
  const found = await work();
  // The triggers of the writes that follow run best with their cached plans.
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'auto', true), set_config('enable_bitmapscan', 'on', true),
      set_config('enable_nestloop', 'on', true)`);
  return found;
}

/** Occurs in no text: src/input/text.ts refuses it. */
const SEPARATOR = "\u001f";

/** Texts to look up, in a form from which PostgreSQL can estimate their number. */
export function textSubquery(given: Iterable<string>): SQL {
  return sql`(select unnest(string_to_array(${[...given].join(SEPARATOR)}::text, ${SEPARATOR}::text)))`;
}

export function keySubquery(given: Iterable<number>): SQL {
  return sql`(select unnest(string_to_array(${[...given].join()}::text, ',')::integer[]))`;
}

/** All rows of a query, parsed in slices. */
export async function all<One>(read: Read, query: SQL): Promise<One[]> {
  const found = await read<{ json: string }>(
    sql`select row_to_json(one)::text as json from (${query}) one`,
  );
  return mapInSlices(found, ({ json }) => JSON.parse(json));
}

/** Keys for new rows of a table, ascending, because lists order records of the same time by key. */
export async function newKeys(tx: Transaction, table: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.execute<{ id: number }>(sql`
    select nextval(pg_get_serial_sequence(${table}, 'id'))::int as id
    from generate_series(1, ${count}::int) order by 1`);
  return [...rows].map(({ id }) => id);
}

/** Characters of JSON after which a batch ends. */
const BATCH = 1024 * 1024;

/** JSON arrays of the rows in batches, because one large text would block the event loop. */
export function* batchesOf(rows: Iterable<object>): Generator<string> {
  let batch: string[] = [];
  let length = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    batch.push(json);
    length += json.length;
    if (length < BATCH) continue;
    yield `[${batch.join()}]`;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield `[${batch.join()}]`;
}

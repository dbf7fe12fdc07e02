// ICS ids: three letters and three digits. Ids that begin with ZZ are temporary, for items without a printed label.

import { Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import { refuse } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { Read } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";
import { NO_TEMPORARY_ID } from "./item_rules.ts";

const FORM = /^[A-Za-z]{3}[0-9]{3}$/;

export const ICS_ID = Type.String({
  pattern: FORM.source,
  description: "Use three letters and three digits, such as AAA001",
});

export function isIcsId(text: string): boolean {
  return FORM.test(text);
}

/**
 * The first temporary id that is neither in use nor reserved. Each id has an advisory lock until the transaction ends, so
 * that concurrent callers do not queue: ids that another transaction has reserved are skipped, and are free again if it
 * fails.
 */
export async function nextTemporary(tx: Transaction): Promise<string> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${keyOf(sql`${TURN}::text`)})`);
  let letter = await letterWithRoom(tx, 0);
  while (letter !== null) {
    const id = await reserve(tx, letter);
    if (id === null) letter = await letterWithRoom(tx, letter + 1);
    else if (await isUnused(tx, id)) return id;
  }
  throw refuse([NO_TEMPORARY_ID]);
}

const TURN = "temporary ics ids";

/** Exclusive lock for callers that take or restore many temporary ids. */
export function lockTemporaryIds(tx: Transaction): Promise<void> {
  return advisoryLock(tx, TURN);
}

/** The first free temporary ids, at most as many as wanted. */
export async function freeTemporaries(read: Read, wanted: number): Promise<string[]> {
  if (wanted === 0) return [];
  // In SQL: free ids are counted by generated rows and window functions.
  const [found] = await read<{ ids: string }>(sql`
    with used as (
      select ascii(substr(ics_id, 3)) - 65 as letter, count(*) from items
      where ics_id between 'ZZA000' and 'ZZZ999' group by 1
    ), letters as (
      select letter, sum(room) over (order by letter) - room as before
      from generate_series(0, ${LETTERS - 1}::integer) letter
        left join used using (letter), lateral (select ${IDS}::integer - coalesce(count, 0) as room) rooms
      where room > 0
    )
    select array_to_string(array(
      select id from letters, ${freeIn(sql`letter`)} where before < ${wanted} order by id limit ${wanted}
    ), ',') as ids`);
  return found?.ids ? found.ids.split(",") : [];
}

/** ZZA000 to ZZZ999. */
const [LETTERS, IDS] = [26, 1_000];

/** The first letter from this one on with a free id. */
async function letterWithRoom(tx: Transaction, from: number): Promise<number | null> {
  const used = (letter: SQL) => sql`(select count(*) from items where ${isWithin(letter)})`;
  // In SQL: the builder has no recursive queries.
  const [found] = await tx.execute<{ letter: number | null }>(sql`
    with recursive walk (letter, used) as (
      select ${from}::integer, ${used(sql`${from}::integer`)}
      union all
      select letter + 1, ${used(sql`(letter + 1)`)} from walk where used = ${IDS}
    )
    select min(letter) as letter from walk where used < ${IDS} and letter < ${LETTERS}`);
  return found?.letter ?? null;
}

/** Reserves the first free id of a letter. The offset keeps PostgreSQL from locking all ids before it sorts. */
async function reserve(tx: Transaction, letter: number): Promise<string | null> {
  const [found] = await tx.execute<{ id: string }>(sql`
    select id from (select id from ${freeIn(sql`${letter}::integer`)} order by id offset 0) free
    where pg_try_advisory_xact_lock(${keyOf(sql`id`)}) limit 1`);
  return found?.id ?? null;
}

/** Another transaction may have used and committed the id since the search began. */
async function isUnused(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.$count(items, eq(items.ics_id, id))) === 0;
}

/** The free ids of a letter, a number from 0. */
function freeIn(letter: SQL): SQL {
  return sql`lateral (
    select 'ZZ' || chr(65 + ${letter}) || lpad(number::text, 3, '0') as id
    from generate_series(0, ${IDS - 1}::integer) number
    except select ics_id from items where ${isWithin(letter)}
  ) ids`;
}

function isWithin(letter: SQL): SQL {
  const prefix = sql`'ZZ' || chr(65 + ${letter})`;
  return sql`ics_id between ${prefix} || '000' and ${prefix} || '999'`;
}

function keyOf(text: SQL): SQL {
  return sql`hashtextextended(${text}, 0)`;
}

// The watches of a user.
import type { Static } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { watches } from "../../../db/tables/notices.ts";
import type { Caller } from "../../auth/auth.ts";
import { forbidden, invalid, notFound } from "../../input/errors.ts";
import { MOST_WATCHES } from "../../input/limits.ts";
import { resourceOf } from "../../resources.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Transaction, write } from "../../store/write.ts";
import { canBeWatched, searchOf } from "./searches.ts";
import { scheduleDigest } from "./settings.ts";
import {
  type changedWatch,
  DEFAULT_MAIL,
  type MailChoice,
  nameIn,
  type newWatch,
  type Watch,
  watch,
} from "./watch.ts";

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Watch>> {
  return records.list(recordQuery(watch, caller), params, ownedBy(caller));
}

export function find(caller: Caller, id: number): Promise<records.RecordJson<Watch>> {
  return findIn(caller, id);
}

function findIn(caller: Caller, id: number, tx?: Transaction) {
  const own = sql`watches.id = ${id} and ${ownedBy(caller)}`;
  return records.find(recordQuery(watch, caller), own, tx);
}

/** The caller's watch of a record; undefined if there is none. */
export async function watchOf(
  { id }: Caller,
  { table, id: row }: { table: string; id: number },
): Promise<StoredChoice | undefined> {
  return database.row<StoredChoice>(sql`
    select id, mail, name from watches
    where user_id = ${id} and table_name = ${table} and row_id = ${row}`);
}

interface StoredChoice {
  id: number;
  name: string;
  mail: MailChoice;
}

export interface WatchableSearch {
  id: number;
  name: string;
  list: string;
}

/** Saved searches, of the caller and shared ones, that the caller could watch and does not. */
export async function searchesToWatch({ id }: Caller): Promise<WatchableSearch[]> {
  const found = await database.rows<WatchableSearch & { query: string }>(sql`
    select searches.id, searches.name, list, query from searches
    where (user_id = ${id} or shared) and not exists (
      select from watches where watches.user_id = ${id} and search_id = searches.id)
    order by user_id = ${id} desc, lower(searches.name), searches.id limit ${MOST_WATCHES}`);
  return found.filter(canBeWatched).map(({ id, name, list }) => ({ id, name, list }));
}

/** Watches a record or a saved search. What is watched already keeps its watch, with this choice of mail. */
export function create(
  caller: Caller,
  input: Static<typeof newWatch>,
): Promise<records.RecordJson<Watch>> {
  return write(
    caller,
    async (tx) => {
      const user_id = caller.id ?? 0;
      await refuseService(tx, user_id);
      const { mail = DEFAULT_MAIL } = input;
      const subject = await subjectOf(tx, caller, input);
      await advisoryLock(tx, `watches of ${user_id}`);
      await refuseTooMany(tx, user_id, subject);
      const values = { user_id, ...subject, mail, mailed_up_to: COMMITTED };
      const [made] = await tx
        .insert(watches)
        .values(values)
        .onConflictDoUpdate({
          target:
            subject.search_id === null
              ? [watches.user_id, watches.table_name, watches.row_id]
              : [watches.user_id, watches.search_id],
          set: { mail, name: subject.name },
        })
        .returning({ id: watches.id });
      await scheduleDigest(tx, user_id);
      return made?.id ?? 0;
    },
    (tx, id) => findIn(caller, id, tx),
  );
}

const COMMITTED = sql<number>`committed_up_to('change_sets')`;

/** Another choice of mail, for later changes too. */
export function update(
  caller: Caller,
  id: number,
  { mail }: Static<typeof changedWatch>,
): Promise<records.RecordJson<Watch>> {
  return write(
    caller,
    async (tx) => {
      // What happened while no mail was wanted is not mailed later.
      const [changed] = await tx
        .update(watches)
        .set({
          mail,
          mailed_up_to: sql`case when ${watches.mail} = 'none'
            then greatest(mailed_up_to, ${COMMITTED}) else mailed_up_to end`,
        })
        .where(and(eq(watches.id, id), ownedBy(caller)))
        .returning({ id: watches.id });
      if (!changed) throw notFound();
      await scheduleDigest(tx, caller.id ?? 0);
      return id;
    },
    (tx) => findIn(caller, id, tx),
  );
}

/** The same if it is another choice: for a form that sends all of them. */
export async function changeIfOther(caller: Caller, id: number, mail: MailChoice): Promise<void> {
  const found = await find(caller, id);
  if (records.rowOf(found).mail !== mail) await update(caller, id, { mail });
}

export function remove(caller: Caller, id: number): Promise<void> {
  return write(caller, async (tx) => {
    const [gone] = await tx
      .delete(watches)
      .where(and(eq(watches.id, id), ownedBy(caller)))
      .returning({ id: watches.id });
    if (!gone) throw notFound();
  });
}

/** Ends the mails of a user; their watches remain for the feeds. */
export async function endMails(user: number): Promise<void> {
  await database.execute(
    database.build.update(watches).set({ mail: "none" }).where(eq(watches.user_id, user)),
  );
}

interface WatchSubject {
  table_name: string;
  row_id: number | null;
  search_id: number | null;
  name: string;
}

async function subjectOf(
  tx: Transaction,
  caller: Caller,
  { table_name, row_id, search_id }: Static<typeof newWatch>,
): Promise<WatchSubject> {
  if (search_id !== undefined) {
    if (table_name !== undefined || row_id !== undefined) {
      throw invalid("search_id", "Name a record or a saved search, not both");
    }
    return subjectOfSearch(tx, caller, search_id);
  }
  if (table_name === undefined) throw invalid("table_name", "Name the kind of the record");
  if (row_id === undefined) throw invalid("row_id", "Name the record by its primary key");
  const resource = resourceOf(table_name);
  const [found] = resource
    ? await tx.execute<{ name: string | null }>(
        sql`select ${nameIn(resource, caller, sql`${row_id}::integer`)} as name`,
      )
    : [];
  if (!found?.name) throw invalid("row_id", "There is no such record");
  return { table_name, row_id, search_id: null, name: found.name };
}

async function subjectOfSearch(
  tx: Transaction,
  { id }: Caller,
  search_id: number,
): Promise<WatchSubject> {
  const [found] = await tx.execute<{ list: string; name: string; query: string }>(sql`
    select list, name, query from searches where id = ${search_id} and (user_id = ${id} or shared)`);
  if (!found) throw invalid("search_id", "There is no such saved search");
  const { list, query } = found;
  const { table } = searchOf({ list, query });
  return { table_name: table, row_id: null, search_id, name: found.name };
}

async function refuseTooMany(tx: Transaction, user: number, subject: WatchSubject): Promise<void> {
  const { table_name, row_id, search_id } = subject;
  const [found] = await tx.execute<{ others: number }>(sql`
    select count(*)::int as others from watches where user_id = ${user}
      and (table_name, row_id, search_id) is distinct from
        (${table_name}::text, ${row_id}::integer, ${search_id}::integer)`);
  if ((found?.others ?? 0) < MOST_WATCHES) return;
  throw invalid("watches", `You have ${MOST_WATCHES} watches; delete one first`);
}

async function refuseService(tx: Transaction, user: number): Promise<void> {
  const [found] = await tx.execute(sql`select from users where id = ${user} and is_service`);
  if (found) throw forbidden("A service account has no watches; programs read /changes");
}

function ownedBy({ id }: Caller) {
  return eq(watches.user_id, id ?? 0);
}

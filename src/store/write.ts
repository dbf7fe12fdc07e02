// All writes run through here, as one transaction and one change set.

import { and, eq, getTableColumns, getTableName, SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { announceCommit } from "../../db/commits.ts";
import { DatabaseUnavailable, mayRunAgain, QueryRejected } from "../../db/errors.ts";
import { idempotency_keys } from "../../db/tables/user.ts";
import type { Caller } from "../auth/auth.ts";
import { countRefusal } from "../auth/probing.ts";
import { knownVersion } from "../auth/visibility.ts";
import { invalid, notFound, Refusal, stale } from "../input/errors.ts";
import { answerLines, fromLines } from "./answer_lines.ts";
import { refusalFor } from "./constraints.ts";
import { inUse } from "./in_use.ts";
import { isPlaced, requireRights } from "./rights/check.ts";
import { noteLocked } from "./rights/locked.ts";
import { mayBeRefused, requireVariables } from "./rights/variables.ts";

export type Transaction = database.Transaction;

/** Thrown at the end of a dry run to roll the transaction back. */
class DryRunResult {
  constructor(readonly result: unknown) {}
}

const TRIES = 4;
const repeated = new WeakSet<Transaction>();

/** Another transaction interfered before: lock first what else is locked as late as possible. */
export function isRepeated(tx: Transaction): boolean {
  return repeated.has(tx);
}

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * Work of which the last part only reads what the caller gets: it is sent together with the commit, and with the last
 * statement of the work if that was not awaited.
 */
interface Steps<Made, T> {
  work: Work<Made>;
  answer: (tx: Transaction, made: Made) => Promise<T>;
  /** Keys of advisoryLock() that are known before the work begins: they are locked by the first statement. */
  locks?: readonly string[];
}

/** Runs the work as one transaction of the caller: one change set, committed or rolled back as a whole. */
export function write<T>(caller: Caller, work: Work<T>): Promise<T>;
export function write<Made, T>(
  caller: Caller,
  work: Work<Made>,
  answer: Steps<Made, T>["answer"],
  locks?: readonly string[],
): Promise<T>;
export function write(
  caller: Caller,
  work: Work<unknown>,
  answer: Steps<unknown, unknown>["answer"] = asMade,
  locks: readonly string[] = [],
): Promise<unknown> {
  return writeWithin(ONE_RECORD, caller, { work, answer, locks });
}

type TransactionOptions = Parameters<typeof database.transactionWithEnd>[1];

/** Its statements and those of its triggers look up single rows: a new connection plans each once instead of six times. */
const ONE_RECORD: TransactionOptions = { plans: "generic" };
const MANY_RECORDS: TransactionOptions = { wanted: database.LONG_TRANSACTION };

async function asMade<T>(_: Transaction, made: T): Promise<T> {
  return made;
}

/** The same with a longer deadline, for thousands of rows. */
export function writeMany<T>(caller: Caller, work: Work<T>): Promise<T> {
  return writeWithin(MANY_RECORDS, caller, { work, answer: asMade });
}

async function writeWithin<Made, T>(
  options: TransactionOptions,
  caller: Caller,
  steps: Steps<Made, T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { result, changeSet } = await database.transactionWithEnd((tx) => {
        if (attempt > 1) repeated.add(tx);
        return runInTransaction(tx, caller, steps);
      }, options);
      if (changeSet !== undefined) noteCommit(caller, changeSet);
      return result;
    } catch (error) {
      if (error instanceof DryRunResult) return error.result as T;
      if (mayRunAgain(error)) {
        if (attempt < TRIES) continue;
        throw new DatabaseUnavailable("Too many writes at the same time", { cause: error });
      }
      throw await countRefusal(caller, await refusalOf(caller, error));
    }
  }
}

/**
 * The CTE `begun` of a write by one statement, with further columns, for each row of `source` or for one. Every row that the
 * statement writes has to depend on it.
 */
export type ChangeSetCte = (columns: SQL, source?: SQL) => SQL;

/** An answer with the id in `begun`. */
export type AtOnce<T> = T & { change_set: number };

/**
 * A write by one statement, without a transaction around it: three messages less. `work` reads what it has to know and sends
 * the statement. What a transaction has to decide is written by `otherwise`, as is what the statement does not find, and what
 * another transaction interferes with.
 */
export async function writeAtOnce<T extends object>(
  caller: Caller,
  work: (tx: Transaction, begun: ChangeSetCte) => Promise<AtOnce<T>>,
  otherwise: () => Promise<T>,
): Promise<T> {
  const { dry_run, idempotency, if_match } = caller.options ?? {};
  if (dry_run || idempotency || if_match || isPlaced(caller)) return otherwise();
  const begun: ChangeSetCte = (columns, source) => sql`
    begun as materialized (
      select ${beginning(caller)} as id, ${columns}${source ? sql` from ${source}` : sql``})`;
  try {
    const made = await database.withoutTransaction((tx) => work(tx, begun), "generic");
    noteCommit(caller, made.change_set);
    return made;
  } catch (error) {
    if (mayRunAgain(error) || (error instanceof Refusal && error.status === 404)) {
      return otherwise();
    }
    throw await countRefusal(caller, await refusalOf(caller, error));
  }
}

function noteCommit({ options }: Caller, changeSet: number): void {
  options?.onCommit?.(changeSet);
  announceCommit();
}

async function refusalOf(caller: Caller, error: unknown): Promise<unknown> {
  if (!(error instanceof QueryRejected)) return error;
  return (await inUse(caller, error)) ?? refusalFor(error);
}

/**
 * Serialises callers with the same key until the end of the transaction: for rules that no row lock and no constraint
 * covers. Taken before any row is locked, so that transactions do not deadlock; several keys in their order.
 */
export async function advisoryLock(tx: Transaction, ...keys: string[]): Promise<void> {
  await tx.execute(sql`
    select ${advisoryLockOn(sql`key`)} from unnest(${sql.param(keys)}::text[]) key`);
}

function advisoryLockOn(key: SQL): SQL {
  return sql`pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}

/** The id of the change set of this transaction. */
export async function changeSetOf(tx: Transaction): Promise<number> {
  const [set] = await tx.execute<{ id: number }>(
    sql`select current_setting('app.change_set')::int as id`,
  );
  return set?.id ?? 0;
}

/**
 * Sends what does not depend on each other at once. Waits for all of it, so that nothing is sent after the transaction
 * has ended, and throws the first error.
 */
export async function together<const Works extends readonly unknown[]>(
  ...works: Works
): Promise<{ -readonly [At in keyof Works]: Awaited<Works[At]> }> {
  const settled = await Promise.allSettled(works);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return Promise.all(works);
}

/** A statement that was sent and not answered: what follows can be sent together with it. */
export class Sent<T> {
  constructor(readonly answer: Promise<T>) {
    // Whoever waits for it gets the error, also if something else fails before.
    answer.catch(() => {});
  }
}

interface LockedRow {
  table: PgTable;
  id: number;
  /** True of rows that are visible to the caller; the others are not found. */
  visible?: SQL;
  /** Columns to return. */
  columns?: SQL;
}

/** Locks a row before a change and checks If-Match: 404 if it is gone, 412 if it was changed since. */
export async function lock<Row = unknown>(
  tx: Transaction,
  caller: Caller,
  { table, id, visible = sql`true`, columns }: LockedRow,
): Promise<Row> {
  const version = versionOf(caller, table);
  const [found] = await tx.execute<{ version: number }>(sql`
    select ${columns ? sql`${columns}, ` : sql``}${version} as version from ${table}
    where id = ${id} and ${visible} for no key update`);
  if (!found) throw notFound();
  if (isPlaced(caller)) noteLocked(tx, { table: getTableName(table), id });
  requireVersion(caller, found.version);
  return found as Row;
}

/** Checks If-Match: 412 if the record has another version. */
export function requireVersion({ options }: Caller, version: number): void {
  const wanted = options?.if_match;
  if (wanted && wanted !== "*" && !versions(wanted).includes(version)) throw stale();
}

/** A value for a column of JSON. */
export function jsonb(value: object): SQL {
  return sql`${JSON.stringify(value)}::text::jsonb`;
}

type ColumnValues = Record<string, unknown>;

/** Inserts a row with the columns that have a value, and returns its id. */
export async function insert(
  tx: Transaction,
  table: PgTable,
  values: ColumnValues,
): Promise<number> {
  const [made] = await tx.execute<{ id: number }>(insertion(table, values));
  return made?.id ?? 0;
}

/** The same as a part of a larger statement; for each row of `source`, if it is given. */
export function insertion(
  table: PgTable,
  values: ColumnValues,
  { returned = sql`id`, source }: { returned?: SQL; source?: SQL | undefined } = {},
): SQL {
  const set = assigned(table, values);
  const names = set.map(({ name }) => name);
  const given = sql.join(
    set.map(({ value }) => value),
    sql`, `,
  );
  const row = source ? sql`select ${given} from ${source}` : sql`values (${given})`;
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) ${row} returning ${returned}`;
}

/** Sets the columns that have a value; does nothing if none has. */
export async function assign(
  tx: Transaction,
  { table, where }: { table: PgTable; where: SQL },
  values: ColumnValues,
): Promise<void> {
  const set = assignments(table, values);
  if (set) await tx.execute(sql`update ${table} set ${set} where ${where}`);
}

/** The columns that have a value, for an update that is a part of a larger statement; undefined if none has. */
export function assignments(table: PgTable, values: ColumnValues): SQL | undefined {
  const set = assigned(table, values).map(({ name, value }) => sql`${name} = ${value}`);
  return set.length > 0 ? sql.join(set, sql`, `) : undefined;
}

/** As Drizzle's builder writes them, in a tenth of its time. */
function assigned(table: PgTable, values: ColumnValues): Array<{ name: SQL; value: SQL }> {
  const columns: Record<string, PgColumn> = getTableColumns(table);
  return Object.entries(values).flatMap(([key, value]) => {
    const column = columns[key];
    if (!column || value === undefined) return [];
    return [
      {
        name: sql.raw(`"${column.name}"`),
        value: value instanceof SQL ? value : sql`${sql.param(value, column)}`,
      },
    ];
  });
}

function versionOf(caller: Caller, table: PgTable): SQL {
  const columns = getTableColumns(table);
  if ("revision" in columns) return sql`revision`;
  return "unseen" in columns
    ? knownVersion(caller, { version: sql`version`, unseen: sql`unseen` })
    : sql`version`;
}

interface TransactionResult<T> {
  result: T;
  /** Undefined if a release before this one gave the answer, under the same key. */
  changeSet?: number | undefined;
}

async function runInTransaction<Made, T>(
  tx: Transaction,
  caller: Caller,
  { work, answer, locks = [] }: Steps<Made, T>,
): Promise<() => Promise<TransactionResult<T>>> {
  const { options } = caller;
  const claim = options?.idempotency;
  // Not awaited: it is sent together with the first statement of the work.
  const beginning = begin(tx, caller, locks);
  beginning.catch(() => {});
  try {
    const earlier = claim && (await claimKey(tx, caller, claim));
    if (earlier) {
      const { lines, changeSet } = earlier;
      return async () => ({ result: (await fromLines(lines)) as T, changeSet });
    }
    const made = await work(tx);
    if (isPlaced(caller) || mayBeRefused(caller)) {
      if (made instanceof Sent) await made.answer;
      if (isPlaced(caller)) await requireRights(tx, caller);
      if (mayBeRefused(caller)) await requireVariables(tx, caller);
    }
    const read = async () => {
      if (!(made instanceof Sent)) return answer(tx, made);
      const [, result] = await together(made.answer, answer(tx, made));
      return result;
    };
    const changeSet = await beginning;
    if (!options?.dry_run && !claim) return async () => ({ result: await read(), changeSet });
    const result = await read();
    if (options?.dry_run) {
      await tx.execute(sql`set constraints all immediate`);
      throw new DryRunResult(result);
    }
    if (claim) {
      const answer = { lines: await answerLines(result), changeSet };
      await storeAnswer(tx, caller, claim.key, answer);
    }
    return async () => ({ result, changeSet });
  } catch (error) {
    // If it failed, all later statements fail because of that.
    await beginning;
    throw error;
  }
}

/** Begins the change set, names it and the caller to the triggers, and locks these keys. */
async function begin(tx: Transaction, caller: Caller, locks: readonly string[]): Promise<number> {
  const locked = locks.map((key) => sql`, ${advisoryLockOn(sql`${key}`)}`);
  // In SQL: one round trip.
  const [set] = await tx.execute<{ id: number }>(
    sql`select ${beginning(caller)} as id${sql.join(locked)}`,
  );
  return set?.id ?? 0;
}

/** The columns that begin a change set; the last one is its id. */
function beginning({ at: moment, id, visit }: Caller): SQL {
  const at = moment?.toISOString() ?? "";
  return sql`
    set_config('app.user_id', ${String(id ?? "")}, true), set_config('app.now', ${at}, true),
    set_config('app.change_set', begin_change_set(
      nullif(${at}, '')::timestamptz, ${id}::integer, ${visit?.request_id ?? null}::text)::text, true)::int`;
}

/** What is stored of an answer under its key. */
interface FirstAnswer {
  lines: string;
  changeSet: number | undefined;
}

type KeyClaim = NonNullable<NonNullable<Caller["options"]>["idempotency"]>;

/** For answers with a secret: they are not stored, so a repeated request cannot get them again. */
export function refuseIdempotencyKey({ options }: Caller): void {
  if (!options?.idempotency) return;
  throw invalid("Idempotency-Key", "A secret is shown only once; leave out the idempotency key");
}

// In the transaction of the write: a key that is stored afterwards is lost if the process ends in between.
// The primary key makes a second request with the same key wait for the first one's transaction. A refused
// request stores nothing, so it can be sent again under the same key once it is corrected.
async function claimKey(
  tx: Transaction,
  caller: Caller,
  claim: KeyClaim,
): Promise<FirstAnswer | undefined> {
  const { key, fingerprint } = claim;
  const own = keyedBy(caller, key);
  const isOld = sql`${idempotency_keys.created_at} < now() - interval '24 hours'`;
  await tx.delete(idempotency_keys).where(and(own, isOld));
  const claimed = await tx
    .insert(idempotency_keys)
    .values({ user_id: caller.id ?? 0, key, fingerprint })
    .onConflictDoNothing()
    .returning({ key: idempotency_keys.key });
  if (claimed.length > 0) return undefined;
  const [first] = await tx.select().from(idempotency_keys).where(own);
  if (first?.fingerprint !== fingerprint) {
    throw invalid("Idempotency-Key", "This key was used for another request; use a new one");
  }
  const { answer, change_set } = first;
  return answer === null ? undefined : { lines: answer, changeSet: change_set ?? undefined };
}

async function storeAnswer(
  tx: Transaction,
  caller: Caller,
  key: string,
  { lines, changeSet }: FirstAnswer,
): Promise<void> {
  await tx
    .update(idempotency_keys)
    .set({ answer: lines, change_set: changeSet ?? null })
    .where(keyedBy(caller, key));
}

function keyedBy({ id }: Caller, key: string): SQL | undefined {
  return and(eq(idempotency_keys.user_id, id ?? 0), eq(idempotency_keys.key, key));
}

// Tags look like "v7.1a2b3c": the version decides, the rest tells one representation from another.
function versions(header: string): number[] {
  return [...header.matchAll(/"v([0-9]{1,9})(?:\.[0-9a-z]+)?"/g)].map(([, version]) =>
    Number(version),
  );
}

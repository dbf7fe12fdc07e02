// All writes run through here, as one transaction and one change set.
import { and, eq, getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { announceCommit } from "../../db/commits.ts";
import { DatabaseUnavailable, mayRunAgain, QueryRejected } from "../../db/errors.ts";
import { idempotency_keys } from "../../db/tables/user.ts";
import { type Caller, writeOptionsOf } from "../auth/auth.ts";
import { countRefusal } from "../auth/probing.ts";
import { visibleVersion } from "../auth/visibility.ts";
import { invalid, notFound, stale } from "../input/errors.ts";
import { isObject } from "../input/text.ts";
import { mapInSlices, yieldToOthers } from "../input/time_slices.ts";
import { refusalFor } from "./constraints.ts";
import { inUse } from "./in_use.ts";
import { isLimitedToPlaces, requireRights } from "./rights/check.ts";
import { noteLocked } from "./rights/locked.ts";
import { mayBeRefused, requireVariables } from "./rights/variables.ts";
import { callListeners, judge } from "./rules.ts";

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
 * Runs the work as one transaction of the caller: one change set, committed or rolled back as a whole. What the work has
 * written is judged at its end. `read` then reads what the caller gets, if that is more than the work returns.
 */
export function write<T>(caller: Caller, work: Work<T>): Promise<T>;
export function write<Made, T>(
  caller: Caller,
  work: Work<Made>,
  read: (tx: Transaction, made: Made) => Promise<T>,
): Promise<T>;
export function write(
  caller: Caller,
  work: Work<unknown>,
  read: (tx: Transaction, made: unknown) => Promise<unknown> = asMade,
): Promise<unknown> {
  const { within } = caller.options ?? {};
  if (within) return work(within).then((made) => read(within, made));
  return writeWithin({}, caller, (tx) => runInTransaction(tx, caller, work, read));
}

/** The caller whose writes are part of this one, which judges and commits them. */
export function partOf(tx: Transaction, caller: Caller): Caller {
  return { ...caller, options: { ...writeOptionsOf(caller), within: tx } };
}

/** The same with a longer deadline, for thousands of rows. */
export function writeMany<T>(
  caller: Caller,
  work: Work<T>,
  wanted = database.LONG_TRANSACTION,
): Promise<T> {
  return writeWithin({ wanted }, caller, (tx) => runInTransaction(tx, caller, work, asMade));
}

async function asMade<T>(_: Transaction, made: T): Promise<T> {
  return made;
}

async function writeWithin<T>(
  options: Parameters<typeof database.transaction>[1],
  caller: Caller,
  run: Work<TransactionResult<T>>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      let written: Transaction | undefined;
      const { result, changeSet } = await database.transaction((tx) => {
        if (attempt > 1) repeated.add(tx);
        written = tx;
        return run(tx);
      }, options);
      if (written) callListeners(written);
      if (changeSet !== undefined) {
        caller.options?.onCommit?.(changeSet);
        announceCommit();
      }
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

async function refusalOf(caller: Caller, error: unknown): Promise<unknown> {
  if (!(error instanceof QueryRejected)) return error;
  return (await inUse(caller, error)) ?? refusalFor(error);
}

/** The id of the change set of this transaction. */
export async function changeSetOf(tx: Transaction): Promise<number> {
  const [set] = await tx.execute<{ id: number }>(
    sql`select current_setting('app.change_set')::int as id`,
  );
  return set?.id ?? 0;
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
  if (isLimitedToPlaces(caller)) noteLocked(tx, { table: getTableName(table), id });
  requireVersion(caller, found.version);
  return found as Row;
}

/** Checks If-Match: 412 if the record has another version. */
function requireVersion({ options }: Caller, version: number): void {
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
  const [made] = await tx.insert(table).values(values).returning({ id: sql<number>`id` });
  return made?.id ?? 0;
}

/** Sets the columns that have a value; does nothing if none has. */
export async function assign(
  tx: Transaction,
  { table, where }: { table: PgTable; where: SQL },
  values: ColumnValues,
): Promise<void> {
  if (Object.values(values).every((value) => value === undefined)) return;
  await tx.update(table).set(values).where(where);
}

function versionOf(caller: Caller, table: PgTable): SQL {
  const columns = getTableColumns(table);
  if ("revision" in columns) return sql`revision`;
  return "unseen" in columns ? visibleVersion(caller, sql`${table}`) : sql`version`;
}

interface TransactionResult<T> {
  result: T;
  /** Undefined if a release before this one gave the answer, under the same key. */
  changeSet?: number | undefined;
}

async function runInTransaction<Made, T>(
  tx: Transaction,
  caller: Caller,
  work: Work<Made>,
  read: (tx: Transaction, made: Made) => Promise<T>,
): Promise<TransactionResult<T>> {
  const { dry_run, idempotency: claim } = caller.options ?? {};
  const changeSet = await begin(tx, caller);
  const earlier = claim && (await claimKey(tx, caller, claim));
  if (earlier) {
    return { result: (await fromLines(earlier.lines)) as T, changeSet: earlier.changeSet };
  }
  const made = await work(tx);
  await judge(tx, caller);
  if (isLimitedToPlaces(caller)) await requireRights(tx, caller);
  if (mayBeRefused(caller)) await requireVariables(tx, caller);
  const result = await read(tx, made);
  if (dry_run) {
    await tx.execute(sql`set constraints all immediate`);
    throw new DryRunResult(result);
  }
  if (claim) {
    await storeAnswer(tx, caller, claim.key, { lines: await answerLines(result), changeSet });
  }
  return { result, changeSet };
}

/**
 * Begins the change set, and names it and the caller to the triggers. The statements of a write find few rows by keys, whatever the
 * values are: without this setting, PostgreSQL plans the rules anew for each write, which takes longer than all the rest.
 */
async function begin(tx: Transaction, { at: moment, id, visit }: Caller): Promise<number> {
  const at = moment?.toISOString() ?? "";
  // In SQL: one round trip.
  const [set] = await tx.execute<{ id: number }>(sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('app.user_id', ${String(id ?? "")}, true), set_config('app.now', ${at}, true),
      set_config('app.change_set', begin_change_set(
        nullif(${at}, '')::timestamptz, ${id}::integer, ${visit?.request_id ?? null}::text)::text, true)::int as id`);
  return set?.id ?? 0;
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

// Stored answers of idempotent requests, as text. The answer of an import is too long for one JSON text: it is written
// and parsed in slices, so that other requests are served in between.

/** Elements of a list that stay in the first line. */
const FEW = 100;

/** JSON on one line; the elements of long lists follow on lines of their own, with the name of their list. */
async function answerLines(answer: unknown): Promise<string> {
  const long = Object.entries(isObject(answer) ? answer : {}).filter(isLong);
  if (long.length === 0) return JSON.stringify(answer);
  const emptied = Object.fromEntries(long.map(([name]) => [name, []]));
  const lines = [JSON.stringify({ ...(answer as object), ...emptied })];
  for (const [name, list] of long) {
    lines.push(...(await mapInSlices(list, (one) => JSON.stringify([name, one]))));
  }
  const text = lines.join("\n");
  await yieldToOthers();
  return text;
}

async function fromLines(text: string): Promise<unknown> {
  const [first = "", ...lines] = text.split("\n");
  const answer = JSON.parse(first);
  await mapInSlices(lines, (line) => {
    const [name, one] = JSON.parse(line);
    answer[name].push(one);
  });
  return answer;
}

function isLong(entry: [string, unknown]): entry is [string, unknown[]] {
  return Array.isArray(entry[1]) && entry[1].length > FEW;
}

// Statements and transactions on the driver, Bun's own SQL, which only db/ uses. It throws QueryRejected (a constraint failed)
// or DatabaseUnavailable (no answer in time), so that the driver stays replaceable.
import type { SQL } from "bun";
import { type SQL as Fragment, type SQLWrapper, sql } from "drizzle-orm";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { PgDialect } from "drizzle-orm/pg-core";
import { DatabaseUnavailable, mayRunAgain, NO_ANSWER } from "./errors.ts";
import {
  noteAnswerInTransaction,
  readFromPrimary,
  serverInUse,
  statementDeadline,
  withConnection,
  withSlowConnection,
} from "./servers.ts";
import { DEADLINE, MARGIN } from "./session_settings.ts";

const dialect = new PgDialect();

/** The text of a statement, and its values. */
export function rendered(query: Fragment): { sql: string; params: unknown[] } {
  return dialect.sqlToQuery(query);
}

/** Builds ordinary statements on one table. It takes a tenth of a millisecond, so statements of each request are SQL. */
export const build = drizzle.mock();

/** Either SQL, or a statement of the builder, which has the type of its rows. */
export type Statement<Row> = Fragment | (SQLWrapper & { readonly _: { readonly result: Row[] } });

/** Drizzle's builder, and statements as text. */
export interface Transaction
  extends Pick<BunSQLDatabase, "select" | "insert" | "update" | "delete" | "$count"> {
  /** It needs no `this`, so that it is passed on as a function that reads: see src/store/read.ts. */
  execute: <Row = Record<string, unknown>>(query: SQLWrapper | string) => Promise<Row[]>;
}

/** For a transaction that may write thousands of rows. */
export const LONG_TRANSACTION = 20_000;
/** A connection that breaks sooner was broken before: another one may work. */
const RETRY_WITHIN = 1_000;
export const READ_SNAPSHOT = "isolation level repeatable read read only";

/** Rows of one statement, prepared once per connection; sent again once if the connection broke or another one interfered. */
export async function rows<Row>(query: Statement<Row>): Promise<Row[]> {
  return withRetry((due) => withConnection((using) => ask(using, query), { due }));
}

/**
 * Work that only reads, over one connection: its statements are sent together as far as they do not wait for each other.
 * A page of several statements thus needs one connection, which has to plan them only once.
 */
export function onOneConnection<T>(work: (read: typeof rows) => Promise<T>): Promise<T> {
  const whole = async (using: SQL) => {
    const sent: Array<Promise<unknown>> = [];
    let isOver = false;
    const read: typeof rows = async <Row>(query: Statement<Row>) => {
      if (isOver) throw new Error("The work on this connection is over");
      const answer = ask(using, query);
      sent.push(answer);
      return answer;
    };
    try {
      return await work(read);
    } finally {
      isOver = true;
      // Others use the connection afterwards.
      await Promise.allSettled(sent);
    }
  };
  return withRetry((due) => withConnection(whole, { due }));
}

function ask<Row>(using: SQL, query: Statement<Row>): Promise<Row[]> {
  const { sql, params } = rendered(query.getSQL());
  return sendStatement<Row>(using, sql, params);
}

/**
 * The rows of each statement, all from one snapshot. For statements of few shapes that are frequent: PostgreSQL plans
 * each shape once per connection, whatever its values.
 */
export async function rowsInSnapshot<Row>(queries: readonly Fragment[]): Promise<Row[][]> {
  const written = queries.map((query) => rendered(query));
  const sendAll = (using: SQL) =>
    Promise.all(written.map(({ sql, params }) => sendStatement<Row>(using, sql, params)));
  return withRetry((due) =>
    withConnection(
      (using) => (queries.length > 1 ? using.begin(READ_SNAPSHOT, sendAll) : sendAll(using)),
      { due, use: "genericPlans" },
    ),
  );
}

/** Runs the work in one snapshot, with generic plans. The caller cancels what has not ended when it is due. */
export function inSnapshot<T>(work: (using: SQL) => Promise<T>, due: number): Promise<T> {
  const patience = Math.max(0, due - performance.now());
  return withConnection((using) => using.begin(READ_SNAPSHOT, work), {
    due: due + MARGIN,
    patience,
    use: "genericPlans",
  });
}

async function withRetry<T>(ask: (due: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  const due = started + statementDeadline();
  return ask(due).catch((error) => {
    const isFresh = performance.now() - started < RETRY_WITHIN;
    const wasBroken = error instanceof DatabaseUnavailable && error.broken && isFresh;
    // A migration locks all tables, and PostgreSQL ends either of two that wait for each other.
    if (wasBroken || mayRunAgain(error)) return ask(due);
    throw error;
  });
}

/** A fragment rendered to raw SQL, if it has no parameters: it is then rendered once and not for each request. */
export function precompile(part: Fragment): Fragment {
  const { sql: text, params } = rendered(part);
  return params.length === 0 ? sql.raw(text) : part;
}

/** The text of a statement, without its values. */
export function statementText(query: Fragment): string {
  return rendered(query).sql;
}

/** A cache key: equal for equal statements with equal values. */
export function statementKey(query: Fragment): string {
  const { sql, params } = rendered(query);
  return JSON.stringify([serverInUse(), sql, params]);
}

/** The one row of a statement without values. */
export async function rawRow<Row>(text: string): Promise<Row> {
  const [found] = await withConnection((using) => sendStatement<Row>(using, text, []));
  if (!found) throw new DatabaseUnavailable(NO_ANSWER);
  return found;
}

export async function row<Row>(query: Statement<Row>): Promise<Row | undefined> {
  return (await rows<Row>(query))[0];
}

/** One statement for data that is not edited by users: a last use, an ended session. It is never retried. */
export async function execute<Row>(query: SQLWrapper): Promise<Row[]> {
  const { sql, params } = rendered(query.getSQL());
  return readFromPrimary(() => withConnection((using) => sendStatement<Row>(using, sql, params)));
}

/**
 * One statement that may take long, on separate connections, so that no other request waits behind it. Throws a late
 * DatabaseUnavailable after `limit` milliseconds, the wait for a connection included.
 */
export function slowRows<Row>(query: Fragment, limit: number): Promise<Row[]> {
  const { sql, params } = rendered(query);
  return withSlowConnection(limit, (using, left) =>
    using.begin(async (tx) => {
      await tx.unsafe(`set local statement_timeout = ${left}`);
      return (await tx.unsafe(sql, params)) as Row[];
    }),
  );
}

export async function transaction<T>(
  work: (tx: Transaction) => Promise<T>,
  { wanted = DEADLINE }: { wanted?: number } = {},
): Promise<T> {
  const limit = Math.max(wanted, statementDeadline());
  const due = performance.now() + limit;
  const run = async (using: SQL) => {
    const tx = transactionOn(using, due);
    // Not awaited: it is sent together with the first statement of the work.
    const beginning = sendStatement(using, "begin", []);
    beginning.catch(() => {});
    try {
      if (limit > statementDeadline()) await tx.execute(longStatements(limit));
      const result = await work(tx);
      // The caller gets a timeout, so the transaction must not be committed.
      refuseIfLate(due);
      await beginning;
      await sendStatement(using, "commit", []);
      return result;
    } catch (error) {
      await sendStatement(using, "rollback", []).catch(() => {});
      throw error;
    }
  };
  return readFromPrimary(() =>
    withConnection((using) => onReserved(using, run), { due, use: "write" }),
  );
}

/** A connection that is not replaced if it breaks: what is left of a transaction must not run on another one. */
async function onReserved<T>(using: SQL, work: (reserved: SQL) => Promise<T>): Promise<T> {
  const reserved = await using.reserve();
  try {
    return await work(reserved);
  } finally {
    reserved.release();
  }
}

function transactionOn(using: SQL, due: number): Transaction {
  const logger = { logQuery: () => refuseIfLate(due) };
  const execute = <Row>(query: SQLWrapper | string) => {
    refuseIfLate(due);
    if (typeof query === "string") return sendStatement<Row>(using, query, []);
    const written = rendered(query.getSQL());
    return sendStatement<Row>(using, written.sql, written.params);
  };
  return Object.assign(drizzle({ client: using, logger }), { execute });
}

/** Called before each statement: by then the one before it was answered. */
function refuseIfLate(due: number): void {
  if (noteAnswerInTransaction() > due - MARGIN)
    throw new DatabaseUnavailable("The transaction took too long");
}

/** Each statement of the transaction may use the whole time. */
function longStatements(limit: number): Fragment {
  return sql.raw(`set local statement_timeout = ${limit - 2 * MARGIN}`);
}

// Bun.SQL 1.4.5 prepares statements with values and templates; PostgreSQL would plan any other one each time. It sends a
// statement when it is awaited, unless it is executed: statements have to be sent in the order of their calls.
export function sendStatement<Row>(using: SQL, text: string, params: unknown[]): Promise<Row[]> {
  const query = params.length > 0 ? using.unsafe(text, params) : using(asTemplate(text));
  return query.execute();
}

function asTemplate(text: string): TemplateStringsArray {
  return Object.defineProperty([text], "raw", { value: [text] }) as unknown as TemplateStringsArray;
}

// Statements and transactions on the driver, Bun's own SQL, which only db/ uses. It throws QueryRejected (a constraint failed)
// or DatabaseUnavailable (no answer in time), so that the driver stays replaceable.
import { AsyncLocalStorage } from "node:async_hooks";
import type { SQL } from "bun";
import { type SQL as Fragment, type SQLWrapper, sql } from "drizzle-orm";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { CONNECTIONS, connect, type DatabaseTarget } from "./connect.ts";
import { type Connections, connections } from "./connections.ts";
import { DatabaseUnavailable, NO_ANSWER, QueryRejected, translate } from "./errors.ts";
import { noteClose, noteOpen } from "./on_open.ts";
import { forgetPlans, type Plans, settingOf } from "./plans.ts";
import { rendered } from "./rendered.ts";
import { GENERIC_PLAN_CONNECTIONS, SLOW_CONNECTIONS } from "./search_limits.ts";
import { semaphore } from "./semaphore.ts";
import {
  BULK_DEADLINE,
  BULK_LIMITS,
  DEADLINE,
  GENERIC_PLAN_LIMITS,
  MARGIN,
  SESSION_LIMITS,
  type SessionSettings,
} from "./session_settings.ts";
import { noteTrouble, untilKnown } from "./trouble.ts";

/** Builds ordinary statements on one table. It takes a tenth of a millisecond, so statements of each request are SQL. */
export const build = drizzle.mock();

/** Either SQL, or a statement of the builder, which has the type of its rows. */
export type Statement<Row> = Fragment | (SQLWrapper & { readonly _: { readonly result: Row[] } });

export type { Plans } from "./plans.ts";
export type Transaction = Parameters<Parameters<BunSQLDatabase["transaction"]>[0]>[0];

const WAIT_FOR_CONNECTION = 2_000;
/** Seconds after which a connection that is not used is closed: each costs PostgreSQL 12 MB, and a burst opens all. */
const SHARED = { idleTimeout: 10 };
/** For a transaction that may write thousands of rows. */
export const LONG_TRANSACTION = 20_000;
/** Above the server's own statement_timeout: a server that is silent for longer is unreachable. */
const SILENCE_LIMIT = DEADLINE - MARGIN;
/** A connection that breaks sooner was broken before: another one may work. */
const RETRY_WITHIN = 1_000;
export const READ_SNAPSHOT = "isolation level repeatable read read only";
/** Connections that requests share. */
interface Pool {
  semaphore: ReturnType<typeof semaphore>;
  connect: (to: DatabaseTarget) => SQL;
  connections: Connections | undefined;
}

/** One server with its connections. */
interface Server {
  target: DatabaseTarget | undefined;
  shared: Pool;
  /** For statements of few shapes, with generic plans: see rowsInSnapshot(). */
  genericPlans: Pool;
  /** For what may be slow: see slowRows(). */
  slowPool: SQL | undefined;
  slowSemaphore: ReturnType<typeof semaphore>;
  /** When it last answered any statement: if it still answers others, a long transaction is no failure. */
  lastAnswer: number;
}

function unconnected(): Server {
  return {
    target: undefined,
    shared: {
      semaphore: semaphore(CONNECTIONS, WAIT_FOR_CONNECTION),
      connect: connectShared,
      connections: undefined,
    },
    genericPlans: {
      semaphore: semaphore(GENERIC_PLAN_CONNECTIONS, WAIT_FOR_CONNECTION),
      connect: (to) => connect(to, 1, GENERIC_PLAN_LIMITS, SHARED),
      connections: undefined,
    },
    slowPool: undefined,
    slowSemaphore: semaphore(SLOW_CONNECTIONS, WAIT_FOR_CONNECTION),
    lastAnswer: 0,
  };
}

function connectShared(to: DatabaseTarget): SQL {
  const closed = () => forgetPlans(made);
  const made = connect(to, 1, isBulk ? BULK_LIMITS : SESSION_LIMITS, { ...SHARED, closed });
  return made;
}

const main = unconnected();
/** See replica.ts. */
const replica = unconnected();
const reading = new AsyncLocalStorage<Server>();
let isBulk = false;

export function open(to: DatabaseTarget, { bulk = false } = {}): void {
  noteOpen(to);
  isBulk = bulk;
  connectTo(main, to);
}

function connectTo(server: Server, to: DatabaseTarget): void {
  server.target = to;
  for (const pool of [server.shared, server.genericPlans]) {
    pool.connections = connections(() => pool.connect(to));
  }
}

export async function close(patience = 5): Promise<void> {
  await Promise.all([disconnect(main, patience), disconnect(replica, patience), noteClose()]);
}

/** At once, and not the replica. */
export function leavePrimary(): void {
  disconnect(main, 0).catch(() => {});
}

async function disconnect(server: Server, patience: number): Promise<void> {
  const { shared, genericPlans, slowPool } = server;
  const closing = [shared.connections, genericPlans.connections];
  server.target = undefined;
  shared.connections = undefined;
  genericPlans.connections = undefined;
  server.slowPool = undefined;
  await Promise.all([
    ...closing.map((one) => one?.close(patience)),
    slowPool?.close({ timeout: patience }),
  ]);
}

/** Connects to a replica, or to none, for onReplica(). */
export function setReplica(to: DatabaseTarget | undefined): void {
  disconnect(replica, 0).catch(() => {});
  if (to) connectTo(replica, to);
}

/** Statements of this work that only read go to the replica. */
export function readFromReplica<T>(work: () => Promise<T>): Promise<T> {
  return reading.run(replica, work);
}

/** Part of such work that has to read from the primary. */
export function readFromPrimary<T>(work: () => Promise<T>): Promise<T> {
  return isOnReplica() ? reading.run(main, work) : work();
}

export function isOnReplica(): boolean {
  return server() === replica;
}

function server(): Server {
  // Without a replica it costs nothing.
  return replica.target ? (reading.getStore() ?? main) : main;
}

function deadline(): number {
  return isBulk ? BULK_DEADLINE : DEADLINE;
}

/** Work on a connection of its own to the database that is open: for what no request may wait for. */
export async function onSeparateConnection<T>(
  limits: SessionSettings,
  work: (using: SQL) => Promise<T>,
): Promise<T> {
  const { target } = server();
  if (!target) throw new DatabaseUnavailable("The database is not open");
  const using = connect(target, 1, { ...SESSION_LIMITS, ...limits });
  try {
    return await work(using);
  } catch (error) {
    throw translate(error);
  } finally {
    await using.close({ timeout: 1 });
  }
}

/** Rows of one statement, prepared once per connection; sent again once if the connection broke. */
export async function rows<Row>(query: Statement<Row>, plans?: Plans): Promise<Row[]> {
  return withRetry((due) => withConnection((using) => ask(using, query, plans), { due }));
}

/**
 * Work that only reads, over one connection: its statements are sent together as far as they do not wait for each other.
 * A page of several statements thus needs one connection, which has to plan them only once. The work waits for all of
 * them, as others use the connection afterwards.
 */
export function onOneConnection<T>(work: (read: typeof rows) => Promise<T>): Promise<T> {
  const whole = (using: SQL) => {
    let isOver = false;
    const read: typeof rows = async (query, plans) => {
      if (isOver) throw new Error("The work on this connection is over");
      return ask(using, query, plans);
    };
    return work(read).finally(() => {
      isOver = true;
    });
  };
  return withRetry((due) => withConnection(whole, { due }));
}

function ask<Row>(using: SQL, query: Statement<Row>, plans: Plans = "auto"): Promise<Row[]> {
  const { sql, params } = rendered(query.getSQL());
  if (params.length > 0) usePlans(using, plans);
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
      { due, pool: "genericPlans" },
    ),
  );
}

/** Runs the work in one snapshot, with generic plans. The caller cancels what has not ended when it is due. */
export function inSnapshot<T>(work: (using: SQL) => Promise<T>, due: number): Promise<T> {
  const patience = Math.max(0, due - performance.now());
  return withConnection((using) => using.begin(READ_SNAPSHOT, work), {
    due: due + MARGIN,
    patience,
    pool: "genericPlans",
  });
}

/** Cancels the statement of another connection of ours, without waiting for a free connection of the pool. */
export async function cancel(pid: number): Promise<void> {
  await atOnce((using) => using.unsafe("select pg_cancel_backend($1::integer)", [pid])).catch(
    () => {},
  );
}

/** The first row of a statement, with a generic plan. */
export async function genericPlanRow<Row>(query: Fragment): Promise<Row | undefined> {
  const [rows] = await rowsInSnapshot<Row>([query]);
  return rows?.[0];
}

async function withRetry<T>(ask: (due: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  const due = started + deadline();
  return ask(due).catch((error) => {
    const isFresh = performance.now() - started < RETRY_WITHIN;
    if (error instanceof DatabaseUnavailable && error.broken && isFresh) return ask(due);
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
  return JSON.stringify([server().target, sql, params]);
}

/** The one row of a statement without values. */
export async function rawRow<Row>(text: string): Promise<Row> {
  const [found] = await withConnection((using) => sendStatement<Row>(using, text, []));
  if (!found) throw new DatabaseUnavailable(NO_ANSWER);
  return found;
}

export async function row<Row>(query: Statement<Row>, plans?: Plans): Promise<Row | undefined> {
  return (await rows<Row>(query, plans))[0];
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
export async function slowRows<Row>(query: Fragment, limit: number): Promise<Row[]> {
  const { sql, params } = rendered(query);
  const due = performance.now() + limit;
  const { slowSemaphore } = server();
  const release = await slowSemaphore.acquire(limit);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const left = Math.max(1, Math.ceil(due - performance.now()));
    const using = slowConnections();
    const result = using.begin(async (tx) => {
      await tx.unsafe(`set local statement_timeout = ${left}`);
      return (await tx.unsafe(sql, params)) as Row[];
    });
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        forgetSlow(using);
        reject(new DatabaseUnavailable(NO_ANSWER));
      }, left + SILENCE_LIMIT);
    });
    return await Promise.race([result, silence]);
  } catch (error) {
    const translated = translate(error);
    if (!isOnReplica()) noteTrouble(translated);
    throw translated;
  } finally {
    clearTimeout(timer);
    release();
  }
}

function slowConnections(): SQL {
  const own = server();
  if (!own.target) throw new DatabaseUnavailable("The database is not open");
  own.slowPool ??= connect(own.target, SLOW_CONNECTIONS, SESSION_LIMITS, SHARED);
  return own.slowPool;
}

function forgetSlow(silent: SQL): void {
  for (const one of [main, replica]) if (one.slowPool === silent) one.slowPool = undefined;
  silent.close({ timeout: 0 }).catch(() => {});
}

export function transaction<T>(
  work: (tx: Transaction) => Promise<T>,
  wanted = DEADLINE,
): Promise<T> {
  const whole = async (tx: Transaction) => {
    const result = await work(tx);
    return () => Promise.resolve(result);
  };
  return transactionWithEnd(whole, { wanted });
}

/**
 * A transaction whose work returns a function that sends its last statements: they are sent together with the commit, so
 * that locks are not held for another round trip.
 */
export async function transactionWithEnd<T>(
  work: (tx: Transaction) => Promise<() => Promise<T>>,
  { wanted = DEADLINE, plans = "auto" }: { wanted?: number; plans?: Plans } = {},
): Promise<T> {
  const limit = Math.max(wanted, deadline());
  const due = performance.now() + limit;
  const run = async (using: SQL) => {
    const tx = transactionOn(using, due);
    // Not awaited: it is sent together with the first statement of the work.
    const beginning = sendStatement(using, "begin", []);
    beginning.catch(() => {});
    try {
      if (limit > deadline()) await tx.execute(longStatements(limit));
      const end = await work(tx);
      // The caller gets a timeout, so the transaction must not be committed.
      refuseIfLate(due);
      await beginning;
      return await committed(using, end());
    } catch (error) {
      await sendStatement(using, "rollback", []).catch(() => {});
      throw error;
    }
  };
  return readFromPrimary(() =>
    withConnection(
      (using) => {
        usePlans(using, plans);
        return onReserved(using, run);
      },
      { due },
    ),
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

async function committed<T>(using: SQL, last: Promise<T>): Promise<T> {
  const [result, outcome] = await Promise.allSettled([last, sendStatement(using, "commit", [])]);
  if (result.status === "rejected") throw result.reason;
  if (outcome.status === "rejected") throw outcome.reason;
  return result.value;
}

/** Drizzle's builder, and `execute` for statements as text, which Drizzle would take a third of a write to render. */
function transactionOn(using: SQL, due: number): Transaction {
  const logger = { logQuery: () => refuseIfLate(due) };
  const execute = (query: SQLWrapper | string) => {
    refuseIfLate(due);
    if (typeof query === "string") return sendStatement(using, query, []);
    const written = rendered(query.getSQL());
    return sendStatement(using, written.sql, written.params);
  };
  return Object.assign(drizzle({ client: using, logger }), { execute }) as unknown as Transaction;
}

/** Called before each statement: by then the one before it was answered. */
function refuseIfLate(due: number): void {
  main.lastAnswer = performance.now();
  if (main.lastAnswer > due - MARGIN)
    throw new DatabaseUnavailable("The transaction took too long");
}

/** Each statement of the transaction may use the whole time. */
function longStatements(limit: number): Fragment {
  return sql.raw(`set local statement_timeout = ${limit - 2 * MARGIN}`);
}

/** Whether the database answers now; for readiness, so it does not wait for a free connection of the pool. */
export async function ping(patience = 1_000): Promise<boolean> {
  const answer = atOnce((using) => using.unsafe("select 1")).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, Bun.sleep(patience).then(() => false)]);
}

/** Work on one more connection, if requests use all of theirs. */
async function atOnce<T>(work: (using: SQL) => Promise<T>): Promise<T> {
  return openOf(server().shared).use(work);
}

function openOf({ connections }: Pool): Connections {
  if (!connections) throw new DatabaseUnavailable("The database is not open");
  return connections;
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

/** For the next statements of this connection; sent together with the first one. */
function usePlans(using: SQL, wanted: Plans): void {
  const { target } = server();
  const setting = target && settingOf(using, wanted, { target, ask: genericPlanRow });
  // A connection that breaks fails the statement, too.
  if (setting) sendStatement(using, setting, []).catch(() => {});
}

interface ConnectionOptions {
  due?: number;
  patience?: number;
  pool?: "shared" | "genericPlans";
}

async function withConnection<T>(
  work: (using: SQL) => Promise<T>,
  {
    due = performance.now() + deadline(),
    patience = WAIT_FOR_CONNECTION,
    pool: name = "shared",
  }: ConnectionOptions = {},
): Promise<T> {
  const own = server();
  const pool = own[name];
  if (own === main) await untilKnown(patience);
  const release = await pool.semaphore.acquire(patience);
  const sentAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const open = openOf(pool);
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (performance.now() - Math.max(sentAt, own.lastAnswer) > deadline() - MARGIN)
          replacePool(own, pool, open);
        reject(new DatabaseUnavailable(NO_ANSWER));
      }, due - sentAt);
    });
    const result = await Promise.race([open.use(work), silence]);
    own.lastAnswer = performance.now();
    return result;
  } catch (error) {
    const translated = translate(error);
    if (translated instanceof QueryRejected) own.lastAnswer = performance.now();
    if (own === main) noteTrouble(translated);
    throw translated;
  } finally {
    clearTimeout(timer);
    release();
  }
}

// A server that does not answer within its own timeout is frozen or unreachable, and so are all connections to it. A new
// pool connects as soon as the server answers again.
function replacePool({ target: to }: Server, pool: Pool, silent: Connections): void {
  if (pool.connections !== silent || !to) return;
  pool.connections = connections(() => pool.connect(to));
  silent.close(0).catch(() => {});
}

// The one place that knows the driver: Bun's own SQL. What leaves it is Refused (a constraint spoke)
// or Away (no answer in time), so that the driver stays replaceable.
import { SQL } from "bun";
import { type SQL as Fragment, type SQLWrapper, sql } from "drizzle-orm";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { readAddress } from "./address.ts";
import { Away, Refused, translate } from "./faults.ts";
import { gate } from "./gate.ts";
import { forgetAll } from "./opening.ts";
import { PLANNED } from "./planned.ts";
import { rendered } from "./rendered.ts";
import { IN_LANE, LONGEST_SEARCH, STEADY } from "./searching.ts";

export interface Target {
  url?: string;
  /** Of the embedded server: the Unix socket's directory. */
  socket?: string;
  port?: number;
  user?: string;
  database?: string;
}

/** Makes ordinary statements on one table, in a tenth of a millisecond: what runs for each request is written as text. */
export const build = drizzle.mock();

/** As text, or as the builder made it, which knows its rows. */
export type Statement<Row> = Fragment | (SQLWrapper & { readonly _: { readonly result: Row[] } });

export type Transaction = Parameters<Parameters<BunSQLDatabase["transaction"]>[0]>[0];

const CONNECTIONS = 10;
const WAIT_FOR_CONNECTION = 2_000;
/** For an answer, the wait for a connection and a second try included. */
const DEADLINE = 6_000;
/** For a transaction that may write thousands of rows. */
export const LONG = 20_000;
/** What has not ended so long before the deadline does not come in time. */
const SPARE = 500;
/** Above the server's own statement_timeout: whoever is silent for longer is not there. */
const SILENCE = DEADLINE - SPARE;
/** A connection that breaks sooner was broken already, or its server has gone: another may do. */
const AT_ONCE = 1_000;
const ONE_MOMENT = "isolation level repeatable read read only";
type Limits = Record<string, string | number | boolean>;
const LIMITS: Limits = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: "cadastre",
  timezone: "UTC",
  ...PLANNED,
};

/** Connections that requests share. */
interface Pool {
  gate: ReturnType<typeof gate>;
  connect: (to: Target) => SQL;
  sql: SQL | undefined;
}

const everyday: Pool = {
  gate: gate(CONNECTIONS, WAIT_FOR_CONNECTION),
  connect,
  sql: undefined,
};
/** For statements of few shapes: see together(). */
const steady: Pool = {
  gate: gate(STEADY, WAIT_FOR_CONNECTION),
  connect: (to) =>
    connect(to, STEADY, {
      ...LIMITS,
      statement_timeout: LONGEST_SEARCH,
      plan_cache_mode: "force_generic_plan",
    }),
  sql: undefined,
};
const placesInLane = gate(IN_LANE, WAIT_FOR_CONNECTION);
let target: Target | undefined;
/** For what may be slow: see aside(). */
let lane: SQL | undefined;
/** When the server last said anything: one long transaction is no silence while it answers others. */
let heard = 0;

export function open(to: Target): void {
  forgetAll();
  target = to;
  everyday.sql = connect(to);
  steady.sql = steady.connect(to);
}

export async function close(): Promise<void> {
  const closing = [everyday.sql, steady.sql, lane];
  target = undefined;
  everyday.sql = undefined;
  steady.sql = undefined;
  lane = undefined;
  await Promise.all(closing.map((one) => one?.close({ timeout: 5 })));
}

/** A connection pool of its own, for what must not share ours: migrations, backup, long reads. */
export function connect(to: Target, max = CONNECTIONS, limits: Limits = LIMITS): SQL {
  return new SQL({
    adapter: "postgres",
    ...(to.url ? { url: to.url, ...databaseOf(to.url) } : {}),
    ...(to.socket
      ? { path: `${to.socket}/.s.PGSQL.${to.port}`, username: to.user, database: to.database }
      : {}),
    max,
    connectionTimeout: 5,
    connection: limits,
  });
}

/** Bun.SQL 1.4.5 would prefer PGDATABASE to what the address says. */
function databaseOf(url: string): { database?: string } {
  const database = readAddress(url)?.database;
  return database ? { database } : {};
}

/** Rows of one statement, prepared once per connection; asked again once when the connection broke. */
export async function rows<Row>(query: Statement<Row>): Promise<Row[]> {
  const { sql, params } = rendered(query.getSQL());
  return twice((due) => withConnection((using) => send<Row>(using, sql, params), { due }));
}

/**
 * What each of these statements finds, all at one moment. They come in few shapes, and often: PostgreSQL plans each
 * once for a connection, whatever its values.
 */
export async function together<Row>(queries: readonly Fragment[]): Promise<Row[][]> {
  const written = queries.map((query) => rendered(query));
  const sendAll = (using: SQL) =>
    Promise.all(written.map(({ sql, params }) => send<Row>(using, sql, params)));
  return twice((due) =>
    withConnection(
      (using) => (queries.length > 1 ? using.begin(ONE_MOMENT, sendAll) : sendAll(using)),
      { due, pool: steady },
    ),
  );
}

/** At one moment, on such a connection; what has not ended when it is due has to be ended by whoever asks. */
export function atOneMoment<T>(work: (using: SQL) => Promise<T>, due: number): Promise<T> {
  const patience = Math.max(0, due - performance.now());
  return withConnection((using) => using.begin(ONE_MOMENT, work), {
    due: due + SPARE,
    patience,
    pool: steady,
  });
}

/** Ends what another connection of ours is asked for; past the queue of the others. */
export async function cancel(pid: number): Promise<void> {
  await everyday.sql?.unsafe("select pg_cancel_backend($1::integer)", [pid]).catch(() => {});
}

/** The row of a statement of the same kind. */
export async function steadyRow<Row>(query: Fragment): Promise<Row | undefined> {
  const [rows] = await together<Row>([query]);
  return rows?.[0];
}

async function twice<T>(ask: (due: number) => Promise<T>): Promise<T> {
  const begun = performance.now();
  const due = begun + DEADLINE;
  return ask(due).catch((fault) => {
    const isFresh = performance.now() - begun < AT_ONCE;
    if (fault instanceof Away && fault.broken && isFresh) return ask(due);
    throw fault;
  });
}

/** A part of statements as its text, if there are no values in it. */
export function written(part: Fragment): Fragment {
  const { sql: text, params } = rendered(part);
  return params.length === 0 ? sql.raw(text) : part;
}

/** The same for the same statement with the same values, and for no other. */
export function nameOf(query: Fragment): string {
  const { sql, params } = rendered(query);
  return JSON.stringify([target, sql, params]);
}

export async function row<Row>(query: Statement<Row>): Promise<Row | undefined> {
  return (await rows<Row>(query))[0];
}

/** One statement that changes something nobody edits: a last use, an ended session. Never asked twice. */
export async function change<Row>(query: SQLWrapper): Promise<Row[]> {
  const { sql, params } = rendered(query.getSQL());
  return withConnection((using) => send<Row>(using, sql, params));
}

/**
 * One statement that may take long, on connections of its own, so that nobody waits behind it; Away, and late, when it
 * takes longer than so many milliseconds, the wait for a connection included.
 */
export async function aside<Row>(query: Fragment, limit: number): Promise<Row[]> {
  const { sql, params } = rendered(query);
  const due = performance.now() + limit;
  const leave = await placesInLane.enter(limit);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const left = Math.max(1, Math.ceil(due - performance.now()));
    if (!target) throw new Away("The database is not open");
    lane ??= connect(target, IN_LANE);
    const using = lane;
    const asked = using.begin(async (tx) => {
      await tx.unsafe(`set local statement_timeout = ${left}`);
      return (await tx.unsafe(sql, params)) as Row[];
    });
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (lane === using) lane = undefined;
        using.close({ timeout: 0 }).catch(() => {});
        reject(new Away("The database does not answer"));
      }, left + SILENCE);
    });
    return await Promise.race([asked, silence]);
  } catch (fault) {
    throw translate(fault);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

export async function transaction<T>(
  work: (tx: Transaction) => Promise<T>,
  limit = DEADLINE,
): Promise<T> {
  const due = performance.now() + limit;
  const logger = { logQuery: () => goOn(due) };
  const inTime = async (tx: Transaction) => {
    if (limit > DEADLINE) await tx.execute(longer(limit));
    const result = await work(tx);
    // Whoever asked is about to be told that it failed: so it must, and leave nothing behind.
    goOn(due);
    return result;
  };
  return withConnection((using) => drizzle({ client: using, logger }).transaction(inTime), { due });
}

/** When a transaction asks for the next thing, what it asked for before was answered. */
function goOn(due: number): void {
  heard = performance.now();
  if (heard > due - SPARE) throw new Away("The transaction took too long");
}

/** Each of its statements may take as much of that as it needs. */
function longer(limit: number): Fragment {
  return sql.raw(`set local statement_timeout = ${limit - 2 * SPARE}`);
}

/** Whether the database answers now; for readiness, past the queue of the others. */
export async function ping(patience = 1_000): Promise<boolean> {
  if (!everyday.sql) return false;
  const asked = everyday.sql.unsafe("select 1").then(
    () => true,
    () => false,
  );
  return Promise.race([asked, Bun.sleep(patience).then(() => false)]);
}

// Bun.SQL 1.4.5 prepares what has values or comes as a template; the rest PostgreSQL would plan each time.
export function send<Row>(using: SQL, text: string, params: unknown[]): Promise<Row[]> {
  if (params.length > 0) return using.unsafe(text, params);
  return using(asTemplate(text));
}

function asTemplate(text: string): TemplateStringsArray {
  return Object.defineProperty([text], "raw", { value: [text] }) as unknown as TemplateStringsArray;
}

async function withConnection<T>(
  work: (using: SQL) => Promise<T>,
  { due = performance.now() + DEADLINE, patience = WAIT_FOR_CONNECTION, pool = everyday } = {},
): Promise<T> {
  const leave = await pool.gate.enter(patience);
  const asked = performance.now();
  const using = pool.sql;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    if (!using) throw new Away("The database is not open");
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (performance.now() - Math.max(asked, heard) > SILENCE) abandon(pool, using);
        reject(new Away("The database does not answer"));
      }, due - asked);
    });
    const result = await Promise.race([work(using), silence]);
    heard = performance.now();
    return result;
  } catch (fault) {
    const known = translate(fault);
    if (known instanceof Refused) heard = performance.now();
    throw known;
  } finally {
    clearTimeout(timer);
    leave();
  }
}

// A server that is silent past its own timeout is frozen or cut off, and so is every connection to
// it: a new pool finds it again as soon as it answers.
function abandon(pool: Pool, silent: SQL): void {
  if (pool.sql !== silent || !target) return;
  pool.sql = pool.connect(target);
  silent.close({ timeout: 0 }).catch(() => {});
}

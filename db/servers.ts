// The servers that statements go to, the primary and perhaps a replica, with their connections: how many there are, how long
// a request waits for one and for its answer, and what is done about a server that is silent.
import { AsyncLocalStorage } from "node:async_hooks";
import type { SQL } from "bun";
import { connect, type DatabaseTarget } from "./connect.ts";
import { DatabaseUnavailable, NO_ANSWER, QueryRejected, translate } from "./errors.ts";
import { noteClose, noteOpen } from "./on_open.ts";
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

/** How many may use the shared connections at once. Writers that wait for a lock keep nobody from reading. */
const [READERS, WRITERS] = [5, 5];
const WAIT_FOR_CONNECTION = 2_000;
/** Seconds after which a connection that is not used is closed: each costs PostgreSQL 12 MB, and a burst opens all. */
const SHARED = { idleTimeout: 10 };
/** Above the server's own statement_timeout: a server that is silent for longer is unreachable. */
const SILENCE_LIMIT = DEADLINE - MARGIN;

/** Connections that requests share. */
interface Pool {
  connect: (to: DatabaseTarget) => SQL;
  connections: Connections | undefined;
}

/** For transactions that write, for all other statements, or for those with generic plans. */
type ConnectionUse = "read" | "write" | "genericPlans";

/** One server with its connections. */
interface Server {
  target: DatabaseTarget | undefined;
  shared: Pool;
  /** For statements of few shapes: see rowsInSnapshot() in client.ts. */
  genericPlans: Pool;
  /** For what may be slow: see slowRows() in client.ts. */
  slowPool: SQL | undefined;
  semaphores: Record<ConnectionUse | "slow", ReturnType<typeof semaphore>>;
  /** When it last answered any statement: if it still answers others, a long transaction is no failure. */
  lastAnswer: number;
}

function unconnected(): Server {
  return {
    target: undefined,
    shared: { connect: connectShared, connections: undefined },
    genericPlans: {
      connect: (to) => connect(to, 1, GENERIC_PLAN_LIMITS, SHARED),
      connections: undefined,
    },
    slowPool: undefined,
    semaphores: {
      read: semaphore(READERS, WAIT_FOR_CONNECTION),
      write: semaphore(WRITERS, WAIT_FOR_CONNECTION),
      genericPlans: semaphore(GENERIC_PLAN_CONNECTIONS, WAIT_FOR_CONNECTION),
      slow: semaphore(SLOW_CONNECTIONS, WAIT_FOR_CONNECTION),
    },
    lastAnswer: 0,
  };
}

function connectShared(to: DatabaseTarget): SQL {
  return connect(to, 1, isBulk ? BULK_LIMITS : SESSION_LIMITS, SHARED);
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
  return currentServer() === replica;
}

/** The server that the statements of this work go to. */
export function serverInUse(): DatabaseTarget | undefined {
  return currentServer().target;
}

/** The primary has answered a statement of a transaction. Returns the time. */
export function noteAnswerInTransaction(): number {
  main.lastAnswer = performance.now();
  return main.lastAnswer;
}

function currentServer(): Server {
  // Without a replica it costs nothing.
  return replica.target ? (reading.getStore() ?? main) : main;
}

/** Milliseconds in which a statement or a transaction of one record has to be answered. */
export function statementDeadline(): number {
  return isBulk ? BULK_DEADLINE : DEADLINE;
}

/** Work on a connection of its own to the database that is open: for what no request may wait for. */
export async function withSeparateConnection<T>(
  limits: SessionSettings,
  work: (using: SQL) => Promise<T>,
): Promise<T> {
  const { target } = currentServer();
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

/** Work on a connection for what may be slow, which gets the milliseconds that are left of its limit. */
export async function withSlowConnection<T>(
  limit: number,
  work: (using: SQL, left: number) => Promise<T>,
): Promise<T> {
  const due = performance.now() + limit;
  const release = await currentServer().semaphores.slow.acquire(limit);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const left = Math.max(1, Math.ceil(due - performance.now()));
    const using = slowConnections();
    const result = work(using, left);
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
  const own = currentServer();
  if (!own.target) throw new DatabaseUnavailable("The database is not open");
  own.slowPool ??= connect(own.target, SLOW_CONNECTIONS, SESSION_LIMITS, SHARED);
  return own.slowPool;
}

function forgetSlow(silent: SQL): void {
  for (const one of [main, replica]) if (one.slowPool === silent) one.slowPool = undefined;
  silent.close({ timeout: 0 }).catch(() => {});
}

/** Whether the database answers now; for readiness, so it does not wait for a free connection of the pool. */
export async function ping(patience = 1_000): Promise<boolean> {
  const answer = atOnce((using) => using.unsafe("select 1")).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, Bun.sleep(patience).then(() => false)]);
}

/** Cancels the statement of another connection of ours, without waiting for a free connection of the pool. */
export async function cancel(pid: number): Promise<void> {
  await atOnce((using) => using.unsafe("select pg_cancel_backend($1::integer)", [pid])).catch(
    () => {},
  );
}

/** Work on one more connection, if requests use all of theirs. */
async function atOnce<T>(work: (using: SQL) => Promise<T>): Promise<T> {
  return openOf(currentServer().shared).use(work);
}

function openOf({ connections }: Pool): Connections {
  if (!connections) throw new DatabaseUnavailable("The database is not open");
  return connections;
}

interface ConnectionOptions {
  due?: number;
  patience?: number;
  use?: ConnectionUse;
}

/** Work on one of the shared connections; an answer that is not there when it is due is a DatabaseUnavailable. */
export async function withConnection<T>(
  work: (using: SQL) => Promise<T>,
  {
    due = performance.now() + statementDeadline(),
    patience = WAIT_FOR_CONNECTION,
    use = "read",
  }: ConnectionOptions = {},
): Promise<T> {
  const own = currentServer();
  const pool = use === "genericPlans" ? own.genericPlans : own.shared;
  if (own === main) await untilKnown(patience);
  const release = await own.semaphores[use].acquire(patience);
  const sentAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const open = openOf(pool);
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (performance.now() - Math.max(sentAt, own.lastAnswer) > statementDeadline() - MARGIN)
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

/**
 * A pool that uses the connection that was used last: its plans and caches are warm, and those that are not needed become
 * idle. Bun.SQL 1.4.5 takes another connection for each transaction.
 */
interface Connections {
  /** Work on a connection that nobody else uses meanwhile. */
  use<T>(work: (using: SQL) => Promise<T>): Promise<T>;
  close(patience: number): Promise<void>;
}

/** `connect` makes one connection. The caller limits how many are used at once. */
function connections(connect: () => SQL): Connections {
  const all = new Set<SQL>();
  const idle: SQL[] = [];

  function another(): SQL {
    const made = connect();
    all.add(made);
    return made;
  }

  async function use<T>(work: (using: SQL) => Promise<T>): Promise<T> {
    const using = idle.pop() ?? another();
    try {
      return await work(using);
    } finally {
      idle.push(using);
    }
  }

  async function close(timeout: number): Promise<void> {
    await Promise.all([...all].map((one) => one.close({ timeout })));
  }

  return { use, close };
}

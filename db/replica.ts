// Reads on a replica. Work that only reads runs there if the replica has replayed everything that the primary had
// written when the work began, otherwise on the primary. So what it returns is as new as on the primary: everybody who
// has written reads what they wrote, and what was hidden stays hidden, whichever instance has written it.
import type { SQL } from "bun";
import { readServers, type ServerList } from "./address.ts";
import { keepDoing } from "./background.ts";
import { rawRow } from "./client.ts";
import { connect, type DatabaseTarget } from "./connect.ts";
import { DatabaseUnavailable, mayRunAgain, messageIn, NO_ANSWER } from "./errors.ts";
import { findServer, inTime, walTimeline } from "./failover.ts";
import { isOnReplica, readFromPrimary, readFromReplica, setReplica } from "./servers.ts";

/** Milliseconds between two looks at the replica. */
const INTERVAL = 1_000;
/** Milliseconds in which a replica of use answers, and replays what the primary has. */
const LONGEST_LAG = 500;
const SILENCE_LIMIT = 1_000;
/** Milliseconds that one read waits for the replica. */
const PATIENCE = 25;
const PAUSE = 2;

interface Position {
  /** The position in the log, in bytes. */
  at: number;
  timeline: number;
}

interface ReplicaState extends Position {
  isReplica: boolean;
  system: string;
}

/** Acknowledged writes are before it, because a commit is acknowledged when the log is on disk. */
const WRITTEN = `
  select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as at,
    ${walTimeline("pg_current_wal_flush_lsn()")} as timeline`;
const WRITTEN_AND_SYSTEM = `${WRITTEN}, (select system_identifier::text from pg_control_system()) as system`;
const REPLAYED = "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as at";
/**
 * A replica receives a new timeline only if that continues what it has replayed. Roles without pg_read_all_stats see this
 * after its next checkpoint.
 */
const STATE = `
  select coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8 as at,
    pg_is_in_recovery() as "isReplica",
    greatest((select timeline_id from pg_control_checkpoint()),
      (select received_tli from pg_stat_wal_receiver where status = 'streaming')) as timeline,
    (select system_identifier::text from pg_control_system()) as system`;

interface Replica {
  using: SQL;
  timeline: number;
  /** What it has replayed at least. */
  replayed: number;
  askReplayed: () => Promise<number>;
  /** Rejects when it is left out, so that no read waits for it. */
  lost: PromiseWithResolvers<never>;
}

/** The one that can be used now. */
let usable: Replica | undefined;
let askWritten: (() => Promise<Position>) | undefined;

/** Work that only reads and may run twice: on the replica, or on the primary where there is none that is up to date. */
export async function onReplica<T>(work: () => Promise<T>): Promise<T> {
  const replica = usable;
  if (!replica || isOnReplica() || !(await hasReplayed(replica))) return work();
  try {
    return await Promise.race([readFromReplica(work), replica.lost.promise]);
  } catch (error) {
    if (error instanceof DatabaseUnavailable && !error.late) leaveOut(replica);
    else if (!mayRunAgain(error)) throw error;
    // A replica cancels what would delay its replay.
    return work();
  }
}

/** Work that must not run twice at a time; a DatabaseUnavailable says that it may run again. */
export async function onReplicaOnce<T>(work: () => Promise<T>): Promise<T> {
  const replica = usable;
  if (!replica || !(await hasReplayed(replica))) return work();
  return readFromReplica(work).catch((error) => {
    if (!mayRunAgain(error)) throw error;
    throw new DatabaseUnavailable("The replica has cancelled a statement", { cause: error });
  });
}

/** Everything that the primary has written by now. */
async function hasReplayed(replica: Replica): Promise<boolean> {
  const until = performance.now() + PATIENCE;
  try {
    const written = await askWritten?.();
    if (!written || written.timeline !== replica.timeline) return leaveOut(replica);
    for (;;) {
      if (replica.replayed >= written.at) return usable === replica;
      replica.replayed = await inTime(replica.askReplayed(), LONGEST_LAG);
      if (replica.replayed >= written.at) return usable === replica;
      if (performance.now() > until) return leaveOut(replica);
      await Bun.sleep(PAUSE);
    }
  } catch {
    return leaveOut(replica);
  }
}

/** Until the next look. */
function leaveOut(replica: Replica): false {
  if (usable === replica) usable = undefined;
  replica.lost.reject(new DatabaseUnavailable(NO_ANSWER));
  return false;
}

/**
 * Shares one question among those who ask at the same time. An answer to a question that was sent before somebody asked
 * would be too old, so they share the next one.
 */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const asking = ask().finally(() => {
      if (current === asking) current = undefined;
    });
    current = asking;
    return asking;
  };
  return () => {
    if (!current) return begin();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}

interface ReplicaToWatch {
  url: string;
  report: (line: string) => void;
}

/** Uses the replica while it is up to date, which is checked once a second. Returns a function that ends it. */
export function watchReplica({ url, report }: ReplicaToWatch): () => void {
  const list = readServers(url);
  let connected: { target: DatabaseTarget; using: SQL } | undefined;
  let wasUsed: boolean | undefined;
  /** At which server of the list the next search begins. */
  let turn = 0;
  askWritten = shared(() => fromPrimary<Position>(WRITTEN));

  async function check(): Promise<void> {
    connected ??= await connectTo(list ? inTurn(list, turn) : url);
    const { using } = connected;
    const primary = await fromPrimary<ReplicaState>(WRITTEN_AND_SYSTEM);
    const until = performance.now() + LONGEST_LAG;
    for (;;) {
      const state = await inTime(ask<ReplicaState>(using, STATE), SILENCE_LIMIT);
      const isOurs = state.system === primary.system && state.timeline === primary.timeline;
      if (!state.isReplica) throw new DatabaseUnavailable("it is not a replica");
      if (!isOurs) throw new DatabaseUnavailable("it has not yet followed the primary");
      if (state.at >= primary.at) return use(using, state);
      if (performance.now() > until) throw new DatabaseUnavailable("it is too far behind");
      await Bun.sleep(PAUSE);
    }
  }

  function use(using: SQL, { at: replayed, timeline }: ReplicaState): void {
    if (usable?.using === using && usable.timeline === timeline) return;
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {});
    const askReplayed = shared(() =>
      inTime(ask<Position>(using, REPLAYED), SILENCE_LIMIT).then(({ at }) => at),
    );
    usable = { using, timeline, replayed, askReplayed, lost };
    if (wasUsed === false) report("The replica is used again");
    wasUsed = true;
  }

  function forget(error: unknown): void {
    if (usable) leaveOut(usable);
    const why = messageIn(error);
    if (wasUsed !== false) report(`The replica is not used: ${why}`);
    wasUsed = false;
    turn += 1;
    // It may be of use at the next look. Of several, another one may be of use now.
    if (!list && error instanceof DatabaseUnavailable && !error.broken) return;
    drop();
  }

  function drop(): void {
    connected?.using.close({ timeout: 0 }).catch(() => {});
    connected = undefined;
    setReplica(undefined);
  }

  const watching = keepDoing("The replica is not watched", () => check().catch(forget), {
    every: INTERVAL,
  });
  watching.wake();
  return () => {
    if (usable) leaveOut(usable);
    askWritten = undefined;
    drop();
    // A check that was under way may have connected again.
    void watching.stop().then(drop);
  };
}

function inTurn(list: ServerList, turn: number): ServerList {
  const first = turn % list.urls.length;
  return { ...list, urls: [...list.urls.slice(first), ...list.urls.slice(0, first)] };
}

async function connectTo(
  servers: ServerList | string,
): Promise<{ target: DatabaseTarget; using: SQL }> {
  const isList = typeof servers !== "string";
  const found = isList ? await findServer(servers) : { target: { url: servers }, problems: [] };
  if (!found.target) throw new Error(found.problems.join("; "));
  const { target } = found;
  setReplica(target);
  return { target, using: connect(target, 1, { application_name: "cadastre watch" }) };
}

function fromPrimary<Row>(text: string): Promise<Row> {
  return readFromPrimary(() => rawRow<Row>(text));
}

async function ask<Row>(using: SQL, text: string): Promise<Row> {
  const [row]: Row[] = await using.unsafe(text);
  if (row === undefined) throw new DatabaseUnavailable(NO_ANSWER, { broken: true });
  return row;
}

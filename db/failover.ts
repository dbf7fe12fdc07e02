// A database on several servers, of which one is the primary at a time: finds the server that the URL wants, watches it,
// and connects to another one when it is lost.
//
// Three things keep writes away from a primary that was replaced. Its connections end when it becomes a replica, and
// new ones are refused there. A server on an older timeline than the newest known one is not used, because each promotion
// begins a new one; unless there is no other for a minute, when a former primary has long become a replica. And the
// server is asked once a second, so an idle process notices a promotion, too.
import type { SQL } from "bun";
import type { ServerList, SessionAttributes } from "./address.ts";
import { keepDoing } from "./background.ts";
import { connect, type DatabaseTarget } from "./connect.ts";
import { DatabaseUnavailable, messageIn, NO_ANSWER } from "./errors.ts";
import { CannotMigrate, explainConnectionError } from "./migrate.ts";
import { clearCaches } from "./on_open.ts";
import * as servers from "./servers.ts";
import { noteAnswer, onTrouble, resume, suspend } from "./trouble.ts";

/** Milliseconds between two looks at the server. */
const INTERVAL = 1_000;
/** Milliseconds without an answer after which a server is frozen or cut off. A busy one takes long, too. */
const SILENCE_LIMIT = 3_000;
/** Milliseconds between two searches for a server. */
const SEARCH_PAUSE = 200;
/** Milliseconds after which a primary on an older timeline is used: a former one has become a replica by then. */
const LONGEST_SEARCH = 60_000;
/** Milliseconds for the other servers to answer, once there is one that can be used. */
const GRACE = 150;
/** Milliseconds after which no read is under way that began on the former server. */
const LONGEST_READ = 10_000;

interface ServerState {
  is_replica: boolean;
  is_read_only: boolean;
  /** 0 on a replica. */
  timeline: number;
}

/** In SQL: the timeline of a position in the log. */
export function walTimeline(position: string): string {
  return `('x' || left(pg_walfile_name(${position}), 8))::bit(32)::integer`;
}

const STATE = `
  select pg_is_in_recovery() as is_replica, current_setting('transaction_read_only') = 'on' as is_read_only,
    case when pg_is_in_recovery() then 0
      else ${walTimeline("pg_current_wal_insert_lsn()")} end as timeline`;

const SETTINGS = { application_name: "cadastre watch", statement_timeout: SILENCE_LIMIT };

const ACCEPTS: Record<SessionAttributes, (state: ServerState) => boolean> = {
  any: () => true,
  "read-write": ({ is_read_only }) => !is_read_only,
  "read-only": ({ is_read_only }) => is_read_only,
  primary: ({ is_replica }) => !is_replica,
  standby: ({ is_replica }) => is_replica,
  "prefer-standby": ({ is_replica }) => is_replica,
};

/** No server of the URL can be used at the moment; the message says why for each. */
export class NoServer extends CannotMigrate {}

/** Of the primaries that this process has used. */
let newestTimeline = 0;

interface ServerSearch {
  target: DatabaseTarget | undefined;
  /** Why the servers cannot be used, one sentence each. */
  problems: string[];
}

/**
 * Looks at all servers at the same time. Of those that are as wanted, the first one of the newest timeline. With
 * `isPatient` the others are asked again and again while one of them does not answer: it may be the former primary.
 */
export async function findServer(list: ServerList, isPatient = false): Promise<ServerSearch> {
  const { wanted, urls } = list;
  const found = new Map<string, ServerState>();
  const problems = new Map<string, string>();
  const first = Promise.withResolvers<void>();
  const deadline = performance.now() + patienceOf(list);
  const timeLeft = () => Math.max(1, deadline - performance.now());
  const lookAt = async (url: string): Promise<boolean> => {
    try {
      const state = await lookOnce({ url }, timeLeft());
      found.set(url, state);
      const problem = problemOf(state, wanted);
      if (!problem) problems.delete(url);
      else problems.set(url, `${hostInUrl(url)} ${problem}`);
      return !problem;
    } catch (error) {
      found.delete(url);
      problems.set(url, messageIn(error));
      return false;
    }
  };
  let waiting = urls.length;
  let isChosen = false;
  const looks = urls.map(async (url) => {
    let isUsable = await lookAt(url);
    waiting -= 1;
    while (isPatient && !isUsable && !isChosen && waiting > 0 && performance.now() < deadline) {
      await Bun.sleep(SEARCH_PAUSE);
      isUsable = await lookAt(url);
    }
    if (isUsable) first.resolve();
  });
  const all = Promise.all(looks);
  await Promise.race([all, first.promise.then(() => Promise.race([all, Bun.sleep(GRACE)]))]);
  isChosen = true;
  const chosen = choose(list, found, problems);
  if (chosen === undefined) {
    return { target: undefined, problems: urls.map((url) => problems.get(url) ?? "") };
  }
  newestTimeline = Math.max(newestTimeline, found.get(chosen)?.timeline ?? 0);
  return { target: { url: chosen, mustAcceptWrites: needsWrites(wanted) }, problems: [] };
}

function choose(
  { wanted, urls }: ServerList,
  found: ReadonlyMap<string, ServerState>,
  problems: ReadonlyMap<string, string>,
): string | undefined {
  const answered = urls.filter((url) => found.has(url));
  const usable = answered.filter((url) => !problems.has(url));
  const candidates = usable.length === 0 && wanted === "prefer-standby" ? answered : usable;
  const timelineAt = (url: string) => found.get(url)?.timeline ?? 0;
  const newest = Math.max(...candidates.map(timelineAt));
  // In the order of the list, unless two call themselves the primary.
  if (!needsWrites(wanted)) return candidates[0];
  return candidates.find((url) => timelineAt(url) === newest);
}

function problemOf(state: ServerState, wanted: SessionAttributes): string | undefined {
  if (!ACCEPTS[wanted](state)) return `is not ${wanted}`;
  if (needsWrites(wanted) && state.timeline < newestTimeline) return "was replaced as the primary";
  return undefined;
}

function needsWrites(wanted: SessionAttributes): boolean {
  return wanted === "read-write" || wanted === "primary";
}

function patienceOf({ patience }: ServerList): number {
  return patience ? patience * 1_000 : SILENCE_LIMIT;
}

function hostInUrl(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get("host") ?? host;
}

async function lookOnce(target: DatabaseTarget, patience: number): Promise<ServerState> {
  const using = connect(target, 1, SETTINGS);
  try {
    return await look(using, patience);
  } catch (error) {
    throw explainConnectionError(error, target);
  } finally {
    using.close({ timeout: 0 }).catch(() => {});
  }
}

async function look(using: SQL, patience: number): Promise<ServerState> {
  const [state]: ServerState[] = await inTime(using.unsafe(STATE), patience);
  if (!state) throw new DatabaseUnavailable(NO_ANSWER);
  return state;
}

/** A frozen server does not answer at all. */
export async function inTime<T>(asking: Promise<T>, patience: number): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new DatabaseUnavailable(NO_ANSWER, { broken: true })),
    patience,
  );
  return Promise.race([asking, silence.promise]).finally(() => clearTimeout(timer));
}

/** The server to use. */
export async function openServer(list: ServerList): Promise<DatabaseTarget> {
  const { target, problems } = await findServer(list);
  if (!target) throw new NoServer(`No server can be used: ${problems.join("; ")}`);
  return target;
}

interface ServerToWatch {
  list: ServerList;
  target: DatabaseTarget;
  report: (line: string) => void;
}

interface WatchedServer extends ServerToWatch {
  /** The connection on which the server is asked. */
  using: SQL | undefined;
  isOver: boolean;
}

/** Watches the server that is open, and opens another one when it is lost. Returns a function that ends it. */
export function watchServer(watching: ServerToWatch): () => void {
  const watched: WatchedServer = { ...watching, using: undefined, isOver: false };
  const look = async () => {
    if (!(await isRight(watched)) && !watched.isOver) await replace(watched);
    resume();
  };
  const looking = keepDoing("The database is not watched", look, { every: INTERVAL });
  onTrouble(looking.wake);
  return () => {
    watched.isOver = true;
    onTrouble(undefined);
    void looking.stop().then(() => forget(watched));
  };
}

/** A connection that breaks proves nothing: the second one is new. A frozen server is not waited for twice. */
async function isRight(watched: WatchedServer): Promise<boolean> {
  for (let tries = 0; tries < 2 && !watched.isOver; tries += 1) {
    const { list, target } = watched;
    watched.using ??= connect(target, 1, SETTINGS);
    try {
      const state = await look(watched.using, patienceOf(list));
      noteAnswer();
      return problemOf(state, list.wanted) === undefined;
    } catch (error) {
      forget(watched);
      if (error instanceof DatabaseUnavailable) return false;
    }
  }
  return false;
}

async function replace(watched: WatchedServer): Promise<void> {
  const { target, report } = watched;
  forget(watched);
  suspend();
  servers.leavePrimary();
  report(`The database server ${hostInUrl(target.url ?? "")} is lost: looking for another one`);
  const found = await search(watched);
  if (!found || watched.isOver) return;
  watched.target = found;
  servers.open(found);
  // What was read from the former server may be put into a cache until then.
  setTimeout(() => !watched.isOver && clearCaches(), LONGEST_READ).unref();
  report(`The database is at ${hostInUrl(found.url ?? "")}`);
}

async function search(watched: WatchedServer): Promise<DatabaseTarget | undefined> {
  const started = performance.now();
  while (!watched.isOver) {
    if (newestTimeline > 0 && performance.now() - started > LONGEST_SEARCH) {
      watched.report(
        "No server continues what the lost one has written: an older state is accepted",
      );
      newestTimeline = 0;
    }
    const { target } = await findServer(watched.list, true);
    if (target) return target;
    await Bun.sleep(SEARCH_PAUSE);
  }
  return undefined;
}

function forget(watched: WatchedServer): void {
  watched.using?.close({ timeout: 0 }).catch(() => {});
  watched.using = undefined;
}

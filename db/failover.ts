// A database on several servers, of which one is the primary at a time: finds the server that the URL wants, watches it,
// and connects to another one when it is lost.
//
// Three things keep writes away from a primary that was replaced. Its connections end when it becomes a replica, and
// new ones are refused there. A server on an older timeline than the newest known one is never used: each promotion
// begins a new one. And the server is asked once a second, so an idle process notices a promotion, too.
import type { SQL } from "bun";
import type { ServerList, SessionAttributes } from "./address.ts";
import * as database from "./client.ts";
import { DatabaseUnavailable, NO_ANSWER } from "./errors.ts";
import { CannotMigrate, inWords } from "./migrate.ts";
import { clearCaches } from "./on_open.ts";

/** Milliseconds between two looks at the server. */
const INTERVAL = 1_000;
/** Milliseconds without an answer after which a server is frozen or cut off. A busy one takes long, too. */
const SILENCE_LIMIT = 3_000;
/** Milliseconds between two searches for a server. */
const SEARCH_PAUSE = 200;
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

const STATE = `
  select pg_is_in_recovery() as is_replica, current_setting('transaction_read_only') = 'on' as is_read_only,
    case when pg_is_in_recovery() then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer end as timeline`;

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
  target: database.DatabaseTarget | undefined;
  /** Why the servers cannot be used, one sentence each. */
  problems: string[];
}

/** Looks at all servers once, at the same time. Of those that are as wanted, the first one of the newest timeline. */
async function findServer(list: ServerList): Promise<ServerSearch> {
  const { wanted, urls } = list;
  const found = new Map<string, ServerState>();
  const problems = new Map<string, string>();
  const first = Promise.withResolvers<void>();
  const looks = urls.map(async (url) => {
    try {
      const state = await lookOnce({ url }, patienceOf(list));
      found.set(url, state);
      const problem = problemOf(state, wanted);
      if (problem) problems.set(url, `${place(url)} ${problem}`);
      else first.resolve();
    } catch (error) {
      problems.set(url, String(error instanceof Error ? error.message : error));
    }
  });
  const all = Promise.all(looks);
  await Promise.race([all, first.promise.then(() => Promise.race([all, Bun.sleep(GRACE)]))]);
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
  const timelineOf = (url: string) => found.get(url)?.timeline ?? 0;
  const newest = Math.max(...candidates.map(timelineOf));
  // In the order of the list, unless two call themselves the primary.
  if (!needsWrites(wanted)) return candidates[0];
  return candidates.find((url) => timelineOf(url) === newest);
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

function place(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get("host") ?? host;
}

async function lookOnce(target: database.DatabaseTarget, patience: number): Promise<ServerState> {
  const using = database.connect(target, 1, SETTINGS);
  try {
    return await look(using, patience);
  } catch (error) {
    throw inWords(error, target);
  } finally {
    using.close({ timeout: 0 }).catch(() => {});
  }
}

async function look(using: SQL, patience: number): Promise<ServerState> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new DatabaseUnavailable(NO_ANSWER, { broken: true })),
    patience,
  );
  const asking = using.unsafe(STATE).then(([state]: ServerState[]) => {
    if (!state) throw new DatabaseUnavailable(NO_ANSWER);
    return state;
  });
  return Promise.race([asking, silence.promise]).finally(() => clearTimeout(timer));
}

interface Watching {
  list: ServerList;
  target: database.DatabaseTarget;
  report: (line: string) => void;
  options: { bulk?: boolean };
}

/** The server to use. */
export async function openServer(list: ServerList): Promise<database.DatabaseTarget> {
  const { target, problems } = await findServer(list);
  if (!target) throw new NoServer(`No server can be used: ${problems.join("; ")}`);
  return target;
}

/** Watches the server that is open, and opens another one when it is lost. Returns a function that ends it. */
export function watchServer({ list, target, report, options }: Watching): () => void {
  let isOver = false;
  let current = target;
  let trouble = Promise.withResolvers<void>();
  let using: SQL | undefined;

  async function isRight(): Promise<boolean> {
    // A connection that breaks proves nothing: the second one is new.
    return (await isRightNow()) || (!isOver && (await isRightNow()));
  }

  async function isRightNow(): Promise<boolean> {
    using ??= database.connect(current, 1, SETTINGS);
    try {
      return problemOf(await look(using, patienceOf(list)), list.wanted) === undefined;
    } catch (error) {
      forget();
      // A frozen server would only be waited for once more.
      if (error instanceof DatabaseUnavailable) throw error;
      return false;
    }
  }

  function forget(): void {
    using?.close({ timeout: 0 }).catch(() => {});
    using = undefined;
  }

  async function replace(): Promise<void> {
    forget();
    database.suspend();
    database.close(0).catch(() => {});
    const former = place(current.url ?? "");
    report(`The database server ${former} is lost: looking for another one`);
    for (;;) {
      const { target: found } = await findServer(list);
      if (isOver) return;
      if (found) {
        current = found;
        break;
      }
      await Bun.sleep(SEARCH_PAUSE);
    }
    database.open(current, options);
    // What was read from the former server may be put into a cache until then.
    setTimeout(() => !isOver && clearCaches(), LONGEST_READ).unref();
    report(`The database is at ${place(current.url ?? "")}`);
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      await Promise.race([Bun.sleep(INTERVAL), trouble.promise]);
      trouble = Promise.withResolvers();
      if (isOver) break;
      if (!(await isRight().catch(() => false)) && !isOver) await replace();
      database.resume();
    }
    forget();
  }

  database.onTrouble(() => trouble.resolve());
  watch().catch((error) => report(`The database is not watched any more: ${error}`));
  return () => {
    isOver = true;
    database.onTrouble(undefined);
    trouble.resolve();
  };
}

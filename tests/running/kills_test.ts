// The service and its embedded PostgreSQL are killed at random moments during writes, also within a second after a start,
// while a webhook, a trigger, a watch, three streams and a backup follow the changes.
// CADASTRE_KILLS sets the number of kills, CADASTRE_SEED the moments.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { connect } from "../../db/connect.ts";
import * as embedded from "../../db/embedded/mod.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { kill, processesOf } from "./find_processes.ts";
import { type Followers, followedSettings, followersOf, untilDelivered } from "./followers.ts";
import { endAll, type Started, until } from "./processes.ts";
import { administrator, served, serving, starting, trustTheMachine } from "./program.ts";
import { randomFrom } from "./random.ts";

const KILLS = Number(process.env.CADASTRE_KILLS || 10);
const SEED = Number(process.env.CADASTRE_SEED || 1);
/** Milliseconds until a request is given up. */
const PATIENCE = 10_000;
/** Milliseconds without any write that only a service has that is stuck. */
const STUCK = 120_000;
const WRITERS = 4;
const LOCATIONS = "/api/v1/inventory/locations";
const HOSTS = "/api/v1/network/hosts";
const TARGETS = ["app", "PostgreSQL", "both", "the keepers"] as const;

const directory = await aDataDirectory();
const random = randomFrom(SEED);
let settings: Record<string, string>;
let headers: Record<string, string>;
let followers: Followers;
let app: Started;
/** What the service has said that ended without being killed. */
const ends: string[] = [];

beforeAll(async () => {
  const database = await embedded.start(directory, () => {});
  await trustTheMachine(`postgres://cadastre@localhost/cadastre?host=${database.socket}`);
  await database.stop();
  settings = await followedSettings(directory);
  const first = await serving(settings);
  headers = await administrator(first);
  followers = await followersOf(first, headers);
  watchEnd(first);
  app = first;
}, 120_000);

afterAll(() => {
  followers?.stop();
  endAll();
  for (const pid of left()) kill(pid);
  rmSync(directory, { recursive: true, force: true });
});

describe("the service and its embedded PostgreSQL", () => {
  test(
    `recover from each of ${KILLS} kills, lose nothing, deliver everything and leave no process behind`,
    async () => {
      const writing = keepWriting();
      for (let killed = 0; killed < KILLS; ) {
        await Bun.sleep(random.below(800));
        const done = [await strike()];
        // Once more, before or after the recovery, or soon after the start.
        const again = random.below(3);
        if (again === 1) await served(app);
        if (again <= 1) {
          await Bun.sleep(random.below(1_000));
          done.push(await strike());
        }
        killed += done.length;
        if (!(await writing.next())) {
          const what = `${done.join(", then ")} (${killed} kills, seed ${SEED})`;
          throw new Error(`No write after killing ${what}\n${app.said()}`);
        }
      }
      const { acknowledged, changed, statuses } = await writing.stop();
      await followed(acknowledged, changed);
      expect(ends).toEqual([]);
      expect(statuses.filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
      await until("its keepers", () => keepers().length > 0);
      killApp();
      await until(`the end of ${left()}`, () => left().length === 0);
      const kept = await names();
      expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      await until(`the end of ${left()}`, () => left().length === 0);
    },
    60_000 + KILLS * 20_000,
  );
});

/** Kills, and starts the app again, at once or a moment later, if it was killed. */
async function strike(): Promise<string> {
  const target = random.of(TARGETS);
  const hitsApp = target === "app" || target === "both";
  if (hitsApp) killApp();
  if (target === "the keepers") keepers().forEach(kill);
  else if (target !== "app") postmasters().forEach(kill);
  if (hitsApp) {
    await app.ended;
    if (random.below(2) === 0) await Bun.sleep(random.below(1_000));
    app = starting(settings);
    watchEnd(app);
  }
  return target;
}

const killed = new Set<number>();

function killApp(): void {
  killed.add(app.pid);
  app.child.kill("SIGKILL");
}

function watchEnd({ pid, ended, said }: Started): void {
  void ended.then(() => {
    if (!killed.has(pid)) ends.push(said());
  });
}

/** Everything was told to everybody, with the last start of the service. */
async function followed(acknowledged: string[], changed: number): Promise<void> {
  const database = await embedded.start(directory, () => {});
  const sql = connect(database, 1);
  killApp();
  await app.ended;
  // As if the lease of a backup that was killed had run out, and the next one were due.
  await sql`update backups set at = at - interval '1 day', lease_until = null, result = 'failed'`;
  app = starting(settings);
  watchEnd(app);
  await served(app);
  await untilDelivered(sql);
  const stored: Array<{ name: string }> = await sql`
    select name from locations
      join changes on table_name = 'locations' and row_id = locations.id and action = 'insert'
    order by change_set`;
  const names = stored.map(({ name }) => name);
  await until("all streams", () => followers.told.every((told) => told.includes(names.at(-1)!)));
  for (const [at, told] of followers.told.entries()) {
    const rooms = [...new Set(told)].filter((name) => name.startsWith("Room "));
    expect([at, rooms]).toEqual([at, names]);
    expect([at, acknowledged.filter((name) => !rooms.includes(name))]).toEqual([at, []]);
  }
  // Of the host. A run names only the newest of its changes, but counts all; the host was made before it was watched.
  const [counts] = await sql`
    with made as (select id, change_set from changes where table_name = 'hosts')
    select (select count(*) from made)::int as made,
      (select count(*) from made where id = any(select unnest(changes) from mails where status = 'sent'))::int + 1
        as mailed,
      (select sum(changes) from trigger_runs where status = 'succeeded')::int as launched`;
  expect(counts).toEqual({ made: counts.made, mailed: counts.made, launched: counts.made });
  expect(counts.made).toBeGreaterThan(changed);
  expect(changed).toBeGreaterThan(0);
  const runs: Array<{ id: number }> = await sql`select id::int as id from trigger_runs`;
  expect(runs.map(({ id }) => id).filter((id) => !followers.runs.has(id))).toEqual([]);
  await sql.close();
  await database.stop();
}

/** Concurrent writers, until they are stopped; they use the current address of the app. */
function keepWriting() {
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let changed = 0;
  let going = true;
  /** Counts the calls of next(): a write that began before proves nothing. */
  let turn = 0;
  let written = (_turn: number) => {};
  const write = async () => {
    while (going) {
      const begun = turn;
      const name = `Room ${crypto.randomUUID()}`;
      const status = await send("POST", LOCATIONS, { name });
      if (status > 0) statuses.add(status);
      if (status === 201) {
        acknowledged.push(name);
        written(begun);
      } else await Bun.sleep(20);
    }
  };
  const change = async () => {
    const path = `${HOSTS}/${followers.host}`;
    while (going) {
      const status = await send("PATCH", path, { description: crypto.randomUUID() });
      if (status > 0) statuses.add(status);
      if (status === 200) changed += 1;
      await Bun.sleep(100);
    }
  };
  const writers = Promise.all([change(), ...Array.from({ length: WRITERS }, write)]);
  return {
    /** Whether a write has begun and was acknowledged. */
    next: () => {
      turn += 1;
      const wanted = turn;
      const done = new Promise<boolean>((resolve) => {
        written = (begun) => begun === wanted && resolve(true);
      });
      return Promise.race([done, Bun.sleep(STUCK).then(() => false)]);
    },
    stop: async () => {
      going = false;
      await writers;
      return { acknowledged, changed, statuses: [...statuses] };
    },
  };
}

/** The status; 0 without an answer. */
async function send(method: string, path: string, body: object): Promise<number> {
  const asked = fetch(settings.PUBLIC_URL + path, {
    method,
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  return asked.then(
    async (answer) => {
      await answer.text();
      return answer.status;
    },
    () => 0,
  );
}

async function names(): Promise<Set<string>> {
  const database = await embedded.start(directory, () => {});
  const sql = connect(database, 1);
  const found: Array<{ name: string }> = await sql`select name from locations`;
  await sql.close();
  await database.stop();
  return new Set(found.map(({ name }) => name));
}

/** Every process that names the data directory on its command line. */
function left(): number[] {
  return processesOf(directory).map(({ pid }) => pid);
}

/** Includes one that has not written its lock file yet. */
function postmasters(): number[] {
  return pidsOf(({ args }) => !args.startsWith("sh "));
}

/** The processes that stop PostgreSQL after its last user; a start that asks for the version of PostgreSQL is another shell. */
function keepers(): number[] {
  return pidsOf(({ args }) => args.startsWith("sh ") && !args.includes("--version"));
}

function pidsOf(isMeant: (process: { args: string }) => boolean): number[] {
  return processesOf(directory)
    .filter(isMeant)
    .map(({ pid }) => pid);
}

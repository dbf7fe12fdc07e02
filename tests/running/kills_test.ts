// The service and its embedded PostgreSQL are killed at random moments during writes.
// CADASTRE_KILLS sets the number of kills, CADASTRE_SEED the moments.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { connect } from "../../db/connect.ts";
import * as embedded from "../../db/embedded/mod.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { kill, processesOf } from "./find_processes.ts";
import { endAll, type Started, until } from "./processes.ts";
import { administrator, serving, starting, trustTheMachine } from "./program.ts";
import { randomFrom } from "./random.ts";

const KILLS = Number(process.env.CADASTRE_KILLS || 6);
const SEED = Number(process.env.CADASTRE_SEED || 1);
const BACK_WITHIN = 10_000;
/** A multiple of the time of an undisturbed start. */
const STARTS = 5;
const WRITERS = 4;
const LOCATIONS = "/api/v1/inventory/locations";
const TARGETS = ["app", "PostgreSQL", "both", "the keepers"] as const;

const directory = await aDataDirectory();
const random = randomFrom(SEED);
let headers: Record<string, string>;
let limit: number;
let app: Started;

beforeAll(async () => {
  const database = await embedded.start(directory, () => {});
  await trustTheMachine(`postgres://cadastre@localhost/cadastre?host=${database.socket}`);
  await database.stop();
  const first = await serving({ DATA_DIR: directory });
  headers = await administrator(first);
  first.child.kill("SIGINT");
  await first.ended;
  const begun = performance.now();
  app = await serving({ DATA_DIR: directory });
  limit = Math.max(BACK_WITHIN, STARTS * (performance.now() - begun));
}, 120_000);

afterAll(() => {
  endAll();
  for (const pid of left()) kill(pid);
  rmSync(directory, { recursive: true, force: true });
});

describe("the service and its embedded PostgreSQL", () => {
  test(
    `recover from each of ${KILLS} kills, lose nothing and leave no process behind`,
    async () => {
      const writing = keepWriting();
      for (let killed = 0; killed < KILLS; ) {
        await Bun.sleep(random.below(800));
        const done = [await strike()];
        // Once more, before or after the recovery.
        if (random.below(3) === 0) {
          await Bun.sleep(random.below(1_000));
          done.push(await strike());
        }
        killed += done.length;
        const took = await writing.next();
        if (took > limit) {
          const what = `${done.join(", then ")} (${killed} kills, seed ${SEED})`;
          throw new Error(
            `No write for ${Math.round(took)} ms after killing ${what}\n${app.said()}`,
          );
        }
      }
      const { acknowledged, statuses } = await writing.stop();
      expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
      await until("its keepers", () => keepers().length > 0);
      app.child.kill("SIGKILL");
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
  if (hitsApp) app.child.kill("SIGKILL");
  if (target === "the keepers") keepers().forEach(kill);
  else if (target !== "app") postmasters().forEach(kill);
  if (hitsApp) {
    await app.ended;
    if (random.below(2) === 0) await Bun.sleep(random.below(1_000));
    app = starting({ DATA_DIR: directory });
  }
  return target;
}

/** Concurrent writers, until they are stopped; they use the current address of the app. */
function keepWriting() {
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let going = true;
  let written = (_begun: number) => {};
  const write = async () => {
    while (going) {
      const begun = performance.now();
      const name = `Room ${crypto.randomUUID()}`;
      const status = await post(name);
      if (status > 0) statuses.add(status);
      if (status === 201) {
        acknowledged.push(name);
        written(begun);
      } else await Bun.sleep(20);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, write));
  return {
    /** The milliseconds until a write has begun and was acknowledged. */
    next: async () => {
      const since = performance.now();
      const done = new Promise<void>((resolve) => {
        written = (begun) => begun > since && resolve();
      });
      await Promise.race([done, Bun.sleep(2 * limit)]);
      return performance.now() - since;
    },
    stop: async () => {
      going = false;
      await writers;
      return { acknowledged, statuses: [...statuses] };
    },
  };
}

/** The status; 0 without an answer. */
async function post(name: string): Promise<number> {
  const [, origin] = /serves at (http[^\s"]+)/.exec(app.said()) ?? [];
  if (!origin) return 0;
  const asked = fetch(origin + LOCATIONS, {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(BACK_WITHIN),
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

/** The processes that stop PostgreSQL after its last user. */
function keepers(): number[] {
  return pidsOf(({ args }) => args.startsWith("sh "));
}

function pidsOf(isMeant: (process: { args: string }) => boolean): number[] {
  return processesOf(directory)
    .filter(isMeant)
    .map(({ pid }) => pid);
}

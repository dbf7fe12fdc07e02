import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aDataDirectory } from "../support/data_directory.ts";
import { endAll, isAlive, until } from "./processes.ts";
import {
  administrator,
  aServer,
  cadastre,
  childrenOf,
  type Server,
  type Serving,
  serving,
} from "./program.ts";
import { ask, requestContinuously, statuses } from "./requests.ts";

const LIMIT = 120_000;
const LOCATIONS = "/api/v1/inventory/locations";
const isHere = process.platform === "linux";

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterAll(() => server.stop(), LIMIT);

async function threeWorkers(): Promise<Serving> {
  return serving({ DATABASE_URL: await server.migrated(), WORKERS: "3", LOG_FORMAT: "json" });
}

/** Each on a connection of its own, so that the kernel chooses the worker. */
function live(app: Serving): Promise<Response> {
  return app.fetch("/health/live", { headers: { connection: "close" } });
}

/** Sends requests until every worker has answered; the log says which one did. */
async function heardFrom(app: Serving, workers: number[]): Promise<void> {
  await until(`an answer of each of the workers ${workers}`, async () => {
    expect((await live(app)).status).toBe(200);
    return workers.every((worker) => app.said().includes(`"event":"request","worker":${worker},`));
  });
}

describe.skipIf(!isHere)("several workers", () => {
  let app: Serving;

  beforeAll(async () => {
    app = await threeWorkers();
  }, LIMIT);
  afterAll(endAll);

  test(
    "serve at one address in turn, and identify themselves",
    async () => {
      expect(app.said().match(/serves at/g)).toHaveLength(1);
      expect(childrenOf(app.pid)).toHaveLength(3);
      await heardFrom(app, [1, 2, 3]);
    },
    LIMIT,
  );

  test(
    "report the sum of their metrics, whichever is asked",
    async () => {
      await heardFrom(app, [1, 2, 3]);
      for (let times = 0; times < 5; times += 1) {
        const metrics = await (await app.fetch("/metrics")).text();
        const workers = [
          ...metrics.matchAll(/^process_cpu_seconds_total\{worker="(\d)"\} [\d.]+$/gm),
        ];
        expect(workers.map(([, worker]) => worker).sort(), `time ${times}`).toEqual([
          "1",
          "2",
          "3",
        ]);
        expect(
          metrics.match(/^# TYPE process_cpu_seconds_total counter$/gm),
          `time ${times}`,
        ).toHaveLength(1);
      }
    },
    LIMIT,
  );

  test(
    "are restarted when they crash, while the others serve",
    async () => {
      const [first = 0] = childrenOf(app.pid);
      process.kill(first, "SIGKILL");
      await until("its successor", () => {
        const now = childrenOf(app.pid);
        return now.length === 3 && !now.includes(first);
      });
      expect(app.said()).toContain("A worker has ended and is started again");
      expect(statuses(await manyAtOnce(app))).toEqual([200]);
    },
    LIMIT,
  );

  test(
    "share their port with no other program",
    async () => {
      const { port } = new URL(app.origin);
      const settings = { DATABASE_URL: await server.migrated() };
      expect(await cadastre(["serve", "--workers", "2", "--port", port], { settings })).toEqual({
        code: 1,
        out: expect.any(String),
        err: `Port ${port} on 127.0.0.1 is taken: stop what listens there, or set another PORT`,
      });
    },
    LIMIT,
  );
});

describe.skipIf(!isHere)("all workers", () => {
  afterEach(endAll);

  test(
    "stop when one crashes repeatedly as soon as it is started",
    async () => {
      const app = await threeWorkers();
      const [victim, ...others] = childrenOf(app.pid);
      const killing = setInterval(() => {
        for (const pid of childrenOf(app.pid)) if (!others.includes(pid)) kill(pid);
      }, 50);
      kill(victim ?? 0);
      expect(await app.ended).toBe(1);
      clearInterval(killing);
      expect(app.said()).toMatch(/Worker \d ended 5 times as soon as it was started/);
      expect(others.filter(isAlive)).toEqual([]);
    },
    LIMIT,
  );

  test(
    "fail no request on SIGTERM, and are not ready any more",
    async () => {
      const app = await threeWorkers();
      const headers = await administrator(app);
      const asking = requestContinuously(8, () =>
        ask(app, LOCATIONS, {
          method: "POST",
          headers,
          body: JSON.stringify({ name: crypto.randomUUID() }),
        }),
      );
      await Bun.sleep(500);
      app.child.kill("SIGTERM");
      await until("all of them to say so", async () => {
        const answers = await manyAtOnce(app, "/health/ready");
        return answers.every(({ status }) => status === 503);
      });
      expect(await app.ended).toBe(0);
      const answers = await asking.ended;
      const refused = answers.filter(({ status }) => status === 0);
      expect(statuses(answers)).toEqual([0, 201]);
      expect(refused).toHaveLength(8);
      // The kernel resets connections that no worker accepted before the last one closed the port.
      const atTheDoor = ["ECONNREFUSED", "ECONNRESET"];
      expect(refused.filter(({ error = "" }) => !atTheDoor.includes(error))).toEqual([]);
    },
    LIMIT,
  );

  test(
    "share the embedded database, and leave nothing behind when their keeper is killed",
    async () => {
      const directory = await aDataDirectory();
      const app = await serving({ DATA_DIR: directory, WORKERS: "2" });
      const headers = await administrator(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(app, LOCATIONS, { headers })),
      );
      expect(statuses(answers)).toEqual([200]);
      const workers = childrenOf(app.pid).filter((pid) => isAlive(pid));
      app.child.kill("SIGKILL");
      await until("the workers to end", () => !workers.some(isAlive));
      await until(
        "PostgreSQL to stop",
        () => !existsSync(join(directory, "postgres", "postmaster.pid")),
      );
      rmSync(directory, { recursive: true, force: true });
    },
    LIMIT,
  );

  test.each(["0", "two", "65"])("are not %s", async (number) => {
    expect(await cadastre(["serve", "--workers", number])).toEqual({
      code: 1,
      out: "",
      err: `WORKERS must be a number from 1 to 64, not '${number}'`,
    });
  });
});

function manyAtOnce(app: Serving, path = "/health/live") {
  const headers = { connection: "close" };
  return Promise.all(Array.from({ length: 30 }, () => ask(app, path, { headers })));
}

/** The process may have ended already. */
function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

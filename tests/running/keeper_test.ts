// The keeper of the embedded PostgreSQL may be killed, and its users at any moment of a start.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { aDataDirectory } from "../support/data_directory.ts";
import { kill, processesOf } from "./find_processes.ts";
import { endAll, isAlive, launch, type Started, until } from "./processes.ts";

setDefaultTimeout(120_000);

const PROCESS = join(import.meta.dir, "embedded_process.ts");
const dataDir = await aDataDirectory();

afterEach(async () => {
  endAll();
  await untilAllEnded();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe("an embedded PostgreSQL", () => {
  test("stops with its users although its first keeper was killed", async () => {
    const user = run();
    const server = await serverOf(user);
    kill(keepers()[0] ?? 0);
    await until("its end", () => keepers().length === 1);
    expect(isAlive(server)).toBe(true);
    user.child.kill("SIGKILL");
    await untilAllEnded();
  });

  test("is watched again, without a pause, when its active keeper was killed", async () => {
    const users = [run(), run()];
    const servers = await Promise.all(users.map(serverOf));
    const [, watch = 0] = keepers();
    kill(watch);
    await until("a new one", () => keepers().length === 2 && !keepers().includes(watch));
    users[0]?.child.kill("SIGKILL");
    // Longer than PostgreSQL runs without users.
    await Bun.sleep(500);
    expect(servers.map(isAlive)).toEqual([true, true]);
    expect(users.map((user) => user.said()).join()).not.toContain("again");
    users[1]?.child.kill("SIGKILL");
    await untilAllEnded();
  });

  test("whose keepers and users were all killed is taken over by the next user", async () => {
    const user = run();
    const server = await serverOf(user);
    // The keepers first, because a keeper stops PostgreSQL after its last user.
    for (const pid of [...keepers(), user.pid]) kill(pid);
    const next = run();
    expect(await serverOf(next)).toBe(server);
    next.child.kill("SIGTERM");
    expect(await next.ended).toBe(0);
    await untilAllEnded();
  });

  test("that is killed together with its keepers is started again", async () => {
    const user = run();
    const server = await serverOf(user);
    // A process whose parent was killed may stay a zombie.
    for (const pid of [...keepers(), server]) kill(pid);
    await until("its return", () => user.said().includes("runs again"));
  });

  test("is not left behind by a user that was killed while it started", async () => {
    for (const moment of [0, 10, 30, 60]) {
      const user = run();
      await until("the first sign of PostgreSQL", () => processesOf(dataDir).length > 1);
      await Bun.sleep(moment);
      user.child.kill("SIGKILL");
      await untilAllEnded();
    }
  });

  test("that is killed while it starts is started again, once for all waiting processes", async () => {
    const users = [run(), run(), run()];
    const starting = await until("PostgreSQL", () => postgres()[0]);
    kill(starting);
    await Promise.all(users.map(serverOf));
    await until("another one", () => postgres().length === 1 && postgres()[0] !== starting);
    await until("its keepers alone", () => keepers().length === 2);
  });

  test("logs that it is down and that it is back, once each", async () => {
    const user = run();
    kill(await serverOf(user));
    await until("its return", () => user.said().includes("runs again"));
    expect(user.said().match(/again/g)).toHaveLength(2);
    expect(user.said()).toMatch(
      /^The embedded PostgreSQL is being started again\nPostgreSQL \d\d\.\d+ runs again in /m,
    );
  });
});

function run(): Started {
  return launch([process.execPath, PROCESS, dataDir, "hold"]);
}

async function serverOf(user: Started): Promise<number> {
  return Number(await until(`pid in: ${user.said()}`, () => /^pid (\d+)$/m.exec(user.said())?.[1]));
}

async function untilAllEnded(): Promise<void> {
  await until("the end of all", () => processesOf(dataDir).length === 0);
}

/** In the order in which they were started. */
function keepers(): number[] {
  return pidsOf(/^sh -c /);
}

function postgres(): number[] {
  return pidsOf(/^\S*\/postgres -D /);
}

function pidsOf(kind: RegExp): number[] {
  return processesOf(dataDir)
    .filter(({ args }) => kind.test(args))
    .map(({ pid }) => pid);
}

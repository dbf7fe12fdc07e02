import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../db/connect.ts";
import * as embedded from "../../db/embedded/mod.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { kill, processesOf } from "./find_processes.ts";
import { endAll, until } from "./processes.ts";
import { administrator, type Serving, served, serving, starting } from "./program.ts";

setDefaultTimeout(120_000);

const LOCATIONS = "/api/v1/inventory/locations";
const AWAY = "The embedded PostgreSQL is being started again";
const dataDir = await aDataDirectory();
const lockFile = join(dataDir, "postgres", "postmaster.pid");

afterEach(async () => {
  endAll();
  await until("the end of all", () => processesOf(dataDir).length === 0);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe("a service whose embedded PostgreSQL was killed", () => {
  test("reports it, and why it cannot be started, and retries for as long as it runs", async () => {
    const app = await serving({ DATA_DIR: dataDir });
    const headers = await administrator(app);
    const settings = join(dataDir, "postgres", "postgresql.conf");
    const good = readFileSync(settings, "utf8");
    writeFileSync(settings, `${good}\nnonsense = on\n`);
    kill(postmaster());
    await until("the reason", () => app.said().includes("did not start"));
    // The second attempt comes 0.1 s after the first, the third 0.2 s after that, and so on.
    await Bun.sleep(1_000);
    expect(await ready(app)).toEqual({ status: "unavailable", reason: AWAY });
    writeFileSync(settings, good);
    await untilReady(app);
    expect((await app.fetch(LOCATIONS, { headers })).status).toBe(200);
    const lines = app.said().split("\n");
    for (const what of [
      AWAY,
      /did not start in .*: .*contains errors/,
      /PostgreSQL .* runs again/,
    ]) {
      expect(
        lines.filter((line) => line.match(what)),
        String(what),
      ).toHaveLength(1);
    }
  });

  test("shares the next one with the other services on the same directory", async () => {
    const [one, other] = [
      await serving({ DATA_DIR: dataDir }),
      await serving({ DATA_DIR: dataDir }),
    ];
    const former = postmaster();
    kill(former);
    for (const app of [one, other]) {
      await until("its return", () => app.said().includes("runs again"));
      await untilReady(app);
    }
    expect(postmaster()).not.toBe(former);
    one.child.kill("SIGINT");
    expect(await one.ended).toBe(0);
    expect(await ready(other)).toEqual({ status: "ok" });
  });

  test("starts nevertheless, when it was about to apply the file of its sign-in", async () => {
    const database = await embedded.start(dataDir, () => {});
    const sql = connect(database, 1);
    await sql`select pg_advisory_lock(hashtextextended('identity providers', 0))`;
    const app = starting({ DATA_DIR: dataDir });
    await until("its turn", async () => {
      const [found] = await sql`
        select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted`;
      return found.waiting > 0;
    });
    kill(postmaster());
    const service = await served(app);
    // For a moment its connections may outlive the server.
    await until("its return", () => app.said().includes("runs again"));
    await untilReady(service);
    await sql.close({ timeout: 0 });
    await database.stop();
  });
});

async function ready(app: Serving): Promise<{ status: string; reason?: string }> {
  return (await (await app.fetch("/health/ready")).json()) as { status: string; reason?: string };
}

async function untilReady(app: Serving): Promise<void> {
  await until("the service", async () => (await ready(app)).status === "ok");
}

function postmaster(): number {
  return Number.parseInt(readFileSync(lockFile, "utf8"), 10);
}

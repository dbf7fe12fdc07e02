// The way back to a point in time, of docs/operating.md: a copy of the files, the archived log, and the numbers of changes.
import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import * as embedded from "../../db/embedded/mod.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { endAll, until } from "./processes.ts";
import { administrator, type Serving, serving } from "./program.ts";

const LIMIT = 180_000;
/** PostgreSQL has up to 32 numbers of a sequence in its log in advance. */
const LOST = 40;
const LOCATIONS = "/api/v1/inventory/locations";

const directory = mkdtempSync(join(tmpdir(), "cadastre-time-"));
chmodSync(directory, 0o755);
const archive = join(directory, "archive");
mkdirSync(archive);
chmodSync(archive, 0o777);
const servers: embedded.Embedded[] = [];
const directories = [directory];

afterAll(async () => {
  endAll();
  for (const server of servers) await server.stop();
  for (const one of directories) rmSync(one, { recursive: true, force: true });
}, LIMIT);

async function start(dataDir: string): Promise<embedded.Embedded & { url: string }> {
  const server = await embedded.start(dataDir, () => {});
  servers.push(server);
  const url = `postgres://cadastre@localhost:5432/cadastre?host=${server.socket}`;
  return Object.assign(server, { url });
}

function configure(dataDir: string, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(dataDir, "postgres", "postgresql.auto.conf"), lines.join(""));
}

async function run<Row>(url: string, statement: string): Promise<Row> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  const [found] = await sql.unsafe(statement);
  await sql.close();
  return found;
}

/** Serves the database while the work is done. */
async function whileServed(
  url: string,
  work: (by: Serving, headers: Record<string, string>) => Promise<void>,
): Promise<void> {
  const app = await serving({ DATABASE_URL: url });
  await work(app, await administrator(app));
  app.child.kill("SIGTERM");
  await app.ended;
}

test(
  "a database that went back to a time goes on with other numbers, and nothing is missed",
  async () => {
    const first = await aDataDirectory();
    directories.push(first);
    // The backup: the files of a server that is stopped.
    const second = join(directory, "copy");
    mkdirSync(second, { mode: 0o711 });
    configure(first, { fsync: "off", archive_mode: "on", archive_command: `cp %p ${archive}/%f` });
    spawnSync("cp", ["-a", join(first, "postgres"), second]);

    const server = await start(first);
    let time = "";
    let lost = "";
    await whileServed(server.url, async ({ fetch }, headers) => {
      const add = (name: string) =>
        fetch(LOCATIONS, { method: "POST", headers, body: JSON.stringify({ name }) });
      expect((await add("Kept")).status).toBe(201);
      await Bun.sleep(50);
      ({ time } = await run<{ time: string }>(server.url, "select now()::text as time"));
      await Bun.sleep(50);
      for (let one = 1; one <= LOST; one += 1) {
        lost = (await add(`Lost ${one}`)).headers.get("change-set") ?? "";
      }
    });
    const { file } = await run<{ file: string }>(
      server.url,
      "select pg_walfile_name(pg_switch_wal()) as file",
    );
    await until("the archive", () => existsSync(join(archive, file)));
    await server.stop();

    writeFileSync(join(second, "postgres", "recovery.signal"), "");
    chmodSync(join(second, "postgres", "recovery.signal"), 0o644);
    configure(second, {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: time,
      recovery_target_action: "promote",
    });
    const recovered = await start(second);
    await until("the end of the recovery", async () => {
      const { so } = await run<{ so: boolean }>(
        recovered.url,
        "select not pg_is_in_recovery() as so",
      );
      return so;
    });

    const changesAfter = `/api/v1/changes?after=${lost}`;
    await whileServed(recovered.url, async ({ fetch }, headers) => {
      const names = (await (await fetch(LOCATIONS, { headers })).json()).map(
        ({ name }: { name: string }) => name,
      );
      expect(names).toEqual(["Kept"]);
      const refused = await fetch(changesAfter, { headers });
      expect([refused.status, (await refused.json()).detail]).toEqual([
        422,
        expect.stringMatching(/^after: Begin again, /),
      ]);
      const document = await Bun.file(join(import.meta.dir, "../../docs/operating.md")).text();
      const [, statement = ""] =
        /psql -p 5499 cadastre -c "(select setval[^"]+)"/.exec(document) ?? [];
      await run(recovered.url, statement);
      const body = JSON.stringify({ name: "New" });
      const added = await fetch(LOCATIONS, { method: "POST", headers, body });
      const found = await (await fetch(changesAfter, { headers })).json();
      expect(found.map(({ id }: { id: string }) => id)).toEqual([added.headers.get("change-set")]);
    });
  },
  LIMIT,
);

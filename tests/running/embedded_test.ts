import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../db/connect.ts";
import * as embedded from "../../db/embedded/mod.ts";
import { pathsOf } from "../../db/embedded/paths.ts";
import { unprivileged } from "../../db/embedded/unprivileged.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { endAll, isAlive, launch, type Started, until } from "./processes.ts";

setDefaultTimeout(120_000);

const PROCESS = join(import.meta.dir, "embedded_process.ts");
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const directories: string[] = [];
const used: embedded.Embedded[] = [];

afterEach(async () => {
  endAll();
  await Promise.all(used.splice(0).map((database) => database.stop()));
  for (const path of directories.splice(0)) {
    const lockFile = join(path, "postgres", "postmaster.pid");
    await until("the end of PostgreSQL", () => !existsSync(lockFile));
    rmSync(path, { recursive: true, force: true });
  }
});

function isOpen(file: number): boolean {
  try {
    return fstatSync(file).isFile();
  } catch {
    return false;
  }
}

describe("the embedded database", () => {
  test("is created by the first start and found by the second", async () => {
    const dataDir = aDirectory();
    const first: string[] = [];
    await query(await start(dataDir, first), "create table kept (id int)");
    await letGo();
    const second: string[] = [];
    expect(await query(await start(dataDir, second), "select * from kept")).toEqual([]);
    expect(first).toEqual([
      expect.stringMatching(/^Making the first/),
      expect.stringMatching(RUNS),
    ]);
    expect(second).toEqual([expect.stringMatching(RUNS)]);
  });

  test("is released once, however often it is stopped", async () => {
    const database = await start(await aMadeDirectory());
    await database.stop();
    // The lowest descriptors are reused first: one of these is the released one.
    const files = Array.from({ length: 50 }, () => openSync(PROCESS, "r"));
    await database.stop();
    expect(files.filter((one) => !isOpen(one))).toEqual([]);
    files.forEach(closeSync);
  });

  test("is complete: UTF-8, ordered by code point, private and durable", async () => {
    const database = await start(aDirectory());
    const [settings] = await query(
      database,
      `select current_setting('server_encoding') encoding, current_setting('listen_addresses') addresses,
        current_setting('fsync') fsync, current_setting('TimeZone') zone, 'Z' < 'a' ordered`,
    );
    const wanted = { encoding: "UTF8", addresses: "", fsync: "on", zone: "UTC", ordered: true };
    expect(settings).toEqual(wanted);
  });

  test("starts under a path with spaces, and under one too long for a socket", async () => {
    const spaced = await start(join(aDirectory(), "my data"));
    expect(await query(spaced, "select 1 as one")).toEqual([{ one: 1 }]);
    const long = await start(join(aDirectory(), "x".repeat(120)));
    directories.push(long.socket);
    expect(await query(long, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("starts for all processes that start at once on an empty directory", async () => {
    const dataDir = aDirectory();
    const all = [run(dataDir), run(dataDir), run(dataDir)];
    const pids = await Promise.all(all.map(serverOf));
    expect(new Set(pids).size).toBe(1);
  });

  test("runs until the last of its users stops", async () => {
    const dataDir = await aMadeDirectory();
    const first = run(dataDir);
    const server = await serverOf(first);
    const joined = await start(dataDir);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    expect(await query(joined, "select 1 as one")).toEqual([{ one: 1 }]);
    await letGo();
    await until("the end of PostgreSQL", () => !isAlive(server));
  });

  test("survives a kill -9 of its user without an orphan and without losing a row", async () => {
    const dataDir = await aMadeDirectory();
    const writer = run(dataDir, "write");
    const server = await serverOf(writer);
    await until("some rows", () => lastWritten(writer) > 50);
    writer.child.kill("SIGKILL");
    await writer.ended;
    const database = await start(dataDir);
    // It has ended; or it is in use again, because this process joined before the keeper noticed the end of its user.
    const lockFile = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8");
    expect(isAlive(server) && server !== Number.parseInt(lockFile, 10)).toBe(false);
    const [{ count, last }] = await query(
      database,
      "select count(*)::int as count, max(number) as last from written",
    );
    expect(last).toBeGreaterThanOrEqual(lastWritten(writer));
    expect(count).toBe(last);
  });

  test("stops after a kill -9 when no other process starts", async () => {
    const user = run(await aMadeDirectory());
    const server = await serverOf(user);
    user.child.kill("SIGKILL");
    await until("the end of PostgreSQL", () => !isAlive(server));
  });

  test("does not receive the ctrl-C of its user", async () => {
    const dataDir = await aMadeDirectory();
    const user = run(dataDir);
    const server = await serverOf(user);
    process.kill(-user.pid, "SIGINT");
    await Bun.sleep(300);
    expect((await start(dataDir)).pid).toBe(server);
  });

  test("restarts by itself when PostgreSQL is killed", async () => {
    const database = await start(await aMadeDirectory());
    process.kill(database.pid, "SIGKILL");
    const answer = () => query(database, "select 1 as one").catch(() => null);
    expect(await until("PostgreSQL to come back", answer)).toEqual([{ one: 1 }]);
  });

  test("starts although a crash of the machine left the number of another process", async () => {
    const dataDir = await aMadeDirectory();
    await start(dataDir);
    await letGo();
    for (const lockFile of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
      writeFileSync(join(dataDir, "postgres", lockFile), `${process.pid}\n`);
    }
    expect(await query(await start(dataDir), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("is created again where its creation was interrupted", async () => {
    const dataDir = aDirectory();
    mkdirSync(join(dataDir, "postgres"));
    mkdirSync(join(dataDir, "postgres.making-killed", "base"), { recursive: true });
    expect(await query(await start(dataDir), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test.if(isRoot)("runs for root and for an ordinary user alike", async () => {
    const dataDir = aDirectory();
    chownSync(dataDir, NOBODY, NOBODY);
    const user = launch([process.execPath, PROCESS, dataDir], { uid: NOBODY, gid: NOBODY });
    const server = await serverOf(user);
    user.child.kill("SIGTERM");
    expect(await user.ended).toBe(0);
    // On a busy machine the keeper notices the end of the last user later.
    await until("the end of PostgreSQL", () => !isAlive(server));
    expect(await query(await start(dataDir), "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("a start is refused in one sentence", () => {
  test("when the data directory is a file", async () => {
    const path = join(aDirectory(), "file");
    writeFileSync(path, "");
    await expect(start(path)).rejects.toThrow(
      /^The data directory .* cannot be used: file already exists$/,
    );
  });

  test("when the directory contains something else", async () => {
    const dataDir = aDirectory();
    mkdirSync(join(dataDir, "postgres", "photos"), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/postgres is not a database: move it away/);
  });

  test("when another version of PostgreSQL created the database", async () => {
    const dataDir = await aMadeDirectory();
    await start(dataDir);
    await letGo();
    writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "12\n");
    await expect(start(dataDir)).rejects.toThrow(
      /was made by PostgreSQL 12, and this is \d\d: back it up/,
    );
  });

  test("when a foreign PostgreSQL runs on it", async () => {
    const dataDir = await aMadeDirectory();
    await start(dataDir);
    await letGo();
    const cluster = join(dataDir, "postgres");
    const { postgres } = await embedded.programs(dataDir);
    const way = unprivileged(postgres, pathsOf(dataDir));
    const other = launch([...way.prefix, postgres, "-D", cluster, "-k", cluster], way.user);
    await until("the other PostgreSQL", () => other.said().includes("ready to accept"));
    const refused = start(dataDir).catch((error) => error);
    expect(await refused).toBeInstanceOf(embedded.CannotStart);
    expect((await refused).message).toMatch(
      new RegExp(`is in use by process ${other.pid}: stop it first$`),
    );
    other.child.kill("SIGINT");
    expect(await other.ended).toBe(0);
  });
});

const RUNS = /^PostgreSQL \d\d\.\d+ runs in /;

/** A directory with a cluster, for tests that are not about its creation. */
async function aMadeDirectory(): Promise<string> {
  const path = await aDataDirectory();
  directories.push(path);
  return path;
}

function aDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "cadastre-running-"));
  directories.push(path);
  return path;
}

async function start(dataDir: string, said: string[] = []): Promise<embedded.Embedded> {
  const database = await embedded.start(dataDir, (line) => said.push(line));
  used.push(database);
  return database;
}

async function letGo(): Promise<void> {
  for (const database of used.splice(0)) await database.stop();
}

async function query(database: embedded.Embedded, sql: string): Promise<any> {
  const connection = connect(database, 1);
  try {
    return [...(await connection.unsafe(sql))];
  } finally {
    await connection.close();
  }
}

function run(dataDir: string, task = "hold"): Started {
  return launch([process.execPath, PROCESS, dataDir, task]);
}

/** The process number of the PostgreSQL that a process has started or joined. */
async function serverOf(user: Started): Promise<number> {
  return Number(await until(`pid in: ${user.said()}`, () => /^pid (\d+)$/m.exec(user.said())?.[1]));
}

function lastWritten(writer: Started): number {
  return Number(
    writer
      .said()
      .match(/(?<=wrote )\d+(?=\n)/g)
      ?.at(-1) ?? 0,
  );
}

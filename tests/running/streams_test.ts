// Streams of changes between processes: commits of other instances, restarts, and readers of others.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../tools/free_port.ts";
import { allChecks } from "../support/checks.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { codeIn } from "../support/documents.ts";
import { closeReadings, listen, type Reading, waitUntil } from "../support/event_stream.ts";
import { endAll, launch, type Started } from "./processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "./program.ts";
import { API, call, type RequestHeaders } from "./site.ts";

const LIMIT = 120_000;
let server: Server;
let url: string;
let sql: SQL;
/** Writes all the time. */
let writer: Serving;
let restarted: Serving;
/** Of the restarted one. */
let settings: Record<string, string>;
let alice: RequestHeaders;
let commented: Reading;

beforeAll(async () => {
  server = await aServer();
  url = await server.migrated();
  sql = new SQL({ url, adapter: "postgres", max: 1 });
  settings = { DATABASE_URL: url, SECRET_KEY: "k".repeat(40), PORT: String(await freePort()) };
  [writer, restarted] = await Promise.all([serving({ ...settings, PORT: "0" }), serving(settings)]);
  alice = await administrator(writer);
  commented = await listen(`${writer.origin}/api/v1/events`, alice);
}, LIMIT);
afterAll(async () => {
  await closeReadings();
  endAll();
  await sql.close();
  await server.stop();
}, LIMIT);

async function waitAt(app: Serving, path: string) {
  const answer = await app.fetch(API + path, { headers: alice });
  return { status: answer.status, body: await answer.text() };
}

let made = 0;

async function aChange(app = writer): Promise<void> {
  made += 1;
  await call(app, alice, { path: "/network/domains", body: { name: `d${made}.example.org` } });
}

async function idsAfter(after: string): Promise<string[]> {
  const path = `/changes?after=${after}&per_page=100`;
  const { body } = await call(writer, alice, { path });
  return body.map(({ id }: { id: string }) => id);
}

/** The backends of the connections by which instances listen. */
async function listening(): Promise<number[]> {
  const found = await sql`
    select pid from pg_stat_activity
    where application_name like 'cadastre listen%' and datname = current_database()`;
  return found.map(({ pid }: { pid: number }) => pid);
}

/** Milliseconds from a commit by one instance to the event of another one. */
async function delays(reading: Reading): Promise<number[]> {
  const found: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const count = reading.events().length;
    await aChange();
    const committed = performance.now();
    await reading.until(count + 1);
    found.push(performance.now() - committed);
    await Bun.sleep(200 - Math.min(200, found.at(-1) ?? 0));
  }
  return found.toSorted((one, other) => one - other);
}

/**
 * By looks alone, the median of five commits within a second is about half a second, also on a fast machine. On a machine
 * with other work only that they arrive can be told.
 */
async function isPrompt(reading: Reading): Promise<void> {
  await waitUntil(
    () => delays(reading),
    ([, , median = 0]) => !allChecks || median < 300,
  );
}

describe("an instance learns of the commits of others", () => {
  test(
    "at once while it listens, and by a look each second where nothing is announced",
    async () => {
      const reading = await listen(`${restarted.origin}/api/v1/events`, alice);
      const first = await waitUntil(listening, (pids) => pids.length >= 2);
      await isPrompt(reading);
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'cadastre listen%'`;
      // Nothing is lost meanwhile.
      const before = reading.events().length;
      await aChange();
      await reading.until(before + 1);
      await waitUntil(
        listening,
        (pids) => pids.length >= 2 && !pids.some((pid) => first.includes(pid)),
      );
      await isPrompt(reading);
      // As PgBouncer in transaction mode: the announcement is lost.
      const seen = reading.events().length;
      await sql`
        with made as (insert into change_sets (at) values (now()) returning id)
        insert into changes (change_set, table_name, row_id, action, after, at)
        select id, 'domains', 1, 'insert', '{"name": "silent.example.org"}', now() from made`;
      await reading.until(seen + 1);
      await reading.close();
    },
    LIMIT,
  );
});

describe("a reader misses nothing and gets nothing twice over restarts", () => {
  let folder: string;
  let readers: Started[];

  /** What the readers of docs/events.md have printed. */
  const idsOf = ({ said }: Started) =>
    said()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).id as string);

  beforeAll(async () => {
    folder = await aDataDirectory();
    const { authorization = "" } = alice;
    const env = {
      CADASTRE_URL: restarted.origin,
      CADASTRE_TOKEN: authorization.replace("Bearer ", ""),
    };
    const section = await codeIn("docs/events.md", "Stream");
    const script = join(import.meta.dir, "reader_of_streams.mjs");
    await Bun.write(script, section.js ?? "");
    await Bun.write(join(folder, "reader.sh"), section.sh ?? "");
    readers = [
      launch(["sh", "reader.sh"], { cwd: folder, env }),
      launch([process.execPath, script], { env }),
    ];
    await waitUntil(
      async () => /^cadastre_event_streams (\d+)$/m.exec(await metrics())?.[1],
      (count) => count === "2",
    );
    rmSync(script);
  }, LIMIT);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function metrics(): Promise<string> {
    return (await restarted.fetch("/metrics")).text();
  }

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "by %s: curl, and the package eventsource",
    async (signal) => {
      const [begin = "0"] = (await idsAfter("0")).slice(-1);
      const counts = readers.map((reader) => idsOf(reader).length);
      await aChange(restarted);
      process.kill(restarted.pid, signal);
      await aChange();
      await restarted.ended;
      await aChange();
      restarted = await serving(settings);
      await aChange(restarted);
      const expected = await idsAfter(begin);
      expect(expected).toHaveLength(4);
      for (const [at, reader] of readers.entries()) {
        const from = counts[at] ?? 0;
        await waitUntil(
          () => idsOf(reader).slice(from),
          (ids) => ids.length >= expected.length,
        );
        await aChange(restarted);
      }
      const last = await idsAfter(begin);
      for (const [at, reader] of readers.entries()) {
        const ids = await waitUntil(
          () => idsOf(reader).slice(counts[at]),
          (some) => some.length >= last.length,
        );
        expect(ids).toEqual(last);
      }
    },
    LIMIT,
  );
});

test(
  "SIGTERM answers a request that waits, and ends a stream, at once; those that come then, at the end",
  async () => {
    const app = await serving({ DATABASE_URL: url, SECRET_KEY: "k".repeat(40) });
    const stream = await listen(`${app.origin}/api/v1/events`, alice);
    const waiting = waitAt(app, "/changes?after=0&kind=cnames&wait=60");
    await Bun.sleep(500);
    process.kill(app.pid, "SIGTERM");
    const { status, body } = await waiting;
    await stream.over;
    expect([status, body]).toEqual([200, "[]"]);
    // It goes on for two seconds, until a load balancer has noticed: who asks again waits, and is answered at the end.
    expect((await app.fetch("/health/ready")).status).toBe(503);
    let isOver = false;
    const again = waitAt(app, "/changes?after=0&kind=cnames&wait=60").finally(() => {
      isOver = true;
    });
    expect((await app.fetch("/health/ready")).status).toBe(503);
    expect(isOver).toBe(false);
    expect((await again).status).toBe(200);
    expect(await app.ended).toBe(0);
  },
  LIMIT,
);

test(
  "a stream has a comment every few seconds",
  async () => {
    const text = await waitUntil(
      () => commented.text(),
      (all) => all.includes("\n\n:\n\n"),
    );
    expect(text).toStartWith("retry: ");
  },
  LIMIT,
);

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { allChecks } from "../support/checks.ts";
import { recordsOf } from "../support/workbook.ts";
import { endAll, until } from "./processes.ts";
import { aServer, cadastre, PASSWORD, type Server, type Serving, serving } from "./program.ts";

const LIMIT = 240_000;
const ITEMS = allChecks ? 60_000 : 30_000;

let server: Server;
/** A database with many items, so that an export takes a while. */
let full: string;

beforeAll(async () => {
  server = await aServer();
  full = await server.database();
  await fill(full);
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

interface JobState {
  id: number;
  status: string;
  progress: number;
  message: string;
  result: string;
}

async function fill(DATABASE_URL: string): Promise<void> {
  await cadastre(["migrate"], { settings: { DATABASE_URL } });
  const sql = new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 });
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`insert into items (ics_id, serial_number)
      select 'A' || chr(65 + n / 1000 / 26) || chr(65 + n / 1000 % 26) || lpad((n % 1000)::text, 3, '0'), 'SN' || n
      from generate_series(0, ${ITEMS - 1}::int) n`;
  });
  await sql`analyze items`;
  await sql.close();
}

async function aFullDatabase(): Promise<{ DATABASE_URL: string; sql: SQL }> {
  const DATABASE_URL = await server.database(full);
  return { DATABASE_URL, sql: new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 }) };
}

async function logIn(app: Serving): Promise<RequestInit> {
  const answer = await app.fetch("/user/login", {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ username: "alice", password: PASSWORD }),
  });
  return { headers: { cookie: answer.headers.getSetCookie().join("; ").split(";")[0]! } };
}

async function begin(app: Serving, session: RequestInit): Promise<JobState> {
  const answer = await app.fetch("/inventory/items/_generate_excel_file", session);
  return (await answer.json()) as JobState;
}

async function look(app: Serving, session: RequestInit, id: number): Promise<JobState> {
  return (await (await app.fetch(`/status/${id}`, session)).json()) as JobState;
}

/** A job that has made some progress. */
async function underWay(app: Serving, session: RequestInit): Promise<JobState> {
  const { id } = await begin(app, session);
  return untilProgress(5, { app, session, id });
}

interface JobOnServer {
  app: Serving;
  session: RequestInit;
  id: number;
}

function untilProgress(progress: number, { app, session, id }: JobOnServer): Promise<JobState> {
  return until(`${progress} per cent`, async () => {
    const job = await look(app, session, id);
    return job.status === "started" && job.progress > progress ? job : undefined;
  });
}

/** Kills the process and lets its lease expire. */
async function lose(holder: Serving, id: number, sql: SQL): Promise<void> {
  holder.child.kill("SIGKILL");
  await holder.ended;
  const [left] = await sql`
    update jobs set lease_until = now() - interval '1 second' where id = ${id} returning status`;
  expect(left).toEqual({ status: "started" });
}

async function finished(app: Serving, session: RequestInit, id: number): Promise<JobState> {
  return until("the end of the job", async () => {
    const job = await look(app, session, id);
    return ["queued", "started"].includes(job.status) ? undefined : job;
  });
}

/** In megabytes. */
async function memoryOf(app: Serving): Promise<number> {
  const metrics = await (await app.fetch("/metrics")).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]) / 1_000_000;
}

/** Each part of the file is stored after the job has reported how far it is, on any machine. */
const SLOW_FILE = `
  create function sleep() returns trigger language plpgsql as 'begin perform pg_sleep(1); return new; end';
  create trigger slow before insert on job_parts for each row execute function sleep()`;

describe("a job", () => {
  test(
    "whose process was killed, early or late, is taken over by another, with one complete file in the end",
    async () => {
      const { DATABASE_URL, sql } = await aFullDatabase();
      const holder = await serving({ DATABASE_URL });
      const session = await logIn(holder);
      await sql.unsafe(SLOW_FILE);
      const { id } = await underWay(holder, session);
      await lose(holder, id, sql);
      const next = await serving({ DATABASE_URL });
      await untilProgress(40, { app: next, session, id });
      await lose(next, id, sql);
      await sql`drop trigger slow on job_parts`;
      const heir = await serving({ DATABASE_URL });
      const job = await finished(heir, session, id);
      expect(job).toMatchObject({
        status: "finished",
        message: `${ITEMS.toLocaleString("en")} items`,
      });
      const file = await (await heir.fetch(job.result, session)).bytes();
      expect(new Set(recordsOf(file).map(({ ics_id }) => ics_id)).size).toBe(ITEMS);
      await sql.close();
    },
    LIMIT,
  );

  test(
    "is put back by a process that stops, and continues after a restart",
    async () => {
      const { DATABASE_URL, sql } = await aFullDatabase();
      const app = await serving({ DATABASE_URL });
      const session = await logIn(app);
      const { id } = await underWay(app, session);
      app.child.kill("SIGINT");
      expect(await app.ended).toBe(0);
      const [left] = await sql`select status, lease_until from jobs where id = ${id}`;
      expect(left).toEqual({ status: "queued", lease_until: null });
      const next = await serving({ DATABASE_URL });
      expect((await finished(next, session, id)).status).toBe("finished");
      await sql.close();
    },
    LIMIT,
  );

  test.skipIf(!allChecks)(
    "delays nobody else while it runs, and needs little memory",
    async () => {
      const { DATABASE_URL, sql } = await aFullDatabase();
      const app = await serving({ DATABASE_URL });
      const session = await logIn(app);
      const before = await memoryOf(app);
      const { id } = await underWay(app, session);
      const memory: number[] = [];
      while ((await look(app, session, id)).status === "started") {
        await (await app.fetch("/health/live")).text();
        memory.push(await memoryOf(app));
      }
      // A job that blocks the event loop would be answered for a few times only.
      expect(memory.length).toBeGreaterThan(20);
      // Much less than the records of the job take at once.
      expect(Math.max(...memory) / before).toBeLessThan(1.3);
      await sql.close();
    },
    LIMIT,
  );
});

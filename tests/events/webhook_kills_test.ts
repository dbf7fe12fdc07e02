// The service, its PostgreSQL and the receiver of two webhooks are killed at random moments during writes.
// CADASTRE_WEBHOOK_KILLS sets the number of kills, CADASTRE_SEED the moments.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../db/connect.ts";
import * as embedded from "../../db/embedded/mod.ts";
import { kill, processesOf } from "../running/find_processes.ts";
import { endAll, launch, type Started, until } from "../running/processes.ts";
import { administrator, served, serving, starting, trustTheMachine } from "../running/program.ts";
import { randomFrom } from "../running/random.ts";
import { aDataDirectory } from "../support/data_directory.ts";

const KILLS = Number(process.env.CADASTRE_WEBHOOK_KILLS || 6);
const SEED = Number(process.env.CADASTRE_SEED || 1);
const INSTANCES = 2;
const WRITERS = 3;
const API = "/api/v1";
const TARGETS = ["an instance", "an instance", "PostgreSQL", "the receiver"] as const;

const directory = await aDataDirectory();
const file = join(directory, "received.ndjson");
const settings = { DATA_DIR: directory, WEBHOOK_ALLOW: "127.0.0.0/8" };
const random = randomFrom(SEED);
const apps: Started[] = [];
let headers: Record<string, string>;
let receiver: Started;
let port = "0";

beforeAll(async () => {
  const database = await embedded.start(directory, () => {});
  await trustTheMachine(`postgres://cadastre@localhost/cadastre?host=${database.socket}`);
  await database.stop();
  receiver = await startReceiver();
  const first = await serving(settings);
  headers = await administrator(first);
  for (const ordered of [true, false]) {
    const path = ordered ? "ordered" : "fast";
    const { status } = await first.fetch(`${API}/webhooks`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: path, url: `http://127.0.0.1:${port}/${path}`, ordered }),
    });
    expect(status).toBe(201);
  }
  apps.push(first);
  while (apps.length < INSTANCES) apps.push(await served(starting(settings)));
}, 120_000);

afterAll(() => {
  endAll();
  for (const { pid } of processesOf(directory)) kill(pid);
  rmSync(directory, { recursive: true, force: true });
});

async function startReceiver(): Promise<Started> {
  const script = join(import.meta.dir, "file_receiver.ts");
  const started = launch([process.execPath, script, port, file]);
  port = await until("the receiver", () => /listens at (\d+)/.exec(started.said())?.[1]);
  return started;
}

test(
  `${KILLS} kills lose no message, repeat none under another id and change no order`,
  async () => {
    const writing = keepWriting();
    const done: string[] = [];
    while (done.length < KILLS) {
      await Bun.sleep(random.below(900));
      done.push(await strike());
      await writing.next();
    }
    const acknowledged = await writing.stop();
    const stored = await drained();
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    for (const path of ["ordered", "fast"]) {
      const messages = received().filter(({ to }) => to === `/${path}`);
      const once = [...new Map(messages.toReversed().map((one) => [one.id, one])).values()];
      const names = once.map(({ name }) => name);
      expect([path, acknowledged.filter((name) => !names.includes(name))]).toEqual([path, []]);
      expect([path, names.toSorted()]).toEqual([path, stored.toSorted()]);
      if (path === "ordered")
        expect([...new Set(messages.map(({ name }) => name))]).toEqual(stored);
      console.log(
        `${KILLS} kills (seed ${SEED}): ${acknowledged.length} writes acknowledged, ${stored.length} stored; ${path}: ${messages.length} messages, ${once.length} different`,
      );
    }
  },
  120_000 + KILLS * 10_000,
);

interface Line {
  to: string;
  id: string;
  name: string;
}

function received(): Line[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => JSON.parse(line));
}

async function strike(): Promise<string> {
  const target = random.of(TARGETS);
  if (target === "PostgreSQL") {
    const servers = processesOf(join(directory, "postgres"));
    for (const { pid, args } of servers) if (!args.startsWith("sh ")) kill(pid);
  } else if (target === "the receiver") {
    receiver.child.kill("SIGKILL");
    await receiver.ended;
    if (random.below(2) === 0) await Bun.sleep(random.below(1_000));
    receiver = await startReceiver();
  } else {
    const at = random.below(INSTANCES);
    apps[at]?.child.kill("SIGKILL");
    await apps[at]?.ended;
    apps[at] = starting(settings);
  }
  return target;
}

/** Concurrent writers over all instances, until they are stopped. */
function keepWriting() {
  const acknowledged: string[] = [];
  let going = true;
  let written = () => {};
  const write = async () => {
    while (going) {
      const name = `Room ${crypto.randomUUID()}`;
      if ((await post(name)) === 201) {
        acknowledged.push(name);
        written();
      }
      await Bun.sleep(20);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, write));
  return {
    /** Resolves after the next write, or after ten seconds. */
    next: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      written = resolve;
      return Promise.race([promise, Bun.sleep(10_000)]);
    },
    stop: async () => {
      going = false;
      await writers;
      return acknowledged;
    },
  };
}

/** The status; 0 without an answer. */
async function post(name: string): Promise<number> {
  const app = apps[Math.floor(Math.random() * INSTANCES)];
  const [, origin] = /serves at (http[^\s"]+)/.exec(app?.said() ?? "") ?? [];
  if (!origin) return 0;
  const asked = fetch(`${origin}${API}/inventory/locations`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(10_000),
  });
  return asked.then(
    async (answer) => {
      await answer.text();
      return answer.status;
    },
    () => 0,
  );
}

/** Waits until everything is sent, without the pauses between attempts. Returns the names in the order of their changes. */
async function drained(): Promise<string[]> {
  const database = await embedded.start(directory, () => {});
  const sql = connect(database, 1);
  let fewest = Number.POSITIVE_INFINITY;
  for (let since = Date.now(); fewest > 0; await Bun.sleep(200)) {
    await sql`update deliveries set next_at = now() where status = 'waiting' and next_at > now()`;
    const [left] =
      await sql`select count(*)::int as count from deliveries where status = 'waiting'`;
    if (left.count < fewest) since = Date.now();
    fewest = Math.min(fewest, left.count);
    if (Date.now() - since < 60_000) continue;
    const waiting = await sql`
      select subscription_id, attempts, deliveries.lease_until, subscriptions.lease_until as lease, problem, now()
      from deliveries join subscriptions on subscriptions.id = subscription_id
        left join delivery_attempts on delivery_id = deliveries.id
      where deliveries.status = 'waiting' order by change_set limit 5`.catch(String);
    const said = apps.map((app) => app.said().slice(-1_000)).join("\n\n");
    throw new Error(`${fewest} messages wait: ${JSON.stringify(waiting)}\n${said}`);
  }
  const failed = await sql`select count(*)::int as count from deliveries where status = 'failed'`;
  expect(failed[0].count).toBe(0);
  const found: Array<{ name: string }> = await sql`
    select name from locations
      join changes on table_name = 'locations' and row_id = locations.id and action = 'insert'
    order by change_set`;
  await sql.close();
  await database.stop();
  return found.map(({ name }) => name);
}

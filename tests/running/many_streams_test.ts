// A thousand open streams on one process: memory, statements, and how soon all have an event.
import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { cpuOf, memoryOf } from "../../bench/processes.ts";
import { allChecks } from "../support/checks.ts";
import { waitUntil } from "../support/event_stream.ts";
import { endAll } from "./processes.ts";
import { administrator, aServer, PASSWORD, type Server, type Serving, serving } from "./program.ts";
import { call } from "./site.ts";

const LIMIT = 180_000;
const STREAMS = 1_000;
/** As many as one user may have. */
const OF_EACH = 100;
const IDLE = 4_000;

let server: Server | undefined;
afterAll(async () => {
  endAll();
  await server?.stop();
}, LIMIT);

interface Streams {
  /** How many have got this text, so often. */
  have(text: string, times: number): number;
  open(): number;
  close(): void;
}

async function openAll({ origin }: Serving, tokens: string[]): Promise<Streams> {
  const texts: string[] = [];
  const sockets: Bun.Socket[] = [];
  let closed = 0;
  for (let at = 0; at < STREAMS; at += 1) {
    const token = tokens[at % tokens.length];
    texts.push("");
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(origin).port),
      socket: {
        open: (own) => {
          own.write(
            `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
          );
        },
        data: (_, part) => {
          texts[at] += part.toString();
        },
        close: () => {
          closed += 1;
        },
      },
    });
    sockets.push(socket);
  }
  return {
    have: (text, times) => texts.filter((own) => own.split(text).length > times).length,
    open: () => STREAMS - closed,
    close: () => sockets.map((one) => one.end()),
  };
}

async function tokensOf(app: Serving, alice: Record<string, string>): Promise<string[]> {
  const names = Array.from({ length: STREAMS / OF_EACH }, (_, at) => `reader${at}`);
  const tokens: string[] = [];
  for (const username of names) {
    const person = { username, password: PASSWORD };
    await call(app, alice, { path: "/user/users", body: person });
    const { body } = await call(app, {}, { path: "/user/login", body: person });
    tokens.push(body.access_token);
  }
  return tokens;
}

test.skipIf(!allChecks)(
  "a thousand streams cost hardly any statements, and all get each event",
  async () => {
    server = await aServer();
    const url = await server.migrated();
    const app = await serving({ DATABASE_URL: url });
    const alice = await administrator(app);
    const tokens = await tokensOf(app, alice);
    const before = memoryOf(app.pid);
    const streams = await openAll(app, tokens);
    await waitUntil(
      () => streams.have("retry: ", 1),
      (count) => count === STREAMS,
    );
    const opened = memoryOf(app.pid);
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    const statements = async () => {
      await Bun.sleep(1_100);
      const [{ count }] = await sql`
        select pg_stat_clear_snapshot(), xact_commit::int as count from pg_stat_database
        where datname = current_database()`;
      return count;
    };
    const [first, cpu] = [await statements(), cpuOf(app.pid)];
    await Bun.sleep(IDLE);
    const idle = (cpuOf(app.pid) - cpu) / (IDLE / 1_000);
    const perSecond = ((await statements()) - first) / ((IDLE + 1_100) / 1_000);
    const times: number[] = [];
    for (let turn = 1; turn <= 10; turn += 1) {
      const begun = performance.now();
      await call(app, alice, { path: "/network/domains", body: { name: `d${turn}.example.org` } });
      await waitUntil(
        () => streams.have("event: change", turn),
        (count) => count === STREAMS,
      );
      times.push(Math.round(performance.now() - begun));
    }
    const after = memoryOf(app.pid);
    console.log(
      `${STREAMS} streams: ${Math.round(before)} MB before, ${Math.round(opened)} MB opened, ${Math.round(after)} MB after 10 events; ` +
        `idle ${(idle * 100).toFixed(1)} % of a core, ${perSecond.toFixed(1)} transactions a second; ` +
        `all have an event after ${times.join(", ")} ms`,
    );
    // A look at the changes and a check of all tokens each second, and what PostgreSQL counts late of the opening.
    expect(perSecond / STREAMS).toBeLessThan(1 / 10);
    const { body } = await call(app, alice, { path: "/user/users?username=reader0" });
    await call(app, alice, { method: "DELETE", path: `/user/users/${body[0].id}` });
    await waitUntil(streams.open, (count) => count === STREAMS - OF_EACH);
    streams.close();
    await sql.close();
  },
  LIMIT,
);

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { endAll, until } from "./processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "./program.ts";
import { ask, type RequestResult, requestContinuously, statuses } from "./requests.ts";

const LIMIT = 120_000;
const ACTIONS = "/api/v1/inventory/actions";
const LOCATIONS = "/api/v1/inventory/locations";

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("a service whose database is in trouble", () => {
  test(
    "answers five hundred concurrent requests, or says when to retry",
    async () => {
      const { app, headers } = await anApp();
      const all = await Promise.all(
        Array.from({ length: 500 }, () => ask(app, ACTIONS, { headers })),
      );
      expect(statuses(all).filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(all.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    },
    LIMIT,
  );

  test(
    "ends every request while the database is frozen, and continues when it resumes",
    async () => {
      const { app, headers } = await anApp();
      await ask(app, ACTIONS, { headers });
      server.signal("SIGSTOP");
      const frozen: Array<Promise<RequestResult>> = [];
      for (const path of Array(40).fill(ACTIONS)) {
        frozen.push(ask(app, path, { headers }), ask(app, LOCATIONS, aLocation(headers)));
        await Bun.sleep(50);
      }
      const readiness = await ask(app, "/health/ready");
      // All of them while it is frozen.
      const answers = await Promise.all(frozen).finally(() => server.signal("SIGCONT"));
      expect(statuses([...answers, readiness])).toEqual([503]);
      expect(answers.filter(({ retryAfter }) => retryAfter === null)).toEqual([]);
      await untilWell(app, headers);
    },
    LIMIT,
  );

  test(
    "answers 503 and never 500 while the database crashes, and reconnects",
    async () => {
      const { app, headers } = await anApp();
      const seen = new Set<number>();
      const asking = requestContinuously(8, async (client) => {
        const [path, options] =
          client % 2 ? [ACTIONS, { headers }] : [LOCATIONS, aLocation(headers)];
        const answer = await ask(app, path, options);
        seen.add(answer.status);
        return answer;
      });
      const works = () => seen.has(200) && seen.has(201);
      await until("reads and writes", works);
      server.signal("SIGKILL", "first");
      await until("the crash to be felt", () => seen.has(503));
      await untilWell(app, headers);
      seen.clear();
      await until("reads and writes again", works);
      expect(statuses(await asking.stop())).toEqual([200, 201, 503]);
      const after = await concurrently(50, () => ask(app, ACTIONS, { headers }));
      expect(statuses(after)).toEqual([200]);
    },
    LIMIT,
  );
});

async function anApp() {
  const app = await serving({ DATABASE_URL: await server.migrated() });
  return { app, headers: await administrator(app) };
}

let made = 0;

function aLocation(headers: Record<string, string>): RequestInit {
  made += 1;
  return { method: "POST", headers, body: JSON.stringify({ name: `Room ${made}` }) };
}

async function untilWell(app: Serving, headers: Record<string, string>): Promise<void> {
  await until("an answer as usual", async () => {
    return (await ask(app, ACTIONS, { headers })).status === 200;
  });
}

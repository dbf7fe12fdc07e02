// Work in the background goes on after whatever happens to the database.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { onTeardown } from "../support/teardown.ts";
import { endAll, until } from "./processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "./program.ts";
import { call, type RequestHeaders } from "./site.ts";

const LIMIT = 120_000;
const MESSAGES = 5;

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("a service whose PostgreSQL is killed", () => {
  test(
    "goes on after a message was sent, and before that is noted",
    async () => {
      const settings = { DATABASE_URL: await server.migrated(), WEBHOOK_ALLOW: "127.0.0.0/8" };
      const sql = new SQL({ url: settings.DATABASE_URL, adapter: "postgres", max: 1 });
      const messages: string[] = [];
      let answer = async () => 503;
      const url = receiverThat(async (message) => {
        messages.push(message);
        return answer();
      });
      const before = await serving(settings);
      await aWebhookWithMessages(before, await administrator(before), url);
      await until("the first message", () => messages.length > 0);
      before.child.kill("SIGKILL");
      await before.ended;
      await sql`update deliveries set next_at = now()`;
      await sql`update subscriptions set lease_until = null`;
      messages.length = 0;
      answer = async () => {
        if (messages.length === 1) server.signal("SIGKILL");
        // The note of the first message fails while the second one is not answered yet.
        if (messages.length === 2) await untilItAnswers(settings.DATABASE_URL);
        return 204;
      };
      const app = await serving(settings);
      await until("all messages", () => new Set(messages).size === MESSAGES || hasEnded(app));
      expect(app.said()).not.toContain("Uncaught");
      expect(new Set(messages).size).toBe(MESSAGES);
      app.child.kill("SIGINT");
      expect(await app.ended).toBe(0);
    },
    LIMIT,
  );
});

function receiverThat(answers: (message: string) => Promise<number>): string {
  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      await request.text();
      return new Response(null, { status: await answers(request.headers.get("webhook-id") ?? "") });
    },
  });
  onTeardown(() => listening.stop(true));
  return `http://127.0.0.1:${listening.port}/`;
}

async function aWebhookWithMessages(app: Serving, headers: RequestHeaders, url: string) {
  await call(app, headers, { path: "/webhooks", body: { name: "all", url, ordered: true } });
  for (let made = 0; made < MESSAGES; made += 1) {
    await call(app, headers, { path: "/inventory/locations", body: { name: `Room ${made}` } });
  }
}

async function untilItAnswers(url: string): Promise<void> {
  await until("PostgreSQL", async () => {
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    const isThere = await sql`select`.then(
      () => true,
      () => false,
    );
    await sql.close({ timeout: 0 }).catch(() => {});
    return isThere;
  });
}

function hasEnded({ child }: Serving): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Loaded into the service by Bun: an error that nothing of the service catches, at a signal. */
async function withFault(error: string): Promise<Record<string, string>> {
  const file = join(mkdtempSync(join(tmpdir(), "cadastre-fault-")), "fault.ts");
  onTeardown(async () => rmSync(dirname(file), { recursive: true, force: true }));
  await Bun.write(file, `process.on("SIGUSR2", () => { ${error} });\n`);
  return { BUN_OPTIONS: `--preload ${file}` };
}

describe("an error that nothing catches", () => {
  test(
    "is logged and ends nothing if it comes from the database",
    async () => {
      const lost = `new Bun.SQL("postgres://nobody@127.0.0.1:1/none").unsafe("select 1").execute()`;
      const fault = await withFault(lost);
      const app = await serving({ DATABASE_URL: await server.migrated(), ...fault });
      app.child.kill("SIGUSR2");
      await until("the error in the log", () => app.said().includes("Uncaught error"));
      expect((await app.fetch("/health/ready")).status).toBe(200);
      app.child.kill("SIGINT");
      expect(await app.ended).toBe(0);
    },
    LIMIT,
  );

  test(
    "ends the service with its cause as the last line if it is another one",
    async () => {
      const fault = await withFault(`Promise.reject(new Error("There are no more biscuits"))`);
      const app = await serving({ DATABASE_URL: await server.migrated(), ...fault });
      app.child.kill("SIGUSR2");
      expect(await app.ended).toBe(1);
      const last = app.said().trimEnd().split("\n").at(-1);
      expect(last).toBe("Cadastre has ended after an error: There are no more biscuits");
    },
    LIMIT,
  );
});

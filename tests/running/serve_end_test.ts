import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { endAll, until } from "./processes.ts";
import { administrator, aServer, type Server, serving, starting } from "./program.ts";
import { ask, requestContinuously, statuses } from "./requests.ts";

const LIMIT = 120_000;
const LOCATIONS = "/api/v1/inventory/locations";

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("a service that stops", () => {
  test(
    "has stored every write that it acknowledged before kill -9",
    async () => {
      const DATABASE_URL = await server.migrated();
      const app = await serving({ DATABASE_URL });
      const headers = await administrator(app);
      const acknowledged: string[] = [];
      const writing = requestContinuously(4, async (client) => {
        const name = `Room ${client}-${crypto.randomUUID()}`;
        const answer = await ask(app, LOCATIONS, posted(headers, name));
        if (answer.status === 201) acknowledged.push(name);
        return answer;
      });
      await until("some writes", () => acknowledged.length > 20);
      app.child.kill("SIGKILL");
      await writing.ended;
      await serving({ DATABASE_URL });
      const sql = new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 });
      const kept: Array<{ name: string }> = await sql`
      select name from locations where exists (
        select from changes where table_name = 'locations' and row_id = locations.id)`;
      const [{ locations }] = await sql`select count(*)::int as locations from locations`;
      await sql.close();
      expect(acknowledged.filter((name) => !kept.some((one) => one.name === name))).toEqual([]);
      expect(kept.length).toBe(locations);
    },
    LIMIT,
  );

  test(
    "fails no request on SIGTERM and logs each, though it was busy and its clients keep connections",
    async () => {
      const DATABASE_URL = await server.migrated();
      const app = await serving({ DATABASE_URL });
      const headers = await administrator(app);
      const asking = requestContinuously(8, () =>
        ask(app, LOCATIONS, posted(headers, crypto.randomUUID())),
      );
      await Bun.sleep(500);
      app.child.kill("SIGTERM");
      await until("it to say so", async () => (await ask(app, "/health/ready")).status === 503);
      expect(await app.ended).toBe(0);
      const answers = await asking.ended;
      const refused = answers.filter(({ status }) => status === 0);
      expect(statuses(answers)).toEqual([0, 201]);
      expect(refused).toHaveLength(8);
      // The kernel resets connections that were not accepted before the port was closed.
      const atTheDoor = ["ECONNREFUSED", "ECONNRESET"];
      expect(refused.filter(({ error = "" }) => !atTheDoor.includes(error))).toEqual([]);
      const sql = new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 });
      const [{ made }] = await sql`select count(*)::int as made from locations`;
      await sql.close();
      expect(made).toBe(answers.length - refused.length);
      expect(app.said().match(/ status=201 /g)).toHaveLength(made);
    },
    LIMIT,
  );

  test(
    "ends in order at a signal that comes as soon as it says that it serves",
    async () => {
      const app = starting({ DATABASE_URL: await server.migrated() });
      const { child } = app;
      for (const output of [child.stdout, child.stderr]) {
        output?.on("data", () => {
          if (app.said().includes("Cadastre serves") && !child.killed) child.kill("SIGINT");
        });
      }
      expect(await app.ended).toBe(0);
      expect(app.said()).toContain("Cadastre ends");
    },
    LIMIT,
  );

  test(
    "finishes the response in progress, and ends at once on a second signal",
    async () => {
      const DATABASE_URL = await server.migrated();
      const app = await serving({ DATABASE_URL });
      const headers = await administrator(app);
      const sql = new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 });
      const holding = sql.begin(async (tx) => {
        await tx`lock table locations in exclusive mode`;
        await Bun.sleep(2_000);
      });
      await Bun.sleep(200);
      const slow = ask(app, LOCATIONS, posted(headers, "Slow room"));
      await Bun.sleep(200);
      app.child.kill("SIGINT");
      expect((await slow).status).toBe(201);
      expect(await app.ended).toBe(0);
      await holding;
      await sql.close();
      const impatient = await serving({ DATABASE_URL });
      impatient.child.kill("SIGTERM");
      await until("the first to be heard", () => impatient.said().includes("Cadastre ends"));
      // A signal within a second counts as the same one, passed on by the parent process.
      await Bun.sleep(1_200);
      impatient.child.kill("SIGTERM");
      // The code is 0 when it ends without a second signal.
      expect(await impatient.ended).toBe(1);
    },
    LIMIT,
  );
});

function posted(headers: Record<string, string>, name: string): RequestInit {
  return { method: "POST", headers, body: JSON.stringify({ name }) };
}

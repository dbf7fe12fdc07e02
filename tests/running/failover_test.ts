import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "./processes.ts";
import { administrator, cadastre, type Serving, serving } from "./program.ts";
import { aPair, type Pair } from "./replica.ts";
import { ask, type RequestResult, requestContinuously, statuses } from "./requests.ts";

const LIMIT = 120_000;
const LOCATIONS = "/api/v1/inventory/locations";

let pair: Pair;

beforeAll(async () => {
  pair = await aPair(async (DATABASE_URL) => {
    expect(await cadastre(["migrate"], { settings: { DATABASE_URL } })).toMatchObject({ code: 0 });
  });
}, LIMIT);
afterAll(() => pair.stop(), LIMIT);

describe("a database on two servers", () => {
  test(
    "is the new primary after a failover, while the former one still accepts writes",
    async () => {
      const DATABASE_URL = both("read-write");
      const app = await serving({ DATABASE_URL });
      expect(app.said()).not.toContain("only reads");
      const headers = await administrator(app);
      expect((await add(app, headers, "before")).status).toBe(201);
      await pair.caughtUp();

      const asking = requestContinuously(4, async (client) =>
        client % 2 ? ask(app, LOCATIONS, { headers }) : add(app, headers, crypto.randomUUID()),
      );
      const release = await pair.promoteBesideFrozen();
      await until("the instance to leave the frozen server", () =>
        /database is at/.test(app.said()),
      );
      await until("writes", async () => (await add(app, headers, "after")).status !== 503);
      release();
      const answers = await asking.stop();
      expect(statuses(answers)).toEqual([200, 201, 503]);
      expect(refusals(answers).filter(({ retryAfter }) => retryAfter === null)).toEqual([]);

      // The former primary goes on: neither this instance nor a new one uses it, though the URL names it first.
      const second = await serving({ DATABASE_URL });
      expect((await add(second, headers, "by another instance")).status).toBe(201);
      expect((await add(app, headers, "at last")).status).toBe(201);
      expect(await locations(pair.replica)).toEqual(
        expect.arrayContaining(["before", "after", "by another instance", "at last"]),
      );
      const former = await locations(pair.primary);
      expect(former).not.toContain("by another instance");
      expect(former).not.toContain("at last");
      expect(app.child.exitCode).toBeNull();
    },
    LIMIT,
  );

  test("ends the start with a sentence for each server if none is as wanted", async () => {
    const { code, err } = await cadastre(["migrate"], {
      settings: { DATABASE_URL: both("standby") },
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^No server can be used: (\S+ is not standby(; )?){2}$/);
  });
});

/** A URL with both servers, the first primary at the front. */
function both(attributes: string): string {
  const sockets = [pair.primary, pair.replica].map((url) => new URL(url).searchParams.get("host"));
  return `postgres://cadastre@/cadastre?host=${sockets}&port=5432&target_session_attrs=${attributes}`;
}

function add(app: Serving, headers: Record<string, string>, name: string): Promise<RequestResult> {
  return ask(app, LOCATIONS, { method: "POST", headers, body: JSON.stringify({ name }) });
}

function refusals(answers: RequestResult[]): RequestResult[] {
  return answers.filter(({ status }) => status === 503);
}

async function locations(url: string): Promise<string[]> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  const found: Array<{ name: string }> = await sql`select name from locations`;
  await sql.close();
  return found.map(({ name }) => name);
}

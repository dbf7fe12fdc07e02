// What a service that nobody uses keeps of PostgreSQL: each process and each connection costs memory.
import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { allChecks } from "../support/checks.ts";
import { endAll } from "./processes.ts";
import { administrator, aServer, type Server, serving } from "./program.ts";

const LIMIT = 60_000;
/** A connection is closed after ten seconds without use. */
const IDLE = 14_000;

let server: Server | undefined;
afterAll(async () => {
  endAll();
  await server?.stop();
}, LIMIT);

test.skipIf(!allChecks)(
  "after a burst, one connection for requests stays open, and PostgreSQL has no process that nothing needs",
  async () => {
    server = await aServer();
    const url = await server.migrated();
    const app = await serving({ DATABASE_URL: url });
    const headers = await administrator(app);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => app.fetch("/api/v1/network/hosts", { headers })),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    const named = async () => {
      const rows: Array<{ name: string }> = await sql`
        select case when backend_type = 'client backend' then application_name else backend_type end as name
        from pg_stat_activity where pid <> pg_backend_pid()`;
      return rows.map(({ name }) => name);
    };
    const ofRequests = (names: string[]) => names.filter((name) => name === "cadastre");
    expect(ofRequests(await named()).length).toBeGreaterThan(3);

    await Bun.sleep(IDLE);
    const quiet = await named();
    await sql.close();
    expect(ofRequests(quiet)).toEqual(["cadastre"]);
    expect(quiet).not.toContain("io worker");
    expect(quiet).not.toContain("logical replication launcher");
  },
  LIMIT,
);

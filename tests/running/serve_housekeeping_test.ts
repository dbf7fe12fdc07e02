import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { endAll, until } from "./processes.ts";
import { aServer, cadastre, type Server, serving } from "./program.ts";

const LIMIT = 120_000;

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("housekeeping", () => {
  test(
    "deletes what has expired, and nothing else",
    async () => {
      const settings = { DATABASE_URL: await server.database() };
      await cadastre(["user", "list"], { settings });
      const sql = new SQL({ url: settings.DATABASE_URL, adapter: "postgres", max: 1 });
      await sql.unsafe(`
        insert into idempotency_keys (user_id, key, fingerprint, created_at)
          select 1, age, 'x', now() - age::interval from unnest(array['25 hours', '23 hours']) age;
        insert into login_failures (username, address, at)
          select age, 'x', now() - age::interval from unnest(array['16 minutes', '14 minutes']) age;
        insert into users (username) values ('busy');
        insert into login_addresses (user_id, address, at)
          select 1, age, now() - age::interval from unnest(array['181 days', '179 days']) age
          union all
          select users.id, hours || ' hours', now() - hours * interval '1 hour'
          from users, generate_series(1, 12) hours where username = 'busy';
        insert into sessions (user_id, secret_hash, address, last_seen_at, expires_at)
          select 1, age::bytea, age, now() - age::interval, now() + interval '1 hour'
          from unnest(array['3 hours', '1 hour']) age;
        insert into tokens (user_id, kind, key, expires_at)
          select 1, 'login', age, now() - age::interval from unnest(array['25 hours', '23 hours']) age;
        insert into jobs (user_id, name, status, finished_at)
          select 1, age, 'finished', now() - age::interval from unnest(array['25 hours', '23 hours']) age;
        insert into job_parts (job_id, attempt, part, bytes) select id, 1, 0, 'x' from jobs;
        insert into imports (user_id, file_name, columns, rows, created_at)
          select 1, age, '{}', '{}', now() - age::interval from unnest(array['8 days', '6 days']) age`);
      await serving(settings);
      const left = () => sql`
        select (select string_agg(key, ',') from idempotency_keys) as keys,
          (select string_agg(username, ',') from login_failures) as failures,
          (select string_agg(address, ',') from login_addresses where user_id = 1) as addresses,
          (select count(*)::int from login_addresses where user_id <> 1) as busy,
          (select string_agg(address, ',') from sessions) as sessions,
          (select string_agg(key, ',') from tokens) as tokens,
          (select string_agg(name, ',') from job_parts join jobs on jobs.id = job_id) as jobs,
          (select string_agg(file_name, ',') from imports) as imports`;
      await until("the old keys to go", async () => (await left())[0].keys === "23 hours");
      const kept = {
        keys: "23 hours",
        failures: "14 minutes",
        addresses: "179 days",
        busy: 10,
        sessions: "1 hour",
        tokens: "23 hours",
        jobs: "23 hours",
        imports: "6 days",
      };
      expect([...(await left())]).toEqual([kept]);
      await sql.close();
    },
    LIMIT,
  );
});

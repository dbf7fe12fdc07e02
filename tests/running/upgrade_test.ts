import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { untilUndisturbed } from "../../db/migrate.ts";
import { endAll } from "./processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "./program.ts";
import { requestContinuously, statuses } from "./requests.ts";

const LIMIT = 120_000;
const API = "/api/v1";

const TABLES = `select relname as name from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`;
/** What a later release may do to each table that this one uses; see tests/migrations_test.ts. */
const additionsTo = (table: string) => `
  alter table ${table} add column of_next_release text;
  alter table ${table} add column counted_by_next_release integer not null default 7;
  create index on ${table} (of_next_release)`;
const ADD_TABLE = `create table things_of_next_release (
  id integer primary key generated always as identity, host_id integer references hosts (id) on delete cascade)`;

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop(), LIMIT);

describe("an instance beside the next release, which has added to its database", () => {
  test(
    "goes on with reads and writes under load, its prepared statements included",
    async () => {
      const DATABASE_URL = await server.migrated();
      const app = await serving({ DATABASE_URL });
      const headers = await administrator(app);
      await useEverything(app, headers, 1);
      const asking = requestContinuously(4, async (client) => {
        const name = crypto.randomUUID();
        const path = `${API}/inventory/locations`;
        const body = client % 2 ? undefined : JSON.stringify({ name });
        const answer = await app.fetch(path, { method: body ? "POST" : "GET", headers, body });
        await answer.text();
        return { status: answer.status, retryAfter: null };
      });
      const sql = new SQL({ url: DATABASE_URL, adapter: "postgres", max: 1 });
      // One after the other: all at once would lock them for as long as a busy machine takes.
      for (const { name } of await sql.unsafe(TABLES)) {
        await untilUndisturbed(() => sql.unsafe(additionsTo(name)));
      }
      await sql.unsafe(ADD_TABLE);
      await sql.close();
      // Twice: each connection has prepared its statements before.
      for (const number of [2, 3]) await useEverything(app, headers, number);
      expect(statuses(await asking.stop())).toEqual([200, 201]);
      const other = await serving({ DATABASE_URL });
      await useEverything(other, headers, 4);
    },
    LIMIT,
  );
});

const PAGES = [
  "/api/v1/network/hosts?sort=name",
  "/api/v1/network/hosts?q=pump*",
  "/api/v1/network/hosts?recursive=true",
  "/api/v1/network/export/ansible",
  "/api/v1/network/export/dns",
  "/api/v1/inventory/items?q=pump",
  "/api/v1/changes?after=0",
  "/api/v1/user/profile",
  "/health/ready",
];

/** The core of reading and writing: every kind of change, its history, and its undo. */
async function useEverything(app: Serving, headers: Record<string, string>, number: number) {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.fetch(`${API}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect([`${method} ${path}`, answer.ok ? "" : text]).toEqual([`${method} ${path}`, ""]);
    return { body: text ? JSON.parse(text) : undefined, set: answer.headers.get("change-set") };
  };
  const post = async (path: string, body: object) => (await call("POST", path, body)).body;
  const domain = await post("/network/domains", { name: `lab${number}.example.org` });
  await post("/network/scopes", {
    name: `Scope${number}`,
    first_vlan: number * 10,
    last_vlan: number * 10 + 9,
    supernet: `10.${number}.0.0/16`,
    domain_id: domain.id,
  });
  const network = await post("/network/networks", {
    vlan_name: `Office${number}`,
    vlan_id: number * 10,
    address: `10.${number}.1.0/24`,
    first_ip: `10.${number}.1.1`,
    last_ip: `10.${number}.1.200`,
    gateway: `10.${number}.1.254`,
    scope: `Scope${number}`,
  });
  const host = await post("/network/hosts", {
    name: `pump-${number}`,
    device_type: "Physical",
    network: `Office${number}`,
  });
  await call("PATCH", `/network/networks/${network.id}`, { description: "changed" });
  const changed = await call("PATCH", `/network/hosts/${host.id}`, { description: "changed" });
  await post(`/changes/${changed.set}/undo`, {});
  const item = await post("/inventory/items", { serial_number: `pump-${number}` });
  await call("PATCH", `/inventory/items/${item.id}`, { host_id: host.id });
  const removed = await call("DELETE", `/network/hosts/${host.id}`);
  await post(`/changes/${removed.set}/undo`, {});
  for (const path of PAGES) {
    const answer = await app.fetch(path, { headers });
    const text = await answer.text();
    expect([path, answer.status, answer.status === 200 ? "" : text]).toEqual([path, 200, ""]);
  }
}

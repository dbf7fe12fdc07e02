import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "./processes.ts";
import { administrator, cadastre, PASSWORD, type Serving, serving } from "./program.ts";
import { aPair, type Pair } from "./replica.ts";

const LIMIT = 120_000;
const API = "/api/v1";

type RequestHeaders = Record<string, string>;

let pair: Pair;
let onPrimary: SQL;
let onReplica: SQL;
let one: Serving;
let other: Serving;
let alice: RequestHeaders;
let carol: RequestHeaders;

beforeAll(async () => {
  pair = await aPair(async (DATABASE_URL) => {
    expect(await cadastre(["migrate"], { settings: { DATABASE_URL } })).toMatchObject({ code: 0 });
  });
  [onPrimary, onReplica] = [connect(pair.primary), connect(pair.replica)];
  const settings = { DATABASE_URL: pair.primary, DATABASE_READ_URL: pair.replica };
  one = await serving(settings);
  other = await serving(settings);
  alice = await administrator(one);
  carol = await aReader();
  await aSite();
}, LIMIT);
afterAll(async () => {
  await Promise.all([onPrimary.close(), onReplica.close()]);
  await pair.stop();
}, LIMIT);

describe("lists with a replica for reads", () => {
  test.each([
    ["a list", "/network/hosts", "hosts"],
    ["a search", "/network/hosts?q=pump*", "hosts"],
    ["a list of another kind", "/inventory/locations", "locations"],
    ["a feed", "/network/export/ansible", "hosts"],
  ])(
    "reads %s from the replica",
    async (_, path, table) => {
      await until("a read on the replica", async () => {
        const before = await scansOf(table);
        // A feed that has not changed is not made again.
        await aHost(one, crypto.randomUUID());
        await ask(one, path);
        // Figures of PostgreSQL arrive up to a second later.
        await Bun.sleep(300);
        return (await scansOf(table)) > before;
      });
    },
    LIMIT,
  );

  test(
    "shows each write at once, on both instances, also while the replica stands still",
    async () => {
      for (const isPaused of [false, true, false]) {
        await pause(isPaused);
        for (let count = 0; count < 5; count += 1) {
          const name = await aHost(count % 2 ? one : other, `motor-${crypto.randomUUID()}`);
          for (const app of [one, other]) {
            expect([await namesOf(app, `name=${name}`), await namesOf(app, `q=${name}`)]).toEqual([
              [name],
              [name],
            ]);
          }
        }
      }
    },
    LIMIT,
  );

  test(
    "hides what has become sensitive at the next request, while the replica stands still",
    async () => {
      const seen = () =>
        Promise.all(
          [one, other].map(async (app) => [
            await namesOf(app, "name=secret-pump", carol),
            await namesOf(app, "q=secret-pump", carol),
          ]),
        );
      expect(await seen()).toEqual([
        [["secret-pump"], ["secret-pump"]],
        [["secret-pump"], ["secret-pump"]],
      ]);
      await pause(true);
      const [network] = await (await ask(one, "/network/networks")).json();
      const path = `/network/networks/${network.id}`;
      expect((await ask(one, path, { method: "PATCH", body: { sensitive: true } })).status).toBe(
        200,
      );
      expect(await seen()).toEqual([
        [[], []],
        [[], []],
      ]);
      await pause(false);
    },
    LIMIT,
  );

  test(
    "works without the replica, and uses it again when it is back",
    async () => {
      await pause(true);
      await aHost(one, "during");
      await ask(one, "/network/hosts");
      await until("the replica to be left out", () => one.said().includes("replica is not used"));
      expect(await namesOf(one, "name=during")).toEqual(["during"]);
      await pause(false);
      await until("the replica to be used", () => one.said().includes("replica is used again"));
      await onReplica`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'cadastre%' and pid <> pg_backend_pid()`.catch(() => {});
      expect(await namesOf(one, "name=during")).toEqual(["during"]);
    },
    LIMIT,
  );
});

function connect(url: string): SQL {
  return new SQL({ url, adapter: "postgres", max: 1 });
}

async function pause(isPaused: boolean): Promise<void> {
  if (isPaused) await onReplica`select pg_wal_replay_pause()`;
  else await onReplica`select pg_wal_replay_resume()`;
}

/** How often the table was read on the replica. */
async function scansOf(table: string): Promise<number> {
  const [found] = await onReplica`
    select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_user_tables
    where relname = ${table}`;
  return Number(found.scans);
}

interface Call {
  method?: string;
  body?: object;
  headers?: RequestHeaders;
}

function ask(
  app: Serving,
  path: string,
  { method, body, headers = alice }: Call = {},
): Promise<Response> {
  return app.fetch(API + path, {
    method: method ?? (body ? "POST" : "GET"),
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function add(path: string, body: object) {
  const answer = await ask(one, path, { body });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

async function aHost(app: Serving, name: string): Promise<string> {
  const answer = await ask(app, "/network/hosts", { body: { name, device_type: "Physical" } });
  expect(answer.status).toBe(201);
  return name;
}

async function namesOf(app: Serving, query: string, headers = alice): Promise<string[]> {
  const answer = await ask(app, `/network/hosts?${query}`, { headers });
  const found = (await answer.json()) as Array<{ name: string }>;
  return found.map(({ name }) => name);
}

/** A user without a group. */
async function aReader(): Promise<RequestHeaders> {
  const body = { username: "carol", password: PASSWORD };
  await add("/user/users", body);
  const { access_token } = await add("/user/login", body);
  return { authorization: `Bearer ${access_token}` };
}

/** A network with a host. */
async function aSite(): Promise<void> {
  const { id: domain_id } = await add("/network/domains", { name: "lab.example.org" });
  const supernet = "10.1.0.0/16";
  await add("/network/scopes", { name: "Lab", first_vlan: 1, last_vlan: 9, supernet, domain_id });
  await add("/network/networks", {
    vlan_name: "Office",
    vlan_id: 1,
    address: "10.1.1.0/24",
    first_ip: "10.1.1.1",
    last_ip: "10.1.1.200",
    gateway: "10.1.1.254",
    scope: "Lab",
  });
  await add("/network/hosts", { name: "secret-pump", device_type: "Physical", network: "Office" });
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "./processes.ts";
import { administrator, cadastre, type Serving, serving } from "./program.ts";
import { aPair, type Pair } from "./replica.ts";
import { aHost, aReader, aSite, call, namesOf, type RequestHeaders } from "./site.ts";

const LIMIT = 120_000;

let pair: Pair;
let onPrimary: SQL;
let onReplica: SQL;
let one: Serving;
let other: Serving;
let alice: RequestHeaders;
let carol: RequestHeaders;
let site: Awaited<ReturnType<typeof aSite>>;

beforeAll(async () => {
  pair = await aPair(async (DATABASE_URL) => {
    expect(await cadastre(["migrate"], { settings: { DATABASE_URL } })).toMatchObject({ code: 0 });
  });
  [onPrimary, onReplica] = [connect(pair.primary), connect(pair.replica)];
  const settings = { DATABASE_URL: pair.primary, DATABASE_READ_URL: pair.replica };
  one = await serving(settings);
  other = await serving(settings);
  alice = await administrator(one);
  carol = await aReader(one, alice);
  site = await aSite(one, alice);
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
        await aHost(one, alice, crypto.randomUUID());
        await call(one, alice, { path });
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
          const name = `motor-${crypto.randomUUID()}`;
          await aHost(count % 2 ? one : other, alice, name);
          for (const app of [one, other]) {
            const found = [
              await namesOf(app, alice, `name=${name}`),
              await namesOf(app, alice, `q=${name}`),
            ];
            expect(found).toEqual([[name], [name]]);
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
            await namesOf(app, carol, "name=pump"),
            await namesOf(app, carol, "q=pump"),
          ]),
        );
      expect(await seen()).toEqual([
        [["pump"], ["pump"]],
        [["pump"], ["pump"]],
      ]);
      await pause(true);
      const path = `/network/networks/${site.network.id}`;
      await call(one, alice, { method: "PATCH", path, body: { sensitive: true } });
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
      await aHost(one, alice, "during");
      await namesOf(one, alice, "per_page=1");
      await until("the replica to be left out", () => one.said().includes("replica is not used"));
      expect(await namesOf(one, alice, "name=during")).toEqual(["during"]);
      await pause(false);
      await until("the replica to be used", () => one.said().includes("replica is used again"));
      await onReplica`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'cadastre%' and pid <> pg_backend_pid()`.catch(() => {});
      expect(await namesOf(one, alice, "name=during")).toEqual(["during"]);
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

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "./processes.ts";
import { administrator, cadastre, type Serving, serving } from "./program.ts";
import { aPair, type Pair } from "./replica.ts";
import { ask as request, requestContinuously, statuses } from "./requests.ts";
import { API, aHost, aReader, aSite, call, logIn, namesOf, type RequestHeaders } from "./site.ts";

const LIMIT = 120_000;
const HOSTS = `${API}/network/hosts`;
const LOCATIONS = `${API}/inventory/locations`;

let pair: Pair;
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
  onReplica = connect(pair.replica);
  one = await serving({ DATABASE_URL: both("read-write"), DATABASE_READ_URL: both("standby") });
  other = await serving({ DATABASE_URL: pair.primary, DATABASE_READ_URL: pair.replica });
  alice = await administrator(one);
  carol = await aReader(one, alice);
  site = await aSite(one, alice);
}, LIMIT);
afterAll(async () => {
  await onReplica.close();
  await pair.stop();
}, LIMIT);

describe("lists with a replica for reads", () => {
  test.each([
    ["a list", "/network/hosts"],
    ["a search", "/network/hosts?q=pump*"],
    ["a list of another kind", "/inventory/locations"],
    ["a feed", "/network/export/ansible"],
    ["the list of changes", "/changes"],
  ])("reads %s from the replica", (_, path) => untilReadThere(API + path), LIMIT);

  test.each([
    ["the search for everything", "/?q=pum"],
    ["the export of changes", "/changes/export.csv"],
  ])(
    "reads %s from the replica",
    async (_, path) => {
      const cookie = await logIn(one);
      await untilReadThere(path, { cookie, "sec-fetch-site": "same-origin" });
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
      await until("the replica to be left out", () => !usesReplica(one));
      expect(await namesOf(one, alice, "name=during")).toEqual(["during"]);
      await pause(false);
      await until("the replica to be used", () => usesReplica(one));
      await onReplica`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'cadastre%' and pid <> pg_backend_pid()`.catch(() => {});
      expect(await namesOf(one, alice, "name=during")).toEqual(["during"]);
    },
    LIMIT,
  );

  test(
    "goes on without a replica that is frozen, and no request fails",
    async () => {
      const bothUseIt = (isUsed: boolean) =>
        until(`both: use of the replica ${isUsed}`, () =>
          [one, other].every((app) => usesReplica(app) === isUsed),
        );
      await bothUseIt(true);
      await untilReadThere(HOSTS);
      const release = pair.freezeReplica();
      const asking = requestContinuously(6, async (client) => {
        const app = client % 2 ? one : other;
        if (client > 1) return request(app, HOSTS, { headers: alice });
        const body = JSON.stringify({ name: crypto.randomUUID() });
        return request(app, LOCATIONS, { method: "POST", headers: alice, body });
      });
      const answers = await bothUseIt(false).then(asking.stop).finally(release);
      expect(statuses(answers)).toEqual([200, 201]);
      await bothUseIt(true);
    },
    LIMIT,
  );

  test(
    "goes on with the new replica after a switchover, and without one where it became the primary",
    async () => {
      await pair.switchOver();
      await until("the new primary", async () => {
        const body = JSON.stringify({ name: crypto.randomUUID() });
        const made = await request(one, LOCATIONS, { method: "POST", headers: alice, body });
        return made.status === 201;
      });
      const onNew = connect(pair.primary);
      await untilReadThere(HOSTS, alice, onNew);
      await onNew.close();
      const alone = await serving({ DATABASE_URL: pair.replica, DATABASE_READ_URL: pair.replica });
      await until("its replica to be left out", () => alone.said().includes("is not a replica"));
      await aHost(alone, alice, "at-last");
      for (const app of [alone, one])
        expect(await namesOf(app, alice, "name=at-last")).toEqual(["at-last"]);
    },
    LIMIT,
  );
});

/** A URL with both servers, the first primary at the front. */
function both(attributes: string): string {
  const sockets = [pair.primary, pair.replica].map((url) => new URL(url).searchParams.get("host"));
  return `postgres://cadastre@/cadastre?host=${sockets}&port=5432&target_session_attrs=${attributes}`;
}

/** By the last that the instance has said of it. */
function usesReplica(app: Serving): boolean {
  const lines = app.said();
  return lines.lastIndexOf("replica is used again") >= lines.lastIndexOf("replica is not used");
}

/** Until a request to the first instance was read there. */
async function untilReadThere(path: string, headers = alice, there = onReplica) {
  await until(`${path} to be read on the replica`, async () => {
    const [{ before }] = await there`select clock_timestamp()::text as before`;
    // A feed that has not changed is not made again.
    await aHost(one, alice, crypto.randomUUID());
    const { status } = await request(one, path, { headers });
    expect(status).toBe(200);
    // The connection that watches the replica has another name.
    const [{ isRead }] = await there`
      select exists (select from pg_stat_activity
        where application_name = 'cadastre' and query_start > ${before}::timestamptz) as "isRead"`;
    return isRead;
  });
}

function connect(url: string): SQL {
  return new SQL({ url, adapter: "postgres", max: 1 });
}

async function pause(isPaused: boolean): Promise<void> {
  if (isPaused) await onReplica`select pg_wal_replay_pause()`;
  else await onReplica`select pg_wal_replay_resume()`;
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { endAll } from "./processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "./program.ts";
import { aProxy } from "./proxy.ts";
import { ask, requestContinuously, statuses } from "./requests.ts";
import { API, aHost, aReader, aSite, call, logIn, namesOf } from "./site.ts";

const LIMIT = 120_000;
/** The contract says within a second; the rest is for a busy machine. */
const WITHIN = 1_000;
let server: Server;
let three: Three;

beforeAll(async () => {
  server = await aServer();
  three = await startThree();
}, LIMIT);
afterAll(() => {
  endAll();
  return server.stop();
}, LIMIT);

describe("three instances on one database", () => {
  test(
    "refuse a revoked token, at once where it was revoked and within a second elsewhere",
    async () => {
      const { all, one, alice } = three;
      const { body: made } = await call(one, alice, { path: "/user/tokens", body: {} });
      const headers = { authorization: `Bearer ${made.token}` };
      const allowed = () =>
        together(all, async (app) => (await ask(app, `${API}/user/profile`, { headers })).status);
      expect(await allowed()).toEqual([200, 200, 200]);
      await call(one, alice, { method: "DELETE", path: `/user/tokens/${made.id}` });
      expect((await allowed())[0]).toBe(401);
      await Bun.sleep(WITHIN);
      expect(await allowed()).toEqual([401, 401, 401]);
    },
    LIMIT,
  );

  test(
    "end a session on all of them after a logout on one",
    async () => {
      const { all, one } = three;
      const headers = { cookie: await logIn(one), "sec-fetch-site": "same-origin" };
      const pages = () =>
        together(all, async (app) => {
          return (await ask(app, "/inventory/items", { headers, redirect: "manual" })).status;
        });
      expect(await pages()).toEqual([200, 200, 200]);
      await ask(one, "/user/logout", { method: "POST", headers, redirect: "manual" });
      expect((await pages())[0]).toBe(303);
      await Bun.sleep(WITHIN);
      expect(await pages()).toEqual([303, 303, 303]);
    },
    LIMIT,
  );

  test(
    "hide the hosts of a network that becomes sensitive from the next request on, and show them again",
    async () => {
      const { all, one, other, alice, site } = three;
      const carol = await aReader(one, alice);
      const { network, host } = site;
      const seen = () =>
        together(all, async (app) => {
          const { status } = await call(app, carol, { path: `/network/hosts/${host.id}` });
          const feed = await call(app, carol, { path: "/network/export/ansible" });
          return [
            status,
            await namesOf(app, carol, "name=pump"),
            await namesOf(app, carol, "q=pump"),
            Object.keys(feed.body._meta.hostvars),
          ];
        });
      const shown = [200, ["pump"], ["pump"], ["pump"]];
      const hidden = [404, [], [], []];
      const path = `/network/networks/${network.id}`;
      expect(await seen()).toEqual([shown, shown, shown]);
      await call(one, alice, { method: "PATCH", path, body: { sensitive: true } });
      expect(await seen()).toEqual([hidden, hidden, hidden]);
      await call(other, alice, { method: "PATCH", path, body: { sensitive: false } });
      expect(await seen()).toEqual([shown, shown, shown]);
    },
    LIMIT,
  );

  test(
    "find a host by its present name, whichever of them created, renamed or deleted it",
    async () => {
      const { all, one, other, third, alice } = three;
      const found = () =>
        together(all, async (app) => [
          await namesOf(app, alice, "sort=name"),
          await namesOf(app, alice, "q=mill*"),
          await namesOf(app, alice, "q=valve*"),
        ]);
      const allOf = (answer: string[][]) => [answer, answer, answer];
      expect(await found()).toEqual(allOf([["pump"], [], []]));
      const host = await aHost(one, alice, "mill-1");
      expect(await found()).toEqual(allOf([["mill-1", "pump"], ["mill-1"], []]));
      const path = `/network/hosts/${host.id}`;
      await call(other, alice, { method: "PATCH", path, body: { name: "valve-1" } });
      expect(await found()).toEqual(allOf([["pump", "valve-1"], [], ["valve-1"]]));
      await call(third, alice, { method: "DELETE", path });
      expect(await found()).toEqual(allOf([["pump"], [], []]));
    },
    LIMIT,
  );

  test(
    "count the audit log right, whichever of them adds an entry, and when entries are changed or deleted",
    async () => {
      const { all, one, other, alice, settings } = three;
      const totals = () =>
        together(all, async (app) => {
          const answer = await app.fetch(`${API}/audit?event=token.created&count=1&per_page=1`, {
            headers: alice,
          });
          return Number(answer.headers.get("x-total-count"));
        });
      for (const app of all) await call(app, alice, { path: "/user/tokens", body: {} });
      await Bun.sleep(WITHIN);
      const [first = 0] = await totals();
      expect(await totals()).toEqual([first, first, first]);
      await call(other, alice, { path: "/user/tokens", body: {} });
      expect(await totals()).toEqual([first + 1, first + 1, first + 1]);
      const sql = new SQL({ url: settings.DATABASE_URL ?? "", max: 1 });
      const oldest = sql`(select min(id) from audit_log where event = 'token.created' and count = 1)`;
      await sql`update audit_log set count = 2 where id = ${oldest}`;
      expect(await totals()).toEqual([first, first, first]);
      await sql`delete from audit_log where id = ${oldest}`;
      expect(await totals()).toEqual([first - 1, first - 1, first - 1]);
      await sql.close();
      await call(one, alice, { path: "/user/tokens", body: {} });
      expect(await totals()).toEqual([first, first, first]);
    },
    LIMIT,
  );

  test(
    "serve one feed under one tag, and a new one as soon as any of them changed it",
    async () => {
      const { all, one, third, alice } = three;
      const path = "/network/export/ansible";
      const first = await call(one, alice, { path });
      const asked = (etag: string) =>
        together(all, async (app) => {
          const headers = { ...alice, "if-none-match": etag };
          const answer = await app.fetch(API + path, { headers });
          const text = await answer.text();
          return [answer.status, answer.headers.get("etag"), text.includes('"valve"')];
        });
      const same = [304, first.etag, false];
      expect(await asked(first.etag)).toEqual([same, same, same]);
      await aHost(third, alice, "valve");
      const { etag } = await call(one, alice, { path });
      const changed = [200, etag, true];
      expect(etag).not.toBe(first.etag);
      expect(await asked(first.etag)).toEqual([changed, changed, changed]);
    },
    LIMIT,
  );

  test(
    "give a change one id, which a restart keeps",
    async () => {
      const { all, one, settings, alice } = three;
      const made = await one.fetch(`${API}/inventory/locations`, {
        method: "POST",
        headers: { ...alice, "content-type": "application/json" },
        body: JSON.stringify({ name: "Hall of one id" }),
      });
      const id = made.headers.get("change-set");
      const again = await serving(settings);
      const found = await together([...all, again], async (app) => {
        const { body } = await call(app, alice, { path: `/changes/${id}` });
        const [newest] = (await call(app, alice, { path: "/changes?per_page=1" })).body;
        return [body.id, newest.id];
      });
      expect(id).toMatch(/^[a-h][a-z2-7]{25}$/);
      expect(found).toEqual(Array(4).fill([id, id]));
      again.child.kill("SIGTERM");
      await again.ended;
    },
    LIMIT,
  );

  test(
    "create one record for requests with one idempotency key, concurrent or consecutive",
    async () => {
      const { all, one, alice } = three;
      const headers = { ...alice, "idempotency-key": crypto.randomUUID() };
      const post = () => together(all, (app) => aHost(app, headers, "drum"));
      const made = [...(await post()), ...(await post())];
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(await namesOf(one, alice, "name=drum")).toEqual(["drum"]);
    },
    LIMIT,
  );

  test(
    "are replaced one by one behind a proxy, and no request fails",
    async () => {
      const { all, settings, alice } = three;
      const proxy = aProxy(all.map(({ origin }) => origin));
      const asking = requestContinuously(6, async (client) => {
        const body = JSON.stringify({ name: crypto.randomUUID() });
        const path = `${API}/inventory/locations`;
        const writing = { method: "POST", headers: alice, body };
        return client % 2 ? ask(proxy, path, { headers: alice }) : ask(proxy, path, writing);
      });
      for (const old of all) {
        const { origin } = await serving(settings);
        proxy.add(origin);
        old.child.kill("SIGTERM");
        expect(await old.ended).toBe(0);
        proxy.remove(old.origin);
      }
      await Bun.sleep(300);
      const answers = await asking.stop();
      proxy.stop();
      expect(statuses(answers)).toEqual([200, 201]);
      expect(answers.length).toBeGreaterThan(100);
    },
    LIMIT,
  );
});

type Three = Awaited<ReturnType<typeof startThree>>;

async function startThree() {
  const settings = { DATABASE_URL: await server.migrated() };
  const all = await Promise.all([serving(settings), serving(settings), serving(settings)]);
  const [one, other, third] = all;
  const alice = await administrator(one);
  return { all, one, other, third, settings, alice, site: await aSite(one, alice) };
}

function together<T>(all: readonly Serving[], work: (app: Serving) => Promise<T>): Promise<T[]> {
  return Promise.all(all.map(work));
}

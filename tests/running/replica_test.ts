import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { administrator, cadastre, PASSWORD, type Serving, serving, starting } from "./program.ts";
import { aPair, type Pair } from "./replica.ts";

const LIMIT = 240_000;
const ONLY_READS = "This instance is read-only";

type RequestHeaders = Record<string, string>;

let pair: Pair;
let primary: Serving;
let replica: Serving;
let alice: RequestHeaders;
let cookie: string;

beforeAll(async () => {
  pair = await aPair(async (DATABASE_URL) => {
    const input = `${PASSWORD}\n`;
    const args = ["seed", "--password-stdin", "--items", "40", "--hosts", "40"];
    expect((await cadastre(args, { settings: { DATABASE_URL }, input })).err).toContain("Filling");
  });
  primary = await serving({ DATABASE_URL: pair.primary });
  alice = await administrator(primary);
  cookie = await logIn(primary);
  await pair.caughtUp();
  replica = await serving({ DATABASE_URL: pair.replica });
}, LIMIT);
afterAll(() => pair.stop(), LIMIT);

describe("an instance on a replica", () => {
  test("reports once that it only reads, and is ready", async () => {
    const lines = replica.said().split("\n");
    expect(lines.filter((line) => line.includes("only reads"))).toEqual([
      expect.stringContaining("The database is a replica: this instance only reads"),
    ]);
    expect((await replica.fetch("/health/ready")).status).toBe(200);
  });

  test.each([
    "network/hosts?sort=name",
    "network/hosts?q=klystorn~2",
    "network/hosts?q=/.*ioc.*/",
    "network/hosts?q=ioc* AND NOT rack",
    "inventory/items?per_page=5",
    "inventory/items?q=klystorn~2",
    "network/groups?recursive=true",
    "network/export/ansible",
    "network/export/dns",
    "network/export/hosts",
    "user/profile",
  ])("returns %s as the primary does, for a first and a second request", async (path) => {
    const results = async (app: Serving) => {
      const answer = await app.fetch(`/api/v1/${path}`, { headers: alice });
      return [answer.status, answer.headers.get("x-total-count"), await answer.text()];
    };
    const expected = await results(primary);
    expect(expected[0]).toBe(200);
    expect(await results(replica)).toEqual(expected);
    expect(await results(replica)).toEqual(expected);
  });

  test("returns changes and audit entries by id, without the last half minute", async () => {
    const sql = new SQL(pair.primary);
    await sql`insert into audit_log (event, target, at) values
      ('user.changed', 'old', now() - interval '1 hour'), ('user.changed', 'new', now())`;
    await sql.close();
    await pair.caughtUp();
    const read = async (path: string): Promise<Array<{ target?: string }>> => {
      const answer = await replica.fetch(`/api/v1/${path}`, { headers: alice });
      expect(answer.status, path).toBe(200);
      return answer.json();
    };
    expect((await read("changes?after=0")).length).toBeGreaterThan(0);
    const targets = (await read("audit?after=0&per_page=100")).map(({ target }) => target);
    expect(targets.at(-1)).toBe("old");
  });

  test("generates a feed that was not requested from the primary, under a valid tag", async () => {
    const ask = (headers: RequestHeaders) =>
      replica.fetch("/api/v1/network/export/dhcp/dnsmasq", { headers: { ...alice, ...headers } });
    const first = await ask({});
    expect([first.status, (await first.text()).length > 100]).toEqual([200, true]);
    const etag = first.headers.get("etag") ?? "";
    expect((await ask({ "if-none-match": etag })).status).toBe(304);
  });

  test("shows pages to users who have logged in on the primary", async () => {
    const page = (path: string) => replica.fetch(path, { headers: { cookie }, redirect: "manual" });
    const [item] = await rows("inventory/items");
    const [host] = await rows("network/hosts");
    const home = await (await page("/")).text();
    const linked = [...home.matchAll(/href="(\/[^"#]*)"/g)].map(([, path = ""]) => path);
    const records = [`/inventory/items/view/${item.ics_id}`, `/network/hosts/view/${host.name}`];
    expect(linked).toContain("/network/networks");
    const shown = new Set([...linked, ...records]);
    // Logging out would delete the session, which is a write.
    shown.delete("/user/logout");
    for (const path of shown) {
      expect([path, (await page(path)).status]).toEqual([path, 200]);
    }
  });

  test.each([
    ["POST", "/inventory/locations", { name: "Nowhere" }],
    ["POST", "/inventory/locations?dry_run=true", { name: "Nowhere" }],
    ["PATCH", "/network/hosts/1", { description: "other" }],
    ["DELETE", "/network/hosts/1", undefined],
    ["POST", "/user/tokens", {}],
    ["POST", "/user/login", { username: "alice", password: PASSWORD }],
    ["POST", "/user/login", { username: "alice", password: "wrong" }],
  ])("refuses %s %s, and says why", async (method, path, body) => {
    const answer = await replica.fetch(`/api/v1${path}`, {
      method,
      headers: alice,
      body: body && JSON.stringify(body),
    });
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as { detail: string }).detail).toStartWith(ONLY_READS);
  });

  test.each([
    ["/user/login", { username: "alice", password: PASSWORD }],
    ["/inventory/attributes/location", { name: "Nowhere" }],
  ])("tells a user who sends the form %s why it is refused", async (path, fields) => {
    const answer = await submit(replica, path, { cookie, fields });
    expect([answer.status, (await answer.text()).includes(ONLY_READS)]).toEqual([503, true]);
  });

  test("shows concurrent changes: in lists, totals, fuzzy searches and feeds", async () => {
    const results = async () => {
      const list = await replica.fetch("/api/v1/network/hosts?per_page=1", { headers: alice });
      const fuzzy = await replica.fetch("/api/v1/network/hosts?q=quasimodi~1", { headers: alice });
      const feed = await replica.fetch("/api/v1/network/export/ansible", { headers: alice });
      return [
        Number(list.headers.get("x-total-count")),
        ((await fuzzy.json()) as unknown[]).length,
        (await feed.text()).includes('"quasimodo"'),
      ];
    };
    const [total] = await results();
    const made = await primary.fetch("/api/v1/network/hosts", {
      method: "POST",
      headers: alice,
      body: JSON.stringify({ name: "quasimodo", device_type: "Physical" }),
    });
    expect([made.status, await made.text()]).toEqual([201, expect.any(String)]);
    await pair.caughtUp();
    expect(await results()).toEqual([Number(total) + 1, 1, true]);
  });

  test("refuses a token that was revoked on the primary", async () => {
    const tokens = "/api/v1/user/tokens";
    const answer = await primary.fetch(tokens, { method: "POST", headers: alice, body: "{}" });
    const { id, token } = (await answer.json()) as { id: number; token: string };
    const headers = { authorization: `Bearer ${token}` };
    const profile = () => replica.fetch("/api/v1/user/profile", { headers });
    await pair.caughtUp();
    expect((await profile()).status).toBe(200);
    await primary.fetch(`${tokens}/${id}`, { method: "DELETE", headers: alice });
    await pair.caughtUp();
    await Bun.sleep(1_000);
    expect((await profile()).status).toBe(401);
  });

  test(
    "does not start on an unexpected schema",
    async () => {
      const sql = new SQL({ url: pair.primary, adapter: "postgres", max: 1 });
      const lost = await sql`delete from migrations returning name`;
      await pair.caughtUp();
      const early = starting({ DATABASE_URL: pair.replica });
      expect(await early.ended).toBe(1);
      expect(early.said()).toContain("migrate its primary first");
      await sql`insert into migrations ${sql(lost)}`;
      await sql.close();
      await pair.caughtUp();
    },
    LIMIT,
  );

  test(
    "is complete after a restart, once the replica is promoted",
    async () => {
      primary.child.kill("SIGINT");
      replica.child.kill("SIGINT");
      await Promise.all([primary.ended, replica.ended]);
      await pair.promote();
      const app = await serving({ DATABASE_URL: pair.replica });
      expect(app.said()).not.toContain("only reads");
      const headers = await administrator(app);
      const answer = await app.fetch("/api/v1/inventory/locations", {
        method: "POST",
        headers,
        body: JSON.stringify({ name: "Nowhere" }),
      });
      expect(answer.status).toBe(201);
    },
    LIMIT,
  );
});

async function rows(path: string) {
  const answer = await replica.fetch(`/api/v1/${path}`, { headers: alice });
  return JSON.parse(await answer.text());
}

interface Form {
  cookie?: string;
  fields: Record<string, string>;
}

function submit(app: Serving, path: string, { cookie = "", fields }: Form): Promise<Response> {
  return app.fetch(path, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, "sec-fetch-site": "same-origin", accept: "text/html" },
    body: new URLSearchParams(fields),
  });
}

async function logIn(app: Serving): Promise<string> {
  const fields = { username: "alice", password: PASSWORD };
  const answer = await submit(app, "/user/login", { fields });
  return answer.headers.getSetCookie().join("; ").split(";")[0] ?? "";
}

// The audit log, as the API returns it.
import { beforeEach, describe, expect, test } from "bun:test";
import { flush } from "../../src/auth/audit_limits.ts";
import * as config from "../../src/config.ts";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import { browser, logIn } from "../support/browser.ts";
import {
  alice,
  api,
  aUser,
  audrey,
  bob,
  carol,
  dave,
  idOf,
  PASSWORD,
  service,
  stranger,
  visit,
} from "../support/mod.ts";

interface Entry {
  id: number;
  event: string;
  username: string | null;
  target: string | null;
  address: string | null;
  count: number;
  details: Record<string, unknown>;
}

const NEW = "a rather different password";
const NDJSON = { headers: { accept: "application/x-ndjson" } };

async function entries(query = ""): Promise<Entry[]> {
  const { status, body } = await api(audrey).get(`/audit?per_page=100&sort=id${query}`);
  expect(status).toBe(200);
  return body;
}

async function summaries(query = ""): Promise<unknown[]> {
  return (await entries(query)).map(({ event, username, target }) => [event, username, target]);
}

describe("the audit log", () => {
  test("contains logins of both kinds and logouts, with the address", async () => {
    await api(stranger).post("/user/login", { username: "BOB", password: PASSWORD });
    await api(stranger).post("/user/login", { username: "bob", password: "wrong wrong wrong" });
    const own = await logIn(bob);
    await own.submit("/user/logout", {});
    const found = await entries();
    expect(found.map(({ event, username }) => [event, username])).toEqual([
      ["login.succeeded", "bob"],
      ["login.failed", "bob"],
      ["login.succeeded", "bob"],
      ["logout", "bob"],
    ]);
    expect(found.map(({ details }) => details.credential)).toEqual([
      "token",
      undefined,
      "session",
      undefined,
    ]);
    expect(new Set(found.map(({ address }) => address))).toEqual(new Set(["127.0.0.1"]));
  });

  test("contains every change of a token, and never the token", async () => {
    const made = await api(bob).post("/user/tokens", { description: "Script" });
    const { token } = made.body;
    const next = await api({ token }).post("/user/tokens/self/rotate", {});
    await api(bob).delete(`/user/tokens/${next.body.id}`);
    const found = await entries();
    expect(await summaries()).toEqual([
      ["token.created", "bob", "bob"],
      ["token.rotated", "bob", "bob"],
      ["token.revoked", "bob", "bob"],
    ]);
    expect(found.every(({ details }) => details.description === "Script")).toBe(true);
    const text = JSON.stringify(found);
    for (const secret of [token, next.body.token]) {
      for (const part of secret.split("_").slice(1)) expect(text).not.toContain(part);
    }
  });

  test("contains who changed which user, and the former groups", async () => {
    const { id } = await aUser({ username: "erin", groups: ["network"] });
    const path = `/user/users/${id}`;
    await api(alice).patch(path, { groups: ["network"], email: "erin@example.org" });
    await api(alice).patch(path, { groups: ["admin"], password: NEW });
    await api(alice).patch(path, { groups: ["admin"] });
    await api(alice).patch(`${path}?dry_run=true`, { groups: [] });
    await api(alice).delete(path);
    await api(alice).delete(path);
    expect(await summaries("&username=alice")).toEqual([
      ["user.created", "alice", "erin"],
      ["user.changed", "alice", "erin"],
      ["user.changed", "alice", "erin"],
      ["password.changed", "alice", "erin"],
      ["user.deactivated", "alice", "erin"],
    ]);
    const changed = await entries("&event=user.changed");
    expect(changed.map(({ details }) => details)).toEqual([
      { fields: "email" },
      { fields: "groups", groups_before: "network", groups: "admin" },
    ]);
    expect(JSON.stringify(await entries())).not.toContain(NEW);
  });

  test("contains a user's change of their own password", async () => {
    await api(bob).patch("/user/profile", { password: NEW, current_password: PASSWORD });
    expect(await summaries()).toEqual([["password.changed", "bob", "bob"]]);
    expect(JSON.stringify(await entries())).not.toMatch(new RegExp(`${NEW}|${PASSWORD}`));
  });

  test("contains exports, with their queries", async () => {
    const own = await browser(carol);
    await own.get("/inventory/items/_generate_excel_file?q=crate");
    expect(await summaries()).toEqual([["export.requested", "carol", "items"]]);
  });
});

describe("refusals", () => {
  test("are entries with the user and the pattern of the route, not the record", async () => {
    await api(carol).patch("/network/networks/4711", { description: "x" });
    const own = await browser(bob);
    expect((await own.get("/admin/users")).status).toBe(403);
    const found = await entries("&event=access.refused");
    expect(found.map(({ username, details }) => [username, details.method, details.route])).toEqual(
      [
        ["carol", "PATCH", "/api/v1/network/networks/:id"],
        ["bob", "GET", "/admin/users"],
      ],
    );
  });

  test("of somebody who is not logged in have the address", async () => {
    await visit("/user/login", {
      method: "POST",
      headers: { "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({ username: "bob", password: PASSWORD }),
    });
    const [entry] = await entries("&event=access.refused");
    expect(entry).toMatchObject({ username: null, address: "127.0.0.1", count: 1 });
  });

  test("are separate entries up to a limit, and then counted in the last one", async () => {
    const refused = () => api(dave).delete("/user/users/1");
    for (let number = 0; number < 45; number += 1) await refused();
    await flush();
    const found = await entries("&event=access.refused&username=dave");
    expect(found).toHaveLength(30);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(45);
    expect(found.at(-1)).toMatchObject({ count: 16, last_at: expect.any(String) });
    await api(carol).delete("/user/users/1");
    expect(await entries("&event=access.refused&username=carol")).toHaveLength(1);
  });
});

describe("GET /audit", () => {
  test("is for admins and auditors", async () => {
    for (const person of [alice, audrey])
      expect((await api(person).get("/audit")).status, person.username).toBe(200);
    for (const person of [bob, carol, dave]) {
      for (const given of [{}, NDJSON]) {
        const { status, text } = await api(person).get("/audit", given);
        expect([person.username, status]).toEqual([person.username, 403]);
        expect(text).not.toContain("login");
      }
    }
    expect((await api(stranger).get("/audit")).status).toBe(401);
  });

  test("filters by person, kind, date and text, and pages", async () => {
    await aUser({ username: "erin" });
    await aUser({ username: "frank" });
    await api(bob).post("/user/tokens", { description: "Nightly copy" });
    const count = async (query: string) => (await entries(query)).length;
    expect(await count("&username=alice")).toBe(2);
    expect(await count("&target=erin")).toBe(1);
    expect(await count("&event=token.created")).toBe(1);
    expect(await count("&event__startswith=user.")).toBe(2);
    expect(await count("&q=nightly")).toBe(1);
    expect(await count("&q=username:alice AND target:frank")).toBe(1);
    expect(await count("&at__gte=2020-01-01")).toBe(3);
    expect(await count("&at__lte=2020-01-01")).toBe(0);
    const { headers, body } = await api(alice).get("/audit?per_page=2");
    expect(headers.get("x-total-count")).toBe("3");
    expect(headers.get("link")).toContain('rel="next"');
    expect(body[0].event).toBe("token.created");
  });

  test("finds similar words, also in entries that are newer than the first search for one", async () => {
    const found = async () => (await entries("&q=nigthly~")).length;
    expect(await found()).toBe(0);
    for (const description of ["Nightly copy", "Nightly report"]) {
      await api(bob).post("/user/tokens", { description });
    }
    expect(await found()).toBe(2);
  });

  test.each([
    "after=-1",
    "after=x",
    "after=1&after=2",
    "nothing=1",
    "at__gte=soon",
    "sort=details",
  ])("refuses %s", async (query) => {
    for (const given of [{}, NDJSON]) {
      const { status } = await api(alice).get(`/audit?${query}`, given);
      expect(status, JSON.stringify(given)).toBe(422);
    }
  });
});

describe("after", () => {
  beforeEach(async () => {
    for (const username of ["erin", "frank", "grace"]) await aUser({ username });
  });

  test("returns the entries after the given one, oldest first", async () => {
    const first = await api(audrey).get("/audit?after=0&per_page=2");
    expect(first.body.map(({ target }: Entry) => target)).toEqual(["erin", "frank"]);
    const rest = await api(audrey).get(`/audit?after=${first.body[1].id}`);
    expect(rest.body.map(({ target }: Entry) => target)).toEqual(["grace"]);
    expect((await api(audrey).get(`/audit?after=${rest.body[0].id}`)).body).toEqual([]);
  });

  test("returns no entry while one with a lower id is not committed yet", async () => {
    const { sql } = await service();
    const all = async () => (await api(audrey).get("/audit?after=0")).body as Entry[];
    await sql.begin(async (tx) => {
      await tx`insert into audit_log (event, target) values ('user.created', 'slow')`;
      await aUser({ username: "quick" });
      expect((await all()).map(({ target }) => target)).toEqual(["erin", "frank", "grace"]);
      expect(await summaries()).toHaveLength(4);
    });
    expect((await all()).map(({ target }) => target)).toEqual([
      "erin",
      "frank",
      "grace",
      "slow",
      "quick",
    ]);
  });

  test("returns the same entries as lines, without pages", async () => {
    const { sql } = await service();
    await sql`insert into audit_log (event, target)
      select 'user.changed', number::text from generate_series(1, 250) number`;
    const { status, headers, body } = await api(audrey).get("/audit", NDJSON);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toStartWith("application/x-ndjson");
    expect(body).toHaveLength(253);
    const ids: number[] = body.map(({ id }: Entry) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const [, , third] = body;
    expect((await api(audrey).get(`/audit?after=${ids[1]}&per_page=1`)).body).toEqual([third]);
    const some = await api(audrey).get(`/audit?after=${ids[250]}&event=user.changed`, NDJSON);
    expect(some.body.map(({ target }: Entry) => target)).toEqual(["249", "250"]);
  });

  test("returns at most 10,000 lines, and the others after the last of them", async () => {
    const { sql } = await service();
    await sql`insert into audit_log (event, target)
      select 'user.changed', number::text from generate_series(1, 10001) number`;
    const { body } = await api(audrey).get("/audit?event=user.changed&after=0", NDJSON);
    expect(body.map(({ target }: Entry) => Number(target))).toEqual(
      Array.from({ length: 10_000 }, (_, at) => at + 1),
    );
    const rest = await api(audrey).get(`/audit?after=${body.at(-1).id}`, NDJSON);
    expect(rest.body.map(({ target }: Entry) => target)).toEqual(["10001"]);
  });
});

describe("AUDIT_DAYS", () => {
  test("is the number of days for which entries are kept", async () => {
    const { sql } = await service();
    await sql`insert into audit_log (event, target, at, last_at) values
      ('user.changed', 'old', now() - interval '31 days', null),
      ('user.changed', 'still counted', now() - interval '31 days', now()),
      ('user.changed', 'young', now() - interval '29 days', null)`;
    await deleteExpired({ auditDays: 30 });
    expect(await summaries()).toEqual([
      ["user.changed", null, "still counted"],
      ["user.changed", null, "young"],
    ]);
  });

  test("is a year by default, and has to be a number of days", () => {
    expect(config.readConfig({}).auditDays).toBe(365);
    expect(config.readConfig({ AUDIT_DAYS: "30" }).auditDays).toBe(30);
    for (const AUDIT_DAYS of ["0", "-1", "3651", "a year", "1.5"]) {
      expect(() => config.readConfig({ AUDIT_DAYS })).toThrow("AUDIT_DAYS");
    }
  });
});

test("a client cannot forge an entry or insert markup", async () => {
  const id = await idOf(bob);
  const name = 'x\r\n{"event":"fake"}\u001b[31m';
  await api(stranger).post("/user/login", { username: name, password: PASSWORD });
  await api(stranger).post("/user/login", {
    username: "<img src=x onerror=alert(1)>",
    password: "x",
  });
  const { text, body } = await api(audrey).get("/audit", NDJSON);
  expect(text.trimEnd().split("\n")).toHaveLength(body.length);
  expect(body.every(({ event }: Entry) => event === "login.failed")).toBe(true);
  const page = await (await browser(audrey)).get("/admin/audit");
  expect(page.text).not.toContain("<img src=x");
  expect((await api(alice).get(`/user/users/${id}`)).status).toBe(200);
});

// GET /api/v1/events and GET /live: change sets as they happen.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { publicId } from "../../src/input/change_ids.ts";
import { streamSlots } from "../../src/input/limiters.ts";
import { MOST_STREAMS, MOST_STREAMS_OF_USER } from "../../src/input/limits.ts";
import { browser } from "../support/browser.ts";
import {
  closeReadings,
  eventsIn,
  listen,
  type Reading,
  waitUntil,
} from "../support/event_stream.ts";
import { aHiddenHost } from "../support/hidden.ts";
import {
  aDomain,
  aGroup,
  aHost,
  alice,
  anInterface,
  api,
  aSiteField,
  carol,
  dave,
  idOf,
  type Person,
  service,
  tokenOf,
  visit,
} from "../support/mod.ts";
import { mountedItem } from "../support/mounted.ts";
import { aSiteWithSecrets, CANARY, forgetSecrets } from "../support/site_with_secrets.ts";

setDefaultTimeout(60_000);
afterEach(async () => {
  await closeReadings();
  // The server sees a moment later that a reader has gone.
  await waitUntil(openStreams, (count) => count === 0);
});

const EVENTS = "/api/v1/events";
/** The check of all streams comes each 750 ms; the rest is for a busy machine. */
const A_MOMENT = 3_000;

async function authorization(person: Person): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await tokenOf(person)}` };
}

async function follow(person: Person, query = "", headers = {}): Promise<Reading> {
  return listen(EVENTS + query, { ...(await authorization(person)), ...headers });
}

async function openStreams(): Promise<number> {
  const { text } = await visit("/metrics");
  return Number(/^cadastre_event_streams (\d+)$/m.exec(text)?.[1]);
}

/** The ids of all change sets that alice sees, the oldest first. */
async function idsAfter(after: string): Promise<string[]> {
  const { body } = await api(alice).get(`/changes?after=${after}&per_page=100`);
  return body.map(({ id }: { id: string }) => id);
}

describe("the stream of changes", () => {
  test("has each change set as the list has it, from now on", async () => {
    await aDomain();
    const [before] = await idsAfter("0");
    const reading = await follow(carol);
    expect(reading.status).toBe(200);
    expect(reading.headers.get("content-type")).toBe("text/event-stream");
    expect(reading.headers.get("cache-control")).toBe("no-store");
    expect(reading.headers.get("x-accel-buffering")).toBe("no");
    const host = await aHost();
    await api(alice).patch(`/network/hosts/${host.id}`, { description: "new" });
    await api(alice).delete(`/network/hosts/${host.id}`);
    const events = await reading.until(3);
    const { body: listed } = await api(carol).get(`/changes?after=${before}`);
    expect(events).toEqual(
      listed.map((data: { id: string }) => ({ id: data.id, event: "change", data })),
    );
    // A reader that loses the connection before the first event continues there.
    expect(reading.text()).toStartWith(`retry: 2000\nid: ${before}\n\n`);
  });

  test("has the changes that match the filters of the list", async () => {
    const reading = await follow(carol, "?kind=domains&user=alice");
    const host = await aHost();
    const described = await follow(carol, "?query=changed:description");
    await api(alice).patch(`/network/hosts/${host.id}`, { name: "other-name" });
    await api(alice).patch(`/network/hosts/${host.id}`, { description: "new" });
    await api(dave).post("/network/domains", { name: "of-dave.example.org" });
    const { name } = await aDomain();
    await api(alice).delete(`/network/hosts/${host.id}`);
    await aDomain();
    const events = await reading.until(2);
    expect(events.map(({ data }) => data.events[0].table_name)).toEqual(["domains", "domains"]);
    expect(events[0]?.data.events[0].name).toBe(name);
    const [changed, ...others] = await described.until(2);
    expect(changed?.data.events[0].differences).toEqual([
      { field: "description", old: null, now: "new" },
    ]);
    expect(others.map(({ data }) => data.events[0].action)).toEqual(["delete"]);
  });

  test("continues after a change without a gap or a repetition, while others write", async () => {
    for (let made = 0; made < 55; made += 1) await aDomain();
    const all = await idsAfter("0");
    const after = all[1] ?? "";
    const writing = Array.from({ length: 4 }, async () => {
      for (let made = 0; made < 10; made += 1) await aDomain();
    });
    const readings = await Promise.all([
      follow(carol, `?after=${after}`),
      follow(carol, "?after=0", { "last-event-id": after }),
      follow(alice, `?after=${after}&kind=domains`),
    ]);
    await Promise.all(writing);
    const expected = await idsAfter(after);
    expect(expected.length).toBe(93);
    for (const reading of readings) {
      await reading.until(expected.length);
      expect(reading.events().map(({ id }) => id)).toEqual(expected);
    }
  });

  test("waits for a transaction that commits late", async () => {
    const reading = await follow(alice);
    const { sql } = await service();
    const late = await sql.reserve();
    await late`begin`;
    const [{ id }] = await late`select begin_change_set(null, null, null)::int as id`;
    await late`select set_config('app.change_set', ${String(id)}, true)`;
    await late`insert into domains (name) values ('late.example.org')`;
    await aDomain();
    await Bun.sleep(100);
    expect(reading.events()).toEqual([]);
    await late`commit`;
    late.release();
    const events = await reading.until(2);
    expect(events.map((one) => one.id)).toEqual(await idsAfter(publicId(id - 1)));
    expect(events[0]?.id).toBe(publicId(id));
  });

  test("sends nothing at all for what is hidden", async () => {
    const hidden = await aHiddenHost();
    await aDomain();
    const [visible] = await idsAfter("0");
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "one" });
    const [plain, filtered, page] = await Promise.all([
      follow(carol),
      follow(carol, "?kind=hosts"),
      listen("/live", { cookie: (await browser(carol)).cookie }),
    ]);
    const seeing = await follow(alice);
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "two" });
    await seeing.until(1);
    await Bun.sleep(100);
    const start = `retry: 2000\nid: ${visible}\n\n`;
    expect([plain.text(), filtered.text(), page.text()]).toEqual([start, start, start]);
    const { id } = await aHost();
    for (const reading of [plain, filtered, page]) {
      const [event] = await reading.until(1);
      expect(JSON.stringify(event?.data)).not.toContain("canary");
      expect(event?.id).toBe((await idsAfter("0")).at(-1) ?? "");
      expect(id).toBeGreaterThan(0);
    }
  });

  test("is the same, to the byte, as if hidden records did not exist", async () => {
    await aSiteWithSecrets();
    const { cookie } = await browser(carol);
    const countOf = async (person: Person, query = "") =>
      (await api(person).get(`/changes?after=0&per_page=100${query}`)).body.length as number;
    const [all, some] = [await countOf(carol), await countOf(dave, "&kind=hosts&kind=interfaces")];
    expect(all).toBeGreaterThan(some);
    expect(some).toBeGreaterThan(0);
    const texts = async () => {
      const readings = await Promise.all([
        follow(carol, "?after=0"),
        follow(dave, "?kind=hosts&kind=interfaces", { "last-event-id": "0" }),
        listen("/live", { cookie, "last-event-id": "0" }),
      ]);
      for (const [at, count] of [all, some, all].entries()) await readings[at]?.until(count);
      return readings.map((one) => one.text());
    };
    const withSecrets = await texts();
    expect(withSecrets.join("").toLowerCase()).not.toContain(CANARY);
    await forgetSecrets();
    expect(await texts()).toEqual(withSecrets);
  });

  test("answers a HEAD, and refuses what it does not know", async () => {
    const headers = await authorization(carol);
    const head = await visit(EVENTS, { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const refused = async (query: string, more = {}) =>
      (await api(carol).get(`/events${query}`, { headers: more })).body.errors[0].field;
    expect(await refused("?before=5")).toBe("before");
    expect(await refused("?per_page=5")).toBe("per_page");
    expect(await refused("?kind=cars")).toBe("kind");
    expect(await refused("?query=(")).toBe("query");
    expect(await refused("", { "last-event-id": "x" })).toBe("Last-Event-ID");
    expect(await openStreams()).toBe(0);
  });
});

describe("a stream ends", () => {
  test("when its token is revoked, by this process or by another one", async () => {
    const { sql } = await service();
    const made = await Promise.all(
      [1, 2, 3].map(async () => (await api(carol).post("/user/tokens", {})).body),
    );
    const readings = await Promise.all(
      made.map(({ token }) => listen(EVENTS, { authorization: `Bearer ${token}` })),
    );
    const [first, second, third] = readings;
    await api(carol).delete(`/user/tokens/${made[0].id}`);
    await Promise.race([first?.over, Bun.sleep(A_MOMENT)]);
    expect(readings.map((one) => one.isOver())).toEqual([true, false, false]);
    await sql`update tokens set revoked_at = now() where id = ${made[1].id}`;
    await Promise.race([second?.over, Bun.sleep(A_MOMENT)]);
    expect(readings.map((one) => one.isOver())).toEqual([true, true, false]);
    await sql`update tokens set expires_at = now() where id = ${made[2].id}`;
    await Promise.race([third?.over, Bun.sleep(A_MOMENT)]);
    expect(third?.isOver()).toBe(true);
    await waitUntil(openStreams, (count) => count === 0);
  });

  test("when its secret is replaced, unless both are valid for a while", async () => {
    const { body: made } = await api(carol).post("/user/tokens", {});
    const reading = await listen(EVENTS, { authorization: `Bearer ${made.token}` });
    const rotate = async (overlap_minutes: number, token: string) =>
      (await api({ token }).post("/user/tokens/self/rotate", { overlap_minutes })).body;
    const { token } = await rotate(5, made.token);
    await Bun.sleep(100);
    await aDomain();
    await reading.until(1);
    await rotate(5, token);
    await Promise.race([reading.over, Bun.sleep(A_MOMENT)]);
    expect(reading.isOver()).toBe(true);
  });

  test("when its user is deactivated, or sees other records", async () => {
    const [seer, hidden] = [await follow(carol), await aHiddenHost()];
    const gone = await follow(dave);
    await api(alice).delete(`/user/users/${await idOf(dave)}`);
    await api(alice).patch(`/user/users/${await idOf(carol)}`, { groups: ["inventory"] });
    await Promise.race([gone.over, Bun.sleep(A_MOMENT)]);
    expect([gone.isOver(), seer.isOver()]).toEqual([true, false]);
    await api(alice).patch(`/user/users/${await idOf(carol)}`, { groups: ["auditor"] });
    await Promise.race([seer.over, Bun.sleep(A_MOMENT)]);
    expect(seer.isOver()).toBe(true);
    const again = await follow(carol);
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "seen" });
    expect((await again.until(1))[0]?.data.events[0].name).toBe("canary");
  });

  test("when its reader does not read, which then continues where it was", async () => {
    const host = await aHost();
    const [begin = ""] = (await idsAfter("0")).slice(-1);
    const { origin } = await service();
    const { authorization: token } = await authorization(carol);
    let text = "";
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(origin).port),
      socket: {
        open: (own) => {
          own.write(`GET ${EVENTS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`);
          own.pause();
        },
        data: (_, part) => {
          text += part.toString();
        },
      },
    });
    await waitUntil(openStreams, (count) => count === 1);
    const long = "x".repeat(80_000);
    const write = (value: string) =>
      api(alice).patch(`/network/hosts/${host.id}`, { automation_vars: { value } });
    let written = 0;
    for (; written < 200 && (await openStreams()) > 0; written += 1) {
      await write(`${written} ${long}`);
    }
    expect(written).toBeLessThan(200);
    socket.resume();
    await waitUntil(
      () => text.length,
      (() => {
        let last = -1;
        return (length: number) => {
          const isSame = length === last && length > 0;
          last = length;
          return isSame;
        };
      })(),
    );
    socket.end();
    const got = eventsIn(dechunked(text)).map(({ id }) => id);
    const rest = await follow(carol, "", { "last-event-id": got.at(-1) ?? begin });
    const expected = [];
    for (let after = begin, page = [begin]; page.length > 0; after = page.at(-1) ?? "") {
      page = await idsAfter(after);
      expected.push(...page);
    }
    expect(got.length).toBeLessThan(expected.length);
    await rest.until(expected.length - got.length);
    expect([...got, ...rest.events().map(({ id }) => id)]).toEqual(expected);
  });
});

/** The body of an answer in chunks, up to the last whole one. */
function dechunked(answer: string): string {
  let rest = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  let body = "";
  for (;;) {
    const [head = ""] = rest.split("\r\n", 1);
    const size = Number.parseInt(head, 16);
    const chunk = rest.slice(head.length + 2, head.length + 2 + size);
    if (!size || chunk.length < size) return body;
    body += chunk;
    rest = rest.slice(head.length + size + 4);
  }
}

/** The connections of this service that wait for commits. */
async function listeners(): Promise<number> {
  const { sql } = await service();
  const [{ count }] = await sql`
    select count(*)::int from pg_stat_activity
    where application_name like 'cadastre listen%' and datname = current_database()`;
  return count;
}

test("the service listens for commits of other processes while a stream is open", async () => {
  await waitUntil(listeners, (count) => count === 0);
  const readings = [await follow(carol), await follow(alice)];
  await waitUntil(listeners, (count) => count === 1);
  for (const reading of readings) await reading.close();
  await waitUntil(listeners, (count) => count === 0);
});

test("a stream is left whole, though its reader came to see other fields meanwhile", async () => {
  const reading = await follow(carol);
  await waitUntil(listeners, (count) => count === 1);
  await aSiteField({ key: "voltage", label: "Voltage", type: "integer" });
  expect((await api(carol).get("/inventory/items?site.voltage=1")).status).toBe(200);
  await reading.close();
  await waitUntil(listeners, (count) => count === 0);
});

describe("streams are limited", () => {
  test("to a number of each user", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => follow(carol)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    const { status, body, headers } = await api(carol).get("/events");
    expect([status, body.detail]).toEqual([429, "Open at most 100 streams at a time"]);
    expect(headers.get("retry-after")).toBe("10");
    await all[0]?.close();
    await waitUntil(openStreams, (count) => count === 99);
    expect((await follow(carol)).status).toBe(200);
    expect((await follow(dave)).status).toBe(200);
  });

  test("to a number in one process", async () => {
    // Of users who do not exist: it is the number that counts.
    const places = Array.from({ length: MOST_STREAMS - 1 }, (_, at) =>
      streamSlots.take(-1 - Math.floor(at / MOST_STREAMS_OF_USER)),
    );
    try {
      const last = await follow(carol);
      expect(last.status).toBe(200);
      const { status, body, headers } = await api(dave).get("/events");
      expect([status, headers.get("retry-after")]).toEqual([503, "10"]);
      expect(body.detail).toBe("Too many streams are open; try again later");
      const { cookie } = await browser(dave);
      expect((await listen("/live", { cookie })).status).toBe(503);
      await last.close();
      await waitUntil(openStreams, (count) => count === 0);
      expect((await follow(dave)).status).toBe(200);
    } finally {
      for (const giveBack of places) giveBack();
    }
  });

  test("to the networks and the kinds of records of a token", async () => {
    const create = async (fields: object) =>
      (await api(alice).post("/user/tokens", fields)).body.token as string;
    const statusOf = async (token: string) => (await api({ token }).get("/events")).status;
    expect(await statusOf(await create({ limits: ["network:read"] }))).toBe(403);
    expect(await statusOf(await create({ limits: ["network:read", "inventory:read"] }))).toBe(200);
    expect(await statusOf(await create({ networks: ["192.0.2.0/24"] }))).toBe(403);
    expect(await statusOf(await create({ networks: ["127.0.0.0/8"] }))).toBe(200);
    expect(await statusOf(await create({ read_only: true }))).toBe(200);
  });
});

describe("the stream for pages", () => {
  test("names changed records and fields, and the records that they belong to", async () => {
    const { host, item } = await mountedItem({});
    const reading = await listen("/live", { cookie: (await browser(carol)).cookie });
    expect(reading.status).toBe(200);
    const answer = await api(alice).patch(`/network/hosts/${host.id}`, { description: "new" });
    const added = await anInterface({ host: host.name });
    await api(alice).post("/network/cnames", { name: "alias", interface_id: added.id });
    await api(alice).post(`/inventory/items/${item.id}/comments`, { body: "hello" });
    await aGroup({ hosts: [host.name] });
    const events = await waitUntil(
      () => reading.events(),
      (all) => all.some(({ data }) => data.records.some((one: any) => one.kind === "group_hosts")),
    );
    const owner = { kind: "hosts", id: host.id, name: host.name };
    const first = events[0];
    expect(first).toEqual({
      id: answer.headers.get("change-set") ?? "",
      event: "change",
      data: {
        set: first?.id,
        user: "alice",
        request: answer.headers.get("x-request-id"),
        records: [
          {
            kind: "hosts",
            id: host.id,
            name: host.name,
            action: "update",
            fields: ["description"],
            owner: null,
          },
        ],
        more: false,
      },
    });
    const records = events.flatMap(({ data }) => data.records);
    const ownersOf = (kind: string) =>
      records.filter((one) => one.kind === kind).map((one) => one.owner);
    expect(ownersOf("interfaces")).toEqual([owner]);
    expect(ownersOf("cnames")).toEqual([owner]);
    expect(ownersOf("comments")).toEqual([{ kind: "items", id: item.id, name: item.ics_id }]);
    expect(ownersOf("group_hosts")).toContainEqual(owner);
    expect(ownersOf("group_hosts")).toHaveLength(2);
    expect(reading.text()).not.toContain("hello");
  });

  test("names 50 records of a change, and tells a page that missed many to read itself again", async () => {
    const { sql } = await service();
    const [before = "0"] = (await idsAfter("0")).slice(-1);
    await sql`
      with made as (
        insert into change_sets (at) select now() from generate_series(1, 260) returning id
      ), named as (select id, row_number() over () as n from made)
      insert into changes (change_set, table_name, row_id, action, after, at)
      select id, 'domains', n, 'insert', jsonb_build_object('name', 'd' || n), now() from named
      union all select (select max(id) from made), 'domains', 1000 + n, 'insert', '{"name": "x"}', now()
        from generate_series(1, 60) n`;
    const { cookie } = await browser(carol);
    const reading = await listen("/live", { cookie, "last-event-id": before });
    const events = await waitUntil(
      () => reading.events(),
      (all) => all.some(({ data }) => data.records.length === 0),
    );
    const { body } = await api(carol).get("/changes?per_page=2");
    const [last, second] = body.map(({ id }: { id: string }) => id);
    expect(events.at(-1)?.data).toEqual({
      set: last,
      user: null,
      request: null,
      records: [],
      more: true,
    });
    const near = await listen("/live", { cookie, "last-event-id": second });
    const [large] = await near.until(1);
    expect([large?.data.records.length, large?.data.more]).toEqual([50, true]);
  });

  test("ends with the session, and does not keep it alive", async () => {
    const { sql } = await service();
    const { cookie } = await browser(carol);
    await sql`update sessions set last_seen_at = now() - interval '90 minutes'`;
    const reading = await listen("/live", { cookie });
    const [{ minutes }] = await sql`
      select round(extract(epoch from now() - last_seen_at) / 60)::int as minutes from sessions`;
    expect(minutes).toBe(90);
    await sql`update sessions set last_seen_at = now() - interval '3 hours'`;
    await Promise.race([reading.over, Bun.sleep(A_MOMENT)]);
    expect(reading.isOver()).toBe(true);
    await waitUntil(
      async () => (await listen("/live", { cookie })).status,
      (status) => status === 401,
    );
    const own = await browser(carol);
    const second = await listen("/live", { cookie: own.cookie });
    await own.get("/user/logout");
    await own.submit("/user/logout", {});
    await Promise.race([second.over, Bun.sleep(A_MOMENT)]);
    expect(second.isOver()).toBe(true);
  });

  test("is not for tokens, nor for strangers", async () => {
    expect((await listen("/live", await authorization(carol))).status).toBe(401);
    const { status } = await listen("/live", { accept: "text/event-stream" });
    expect(status).toBe(401);
  });
});

// Rules for all feeds: polling is cheap, and hidden records are not disclosed.
import { describe, expect, test } from "bun:test";
import { concurrently } from "../../support/concurrently.ts";
import { add, aFeedNetwork } from "../../support/feed_network.ts";
import {
  alice,
  anItem,
  api,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  type Person,
  service,
  stranger,
  tokenOf,
} from "../../support/mod.ts";

const ROOT = "/network/export";
const FEEDS = [
  ["/ansible"],
  ["/prometheus"],
  ["/dns"],
  ["/dns/lab.example.org"],
  ["/dns/1.10.in-addr.arpa"],
  ["/dhcp/kea"],
  ["/dhcp/dnsmasq"],
  ["/hosts"],
];
const FILTERED = FEEDS.filter(([path]) => path !== "/dns");

async function tagOf(path: string, person: Person = carol): Promise<string> {
  const { status, headers } = await api(person).get(ROOT + path);
  expect([path, status]).toEqual([path, 200]);
  return headers.get("etag") ?? "none";
}

async function poll(path: string, tag: string, person: Person = carol): Promise<number> {
  const headers = { "if-none-match": tag };
  return (await api(person).get(ROOT + path, { headers })).status;
}

async function change(name: string, fields: object) {
  const [{ id }] = (await api(alice).get(`/network/hosts?name=${name}`)).body;
  const { status } = await api(alice).patch(`/network/hosts/${id}`, fields);
  expect(status).toBe(200);
}

async function aNewHost(network: string) {
  return add("hosts", { name: "new", device_type: "VME", network, mac: "02:42:42:00:00:09" });
}

describe.each(FEEDS)("GET /network/export%s", (path) => {
  test("returns 304 without a body until its content changes", async () => {
    await aFeedNetwork();
    const tag = await tagOf(path);
    const { status, text, headers } = await api(carol).get(ROOT + path, {
      headers: { "if-none-match": tag },
    });
    expect([status, text, headers.get("etag")]).toEqual([304, "", tag]);
    await anItem();
    await add("networks", {
      scope: "Lab",
      vlan_name: "More",
      vlan_id: 3,
      address: "10.1.3.0/24",
      first_ip: "10.1.3.1",
      last_ip: "10.1.3.9",
      gateway: null,
    });
    await aNewHost("More");
    expect(await poll(path, tag)).toBe(200);
  });

  test("returns 304 to callers without access, whatever changes in hidden records", async () => {
    await aFeedNetwork();
    const [tag, all] = [await tagOf(path), await tagOf(path, alice)];
    await aNewHost("Vaults");
    await change("vault", { automation_vars: { secret: true } });
    await add("interfaces", { host: "vault", network: "Backup", name: "vault-backup" });
    expect(await poll(path, tag)).toBe(304);
    expect(await tagOf(path)).toBe(tag);
    expect(await poll(path, all, audrey)).toBe(path === "/dns" ? 304 : 200);
  });

  test("drops at once what becomes hidden", async () => {
    await aFeedNetwork();
    const tag = await tagOf(path);
    const { body } = await api(alice).get("/network/networks?vlan_name=Backup");
    await api(alice).patch(`/network/networks/${body[0].id}`, { sensitive: true });
    expect(await poll(path, tag)).toBe(200);
    const { text } = await api(carol).get(ROOT + path);
    expect(text).not.toMatch(/\bdb\b|Backup/);
  });

  test("is open to everybody with a token, and to nobody without", async () => {
    await aFeedNetwork();
    for (const person of [audrey, bob, carol, dave]) await tagOf(path, person);
    const { status, headers } = await api(stranger).get(ROOT + path, {
      headers: { "if-none-match": "*" },
    });
    expect([status, headers.get("etag")]).toEqual([401, null]);
  });

  test("refuses an unknown parameter", async () => {
    const { status, body } = await api(carol).get(`${ROOT}${path}?hosts=web`);
    expect([status, fieldsOf(body)]).toEqual([422, ["hosts"]]);
  });
});

describe.each(FILTERED)("the filters of %s", (path) => {
  test("select by scope, network and group, and each selection has its own tag", async () => {
    await aFeedNetwork();
    await add("groups", { name: "Web servers", hosts: ["web", "vault"] });
    const texts = new Set<string>();
    for (const query of ["", "?network=Backup", "?scope=lab-v6", "?group=web%20servers"]) {
      const { status, text } = await api(carol).get(`${ROOT}${path}${query}`);
      expect([query, status]).toEqual([query, 200]);
      expect(text, `query: ${query}`).not.toContain("vault");
      texts.add(text);
    }
    expect(texts.size).toBeGreaterThan(2);
    const tag = await tagOf(`${path}?network=Backup`);
    expect(await poll(`${path}?network=Office`, tag)).toBe(200);
    expect(await poll(`${path}?network=Backup`, tag)).toBe(304);
  });

  test("refuse a hidden name like one that does not exist", async () => {
    await aFeedNetwork();
    const response = async (query: string, person: Person) => {
      const { status, text } = await api(person).get(`${ROOT}${path}?${query}`);
      const plain = text.replace(/"request_id":"[^"]+"/, "").replaceAll(/Vaults|Nothin/g, "NAME");
      return [status, plain];
    };
    expect(await response("network=Vaults", carol)).toEqual(
      await response("network=Nothin", carol),
    );
    expect((await response("network=Vaults", carol))[0]).toBe(422);
    expect((await response("network=Vaults", audrey))[0]).toBe(200);
    const { body } = await api(carol).get(`${ROOT}${path}?group=x&scope=y&network=Office`);
    expect(fieldsOf(body).toSorted()).toEqual(["group", "scope"]);
  });

  test("refuse a name that no record can have", async () => {
    const { status, body } = await api(carol).get(`${ROOT}${path}?group=%00`);
    expect([status, fieldsOf(body)]).toEqual([422, ["group"]]);
  });
});

describe("an unchanged feed", () => {
  test("is not generated again, and its records are not read", async () => {
    await aFeedNetwork();
    const tag = await tagOf("/hosts");
    const { sql } = await service();
    await sql.begin(async (tx) => {
      // Without triggers, so that no change is recorded.
      await tx`set local session_replication_role = replica`;
      await tx`update interfaces set name = 'unseen' where name = 'web'`;
    });
    expect(await poll("/hosts", tag)).toBe(304);
    await anItem();
    expect(await poll("/hosts", tag)).toBe(304);
  });

  test("is not generated again for a client without an ETag, and only its own content is sent", async () => {
    await aFeedNetwork();
    const textsFor = (person: Person) =>
      Promise.all(FEEDS.map(async ([path]) => (await api(person).get(ROOT + path)).text));
    const first = await textsFor(carol);
    const { sql } = await service();
    await sql.begin(async (tx) => {
      // Without triggers, so that no change is recorded.
      await tx`set local session_replication_role = replica`;
      await tx`update interfaces set name = 'unseen' where name = 'web'`;
    });
    await anItem();
    expect(await textsFor(carol)).toEqual(first);
    expect(await textsFor(dave)).toEqual(first);
    expect((await textsFor(alice)).filter((text) => text.includes("unseen")).length).toBe(6);
    await change("db", { description: "", automation_vars: { port: 1 } });
    expect((await textsFor(carol)).filter((text) => text.includes("unseen")).length).toBe(6);
  });

  test("is recognised by every instance, and has one tag for all callers with the same access", async () => {
    await aFeedNetwork();
    const asked = await Promise.all(
      FEEDS.flatMap(([path]) => [path, path, path]).map((path) => tagOf(path!)),
    );
    expect(new Set(asked).size).toBe(FEEDS.length);
    expect(await tagOf("/hosts", dave)).toBe(await tagOf("/hosts", bob));
    expect(await tagOf("/hosts", alice)).toBe(await tagOf("/hosts", audrey));
  });

  test("is checked again where a group depends on the time", async () => {
    await aFeedNetwork();
    await add("groups", { name: "Old", type: "query", query: "created_at:<now-1d" });
    const tag = await tagOf("/ansible");
    expect(await poll("/ansible", tag)).toBe(304);
    const { sql } = await service();
    await sql`update feeds set state = state || ' a minute ago'`;
    const [{ id }] = await sql`select id from hosts where name = 'web'`;
    await sql.begin(async (tx) => {
      // Without a recorded change, as if time had passed.
      await tx`set local session_replication_role = replica`;
      await tx`update hosts set automation_vars = '{"aged": true}' where id = ${id}`;
    });
    expect(await poll("/ansible", tag)).toBe(200);
  });

  test("is the same in whatever order its filters are given", async () => {
    await aFeedNetwork();
    const tag = await tagOf("/hosts?network=Office&network=Backup&scope=Lab");
    expect(await tagOf("/hosts?scope=Lab&network=Backup&network=Office")).toBe(tag);
  });
});

describe("a long feed", () => {
  type Unpack = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;
  const ENCODINGS: Array<[accepted: string, encoding: string | null, unpack: Unpack]> = [
    ["gzip, deflate, br, zstd", "zstd", Bun.zstdDecompressSync],
    ["deflate, gzip;q=1.0, zstd;q=0", "gzip", Bun.gunzipSync],
    ["identity", null, (bytes) => bytes],
  ];

  /** The rounds of all who ask at once, each with its encoding. */
  async function received(): Promise<number[]> {
    const { origin } = await service();
    const token = await tokenOf(carol);
    return Promise.all(
      [...ENCODINGS, ...ENCODINGS].map(async ([accepted, encoding, unpack]) => {
        const answer = await fetch(`${origin}/api/v1${ROOT}/ansible`, {
          headers: { authorization: `Bearer ${token}`, "accept-encoding": accepted },
          decompress: false,
        });
        expect(answer.headers.get("content-encoding")).toBe(encoding);
        expect(answer.headers.get("vary")).toContain("accept-encoding");
        const text = new TextDecoder().decode(unpack(await answer.bytes()));
        return JSON.parse(text)._meta.hostvars.web.round;
      }),
    );
  }

  test("is compressed as each client accepts it, when it is generated and afterwards", async () => {
    await aFeedNetwork();
    for (const [round, length] of [2_000, 600_000].entries()) {
      await change("web", { automation_vars: { round, key: "x".repeat(length) } });
      for (let time = 0; time < 2; time += 1) {
        expect(await received()).toEqual(Array(6).fill(round));
        // Afterwards the text comes from the cache.
        await anItem();
      }
    }
  });

  test("has one ETag in all encodings, which says that the bytes may differ", async () => {
    await aFeedNetwork();
    await change("web", { automation_vars: { key: "x".repeat(2_000) } });
    const tag = await tagOf("/ansible");
    expect(tag).toStartWith('W/"');
    for (const [accepted] of ENCODINGS) {
      for (const known of [tag, tag.replace("W/", "")]) {
        const headers = { "accept-encoding": accepted, "if-none-match": known };
        const answer = await api(carol).get(`${ROOT}/ansible`, { headers });
        expect([answer.status, answer.headers.get("etag")]).toEqual([304, tag]);
      }
    }
  });
});

describe("a feed with many concurrent requests", () => {
  async function timesGenerated(): Promise<number> {
    const { sql } = await service();
    const waiting = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%into feeds%'`;
    return waiting.length;
  }

  async function untilGenerated(times: number): Promise<void> {
    for (let tries = 0; tries < 1_000 && (await timesGenerated()) < times; tries += 1)
      await Bun.sleep(5);
  }

  /** Does the work while new content cannot be stored; returns also how often it was generated by then, and when that was. */
  async function withoutStoring<T>(work: () => Promise<T>) {
    const { sql } = await service();
    return sql.begin(async (tx) => {
      await tx`lock table feeds in share mode`;
      const result = await work();
      await Bun.sleep(200);
      const made = await timesGenerated();
      const [{ until }] = await tx`select clock_timestamp()::text as until`;
      return { result, made, until: String(until) };
    });
  }

  async function generatedSince(moment: string): Promise<string[]> {
    const { sql } = await service();
    const rows = await sql`select asked from feeds where asked_at > ${moment}::timestamptz`;
    return rows.map(({ asked }: { asked: string }) => asked);
  }

  test("is generated once for callers with the same access, and all get it at once", async () => {
    await aFeedNetwork();
    const { result, made, until } = await withoutStoring(async () => {
      const askAll = () =>
        concurrently(8, (number) => tagOf("/ansible", number % 2 ? carol : alice));
      const first = askAll();
      await untilGenerated(2);
      return { asked: [first, askAll()] };
    });
    expect(made).toBe(2);
    expect(new Set((await Promise.all(result.asked)).flat()).size).toBe(2);
    expect(await generatedSince(until)).toEqual([]);
  });

  test("is whole for all of them, however long it is", async () => {
    await aFeedNetwork();
    const key = "x".repeat(600_000);
    await change("web", { automation_vars: { key } });
    const readAll = () => concurrently(8, () => api(carol).get(`${ROOT}/ansible`));
    for (const answer of [...(await readAll()), ...(await readAll())]) {
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.body._meta.hostvars.web.key.length).toBe(key.length);
    }
  });

  test("is generated once more for all that come while it changes, with what each has to see", async () => {
    await aFeedNetwork();
    const roundSeen = async () => {
      const { text } = await api(carol).get(`${ROOT}/ansible`);
      return Number(/"round": ?(\d+)/.exec(text)?.[1]);
    };
    const { result, made } = await withoutStoring(async () => {
      const asked: Array<Promise<number>> = [];
      for (let round = 0; round < 6; round += 1) {
        await change("web", { automation_vars: { round } });
        asked.push(roundSeen());
        await untilGenerated(1);
      }
      return { asked };
    });
    expect(made).toBe(1);
    expect(await Promise.all(result.asked)).toEqual([0, 5, 5, 5, 5, 5]);
  });

  test("is generated again once a host is gone that came after the request", async () => {
    await aFeedNetwork();
    const read = async () => (await api(carol).get(`${ROOT}/hosts`)).text;
    const { result } = await withoutStoring(async () => {
      const first = read();
      await untilGenerated(1);
      await change("web", { automation_vars: { not: "in this feed" } });
      const second = read();
      await Bun.sleep(200);
      return { asked: [first, second], host: await aNewHost("Office") };
    });
    const [first, second] = await Promise.all(result.asked);
    expect(first).not.toContain("new.lab");
    expect(second).toContain("new.lab");
    await api(alice).delete(`/network/hosts/${result.host.id}`);
    expect(await read()).toBe(first ?? "");
  });
});

describe("a change that is committed late", () => {
  test("is not missed, though a later one was seen before it", async () => {
    await aFeedNetwork();
    const { sql } = await service();
    const late = await sql.reserve();
    await late`begin`;
    await late`update hosts set name = 'slow' where name = 'web'`;
    await late`update interfaces set name = 'slow' where name = 'web'`;
    await add("hosts", { name: "quick", device_type: "VME", network: "Office" });
    const tag = await tagOf("/hosts");
    expect(await poll("/hosts", tag)).toBe(304);
    await late`commit`;
    late.release();
    expect(await poll("/hosts", tag)).toBe(200);
    expect((await api(carol).get(`${ROOT}/hosts`)).text).toContain("slow.lab.example.org");
  });
});

describe("?since=", () => {
  const ago = (minutes: number) =>
    new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 16).replace("T", " ");

  const since = async (value: string, path = "/hosts") =>
    (await api(carol).get(`${ROOT}${path}?since=${encodeURIComponent(value)}`)).status;

  async function changedAgo(minutes: number) {
    const { sql } = await service();
    await sql`update feeds set changed_at = now() - ${`${minutes} minutes`}::interval`;
  }

  test("accepts an ETag, for clients that cannot send a header", async () => {
    await aFeedNetwork();
    const tag = await tagOf("/hosts");
    const strong = tag.replace("W/", "");
    for (const known of [tag, strong, strong.replaceAll('"', "")]) {
      expect(await since(known), known).toBe(304);
    }
    await change("web", { name: "web1" });
    expect(await since(tag)).toBe(200);
  });

  test("accepts a time, and returns everything if something has changed since the start of it", async () => {
    await aFeedNetwork();
    await tagOf("/hosts");
    expect(await since(ago(60))).toBe(200);
    expect(await since(ago(1))).toBe(200);
    await changedAgo(10);
    expect(await since(ago(11))).toBe(200);
    expect(await since(ago(8))).toBe(304);
    await change("vault", { name: "vault1" });
    expect(await since(ago(8))).toBe(304);
    await change("web", { description: "Not told" });
    expect(await since(ago(8))).toBe(304);
    await change("web", { name: "web1" });
    expect(await since(ago(8))).toBe(200);
  });

  test("returns everything of a feed that was never requested", async () => {
    await aFeedNetwork();
    expect(await since(ago(1), "/dns/lab.example.org")).toBe(200);
  });

  test.each([["yesterday"], [""], ["2100-01-01"], ["2026-13-01"], ["1763700000"]])(
    "refuses %j",
    async (value) => {
      expect(await since(value)).toBe(422);
    },
  );
});

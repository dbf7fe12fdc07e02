// The ids of change sets: nobody can tell from them how many changes there are that they do not see.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { publicId } from "../../src/input/change_ids.ts";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { closeReadings, listen, waitUntil } from "../support/event_stream.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { linksOf } from "../support/links.ts";
import { captureLog } from "../support/log_capture.ts";
import {
  aLocation,
  alice,
  aManufacturer,
  api,
  audrey,
  bob,
  carol,
  type Person,
  service,
  tokenOf,
  visit,
} from "../support/mod.ts";
import { aSite } from "../support/pages.ts";
import { aWebhook, receiver, whileSending } from "../support/receiver.ts";

setDefaultTimeout(60_000);
afterEach(closeReadings);

const FORM = /^[a-h][a-z2-7]{25}$/;
/** A search reads 2,000 versions, and 20,000 changes for words, at a time; it then looks for the next that is seen. */
const MORE_THAN_A_SEARCH = allChecks ? 21_000 : 2_100;
/** Nothing else has numbers like these. The other tests come before, because numbers only rise. */
const FIRST_NUMBER = 7_700_001;
const NUMBER = /\b7700[0-9]{3}\b/;

async function countFrom(number: number): Promise<void> {
  const { sql } = await service();
  await sql`select setval('change_sets_id_seq', ${number})`;
}

async function setsOf(by: Person): Promise<string[]> {
  const { body } = await api(by).get("/changes?after=0&per_page=100");
  return body.map(({ id }: { id: string }) => id);
}

async function cursorOf(by: Person, query: string): Promise<string> {
  const { headers } = await api(by).get(`/changes?${query}`);
  return new URL(linksOf(headers).next ?? "").searchParams.get("after") ?? "";
}

describe("the ids of changes", () => {
  test("have one form, no order and nothing in common, whatever happened in between", async () => {
    const hidden = await aHiddenHost();
    const writing: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      const { headers } = await api(bob).post("/inventory/locations", { name: `Hall ${at}` });
      writing.push(headers.get("change-set") ?? "");
      if (at % 4 > 0) continue;
      await api(alice).patch(`/network/hosts/${hidden}`, { description: `${at}` });
    }
    const ids = await setsOf(bob);
    expect(ids).toEqual(writing);
    expect(ids.filter((id) => !FORM.test(id))).toEqual([]);
    const pairs = ids.slice(1).map((id, at) => [ids[at] ?? "", id] as const);
    const rising = pairs.filter(([one, next]) => one < next).length;
    expect(rising).toBeGreaterThan(6);
    expect(rising).toBeLessThan(33);
    const alike = pairs.map(
      ([one, next]) => [...one].filter((character, at) => next[at] === character).length,
    );
    expect(Math.max(...alike)).toBeLessThan(10);
  });

  test("are the same for everybody who sees the change, and lead to it", async () => {
    await aLocation({ name: "Hall" });
    const [id = ""] = await setsOf(bob);
    for (const by of [alice, audrey, carol]) {
      expect(await setsOf(by)).toEqual([id]);
      expect((await api(by).get(`/changes/${id}`)).body.id).toBe(id);
    }
  });
});

describe("a cursor", () => {
  test("stays the same however many hidden changes a search passes", async () => {
    const hidden = await aHiddenHost();
    const { sql } = await service();
    const hide = (count: number) => sql`
      with made as (insert into change_sets (at) select now() from generate_series(1, ${count}) returning id)
      insert into changes (change_set, at, table_name, row_id, action, after)
      select id, now(), 'hosts', ${hidden}, 'update', jsonb_build_object('name', 'canary') from made`;
    await aLocation({ name: "Hall" });
    await hide(1);
    await aLocation({ name: "Attic" });
    const searches = ["q=nothing", "kind=hosts&query=nothing"];
    const look = async () => {
      const cursors = searches.map((search) => cursorOf(carol, `after=0&${search}`));
      const pages = searches.map(async (search) => {
        const { body, headers } = await api(carol).get(`/changes?${search}`);
        return [body, headers.get("link"), headers.get("x-total-count")];
      });
      return Promise.all([...cursors, ...pages]);
    };
    const before = await look();
    await hide(MORE_THAN_A_SEARCH);
    expect(await look()).toEqual(before);
    await aLocation({ name: "Cellar" });
    const last = (await setsOf(carol)).at(-1);
    for (const search of searches) {
      const first = await cursorOf(carol, `after=0&${search}`);
      expect(await cursorOf(carol, `after=${first}&${search}`)).toBe(last ?? "");
    }
  });

  test("stays the same until something happens that the caller sees", async () => {
    const hidden = await aHiddenHost();
    await aLocation({ name: "Hall" });
    const [last = ""] = await setsOf(carol);
    const queries = [
      "after=0&per_page=1",
      `after=${last}`,
      "after=0&kind=statuses",
      "after=0&q=nothing",
      "after=0&kind=hosts&query=name:*",
      `after=${last}&wait=1&scope=Hidden`,
    ];
    const cursors = () => Promise.all(queries.map((query) => cursorOf(carol, query)));
    const before = await cursors();
    expect(before).toEqual(queries.map(() => last));
    for (const description of ["one", "two", "three"]) {
      await api(alice).patch(`/network/hosts/${hidden}`, { description });
    }
    await api(alice).post("/user/tokens", {});
    await api(bob).post("/inventory/locations?dry_run=true", { name: "Attic" });
    expect(await cursors()).toEqual(before);
    await aManufacturer();
    const [, next = ""] = await setsOf(carol);
    expect((await cursors()).slice(1)).toEqual(queries.slice(1).map(() => next));
  });
});

describe("what is no id", () => {
  const WRONG: Array<[what: string, text: (id: string) => string]> = [
    ["a number", () => "1"],
    ["a large number", () => "99999999999999999999999999"],
    ["an id in upper case", (id) => id.toUpperCase()],
    ["an id that is too short", (id) => id.slice(1)],
    ["an id that is too long", (id) => `${id}a`],
    [
      "an id with another character",
      (id) => `${id.slice(0, 9)}${id[9] === "a" ? "b" : "a"}${id.slice(10)}`,
    ],
    ["a text in the form of an id", () => "cadastrecadastrecadastrecad".slice(0, 26)],
    ["a text", () => "x"],
  ];

  test.each(WRONG)("is not found in a path: %s", async (_, textOf) => {
    await aLocation({ name: "Hall" });
    const wrong = textOf((await setsOf(carol))[0] ?? "");
    const [read, undone] = [
      await api(carol).get(`/changes/${wrong}`),
      await api(alice).post(`/changes/${wrong}/undo`, {}),
    ];
    const own = await browser(alice);
    const [shown, sent] = [
      await own.get(`/changes/${wrong}`),
      await own.submit(`/changes/${wrong}`, {}),
    ];
    expect([read, undone, shown, sent].map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test.each(WRONG)("is refused as a parameter: %s", async (_, textOf) => {
    await aLocation({ name: "Hall" });
    const wrong = textOf((await setsOf(carol))[0] ?? "");
    const { id } = await aWebhook("https://hooks.example.org");
    const refusals = [
      await api(carol).get(`/changes?after=${wrong}`),
      await api(carol).get(`/changes?before=${wrong}`),
      await api(carol).get(`/events?after=${wrong}`),
      await api(carol).get("/events", { headers: { "last-event-id": wrong } }),
      await api(alice).post(`/webhooks/${id}/replay`, { first: wrong }),
      await api(alice).post(`/webhooks/${id}/replay`, { from: "2026-01-01", last: wrong }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.errors?.[0].field])).toEqual(
      ["after", "before", "after", "Last-Event-ID", "first", "last"].map((field) => [422, field]),
    );
  });

  test("is also one of a change that does not exist, in a path", async () => {
    expect((await api(alice).get(`/changes/${publicId(1_000_000_000)}`)).status).toBe(404);
    expect((await api(alice).get("/changes/0")).status).toBe(404);
  });
});

/** Without all checks one page in three of those that are not about changes. */
async function changingPages(): Promise<string[]> {
  const about = /change|history|event|hook|trigger|watch|admin|\/view\//;
  return (await aSite()).filter((path, at) => allChecks || about.test(path) || at % 3 === 0);
}

describe("the number of a change", () => {
  let hook: ReturnType<typeof receiver>;
  beforeEach(() => {
    hook = receiver();
  });
  afterEach(() => hook.stop());

  test("is in no answer, stream, message, file or log", async () => {
    await countFrom(FIRST_NUMBER);
    const told: Record<string, string> = {};
    const note = async (name: string, asked: ReturnType<ReturnType<typeof api>["get"]>) => {
      const { status, text, headers } = await asked;
      expect([name, status < 400]).toEqual([name, true]);
      told[name] = `${text}\n${[...headers].join("\n")}`;
    };
    const { id: webhook } = await aWebhook(hook.url, { owner: "carol" });
    const { body: trigger } = await api(alice).post("/triggers", {
      ...{ name: "Zones", template: "post", url: "https://dns.example.org", is_active: false },
      body: { changes: "{{ changes.id }}" },
    });
    const { sql } = await service();
    const headers = { authorization: `Bearer ${await tokenOf(carol)}` };
    const streams = await Promise.all([
      listen("/api/v1/events", headers),
      listen("/live", { cookie: (await browser(carol)).cookie }),
    ]);
    const log = await captureLog(async () => {
      const { body, headers: written } = await api(bob).post("/inventory/manufacturers", {
        name: "Acme",
      });
      const path = `/changes/${written.get("change-set")}`;
      await note("write", api(bob).patch(`/inventory/manufacturers/${body.id}`, { name: "Best" }));
      await note("undo", api(bob).post(`/changes/${(await setsOf(bob))[1]}/undo`, {}));
      await note("list", api(carol).get("/changes?per_page=1"));
      await note("feed", api(carol).get("/changes?after=0&per_page=1"));
      await note("filtered", api(carol).get("/changes?after=0&kind=locations&q=nothing"));
      await note("one", api(carol).get(path));
      await note(
        "import",
        api(bob).send("POST", "/inventory/items/import", {
          body: '{"serial_number": "S1"}\n',
          headers: { "content-type": "application/x-ndjson" },
        }),
      );
      await whileSending(() =>
        waitUntil(
          () => hook.received.length,
          (count) => count >= 3,
        ),
      );
      await note(
        "replay",
        api(alice).post(`/webhooks/${webhook}/replay`, { first: path.slice(9) }),
      );
      await sql`
        insert into trigger_runs (subscription_id, status, changes, change_sets)
        select ${trigger.id}, 'succeeded', 2, array_agg(id) from change_sets`;
      await note("deliveries", api(alice).get(`/webhooks/${webhook}/deliveries`));
      await note("runs", api(alice).get(`/triggers/${trigger.id}/runs`));
      await note("audit log", api(alice).get("/audit"));
    });
    told.log = log;
    told.messages = hook.received
      .map(({ text, headers: sent }) => text + JSON.stringify(sent))
      .join();
    await streams[0]?.until(3);
    told.streams = streams.map((one) => one.text()).join();
    told.metrics = (await visit("/metrics")).text;
    const own = await browser(alice);
    told.export = (await own.get("/changes/export.csv")).text;
    for (const path of await changingPages()) told[path] = (await own.get(path)).text;
    expect(Object.entries(told).filter(([, text]) => NUMBER.test(text))).toEqual([]);
    const [{ value: key }] = await sql`select value from settings where name = 'change_id_key'`;
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.entries(told).filter(([, text]) => text.includes(key))).toEqual([]);
    expect(told.streams).toContain("event: change");
    const [{ last }] = await sql`select max(id)::int as last from change_sets`;
    expect(String(last)).toMatch(NUMBER);
  });
});

test("a search goes past any number of changes that the caller does not see", async () => {
  await aLocation({ name: "Hall" });
  // Numbers that no change has are like those of hidden ones.
  await countFrom(FIRST_NUMBER + 1_000_000_000);
  await aLocation({ name: "Attic" });
  const [hall = "", attic = ""] = await setsOf(carol);
  for (const search of ["q=nothing", "kind=hosts&query=nothing"]) {
    expect([search, await cursorOf(carol, `after=${hall}&${search}`)]).toEqual([search, attic]);
    const { body, headers } = await api(carol).get(`/changes?before=${attic}&${search}`);
    const { next = "" } = linksOf(headers);
    expect([body, new URL(next).searchParams.get("before")]).toEqual([[], hall]);
  }
});

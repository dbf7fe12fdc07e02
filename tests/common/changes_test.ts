// GET /changes: the list of all changes, for people and for programs that follow it.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { consoleCaller } from "../../src/auth/auth.ts";
import { publicId } from "../../src/input/change_ids.ts";
import { write } from "../../src/store/write.ts";
import { allChecks } from "../support/checks.ts";
import { concurrently } from "../support/concurrently.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { linksOf } from "../support/links.ts";
import {
  aGroup,
  aHost,
  aLocation,
  alice,
  anItem,
  api,
  aStatus,
  audrey,
  bob,
  carol,
  dave,
  type Person,
  service,
} from "../support/mod.ts";
import { readingsOf } from "../support/plans.ts";
import { undoLatest } from "../support/undo.ts";

setDefaultTimeout(60_000);

const LOCATIONS = "/inventory/locations";

interface Change {
  id: string;
  user: string | null;
  kind: string;
  total: number;
  events: Array<{ table_name: string; row_id: number; action: string; name: string | null }>;
}

async function changes(query = "", by: Person = carol): Promise<Change[]> {
  const { status, body, text } = await api(by).get(`/changes${query}`);
  if (status !== 200) throw new Error(`${query}: ${text}`);
  return body;
}

/** Each change in a few words: user, kind, tables and names. */
async function summaries(query = "", by: Person = carol): Promise<string[]> {
  return (await changes(query, by)).map(({ user, kind, events }) => {
    const names = events.map(({ table_name, name }) => `${table_name} ${name}`);
    return `${user} ${kind} ${names.join(", ")}`;
  });
}

describe("GET /changes", () => {
  test("returns every change set, newest first, with the same content as its own URL", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`${LOCATIONS}/${id}`, { name: "Hall B" });
    const all = await changes();
    expect(all).toHaveLength(2);
    expect(all[0]).toEqual((await api(carol).get(`/changes/${all[0]!.id}`)).body);
    expect(all[0]).toMatchObject({
      user: "bob",
      kind: "update",
      undoes: null,
      undone_by: null,
      total: 1,
      events: [
        {
          table_name: "locations",
          row_id: id,
          action: "update",
          name: "Hall B",
          differences: [{ field: "name", old: "Hall A", now: "Hall B" }],
        },
      ],
    });
    expect(await summaries()).toEqual([
      "bob update locations Hall B",
      "alice insert locations Hall A",
    ]);
  });

  test("leaves out what is not a change of a record: users, tokens, dry runs, refusals", async () => {
    await aLocation({ name: "Hall" });
    await api(bob).post("/user/tokens", {});
    await api(alice).post("/user/users", { username: "erin", password: "correct horse battery" });
    await api(bob).post(`${LOCATIONS}?dry_run=true`, { name: "Other" });
    await api(bob).post(LOCATIONS, { name: "hall" });
    expect(await summaries("", alice)).toEqual(["alice insert locations Hall"]);
  });

  test("leaves out rows that were changed by SQL, which cannot be undone", async () => {
    const { sql } = await service();
    await sql`insert into locations (name, qrcode) values ('Past', '')`;
    expect(await summaries("", alice)).toEqual([]);
    expect((await undoLatest(alice)).status).toBe(404);
  });

  test("links a change with the change that undid it", async () => {
    await api(bob).post(LOCATIONS, { name: "Hall" });
    await undoLatest(bob);
    const [undoing, undone] = (await changes()) as any[];
    expect([undoing.undoes, undone.undone_by, undoing.kind]).toEqual([
      undone.id,
      undoing.id,
      "delete",
    ]);
  });

  test("has pages with links to the next one, and a total", async () => {
    for (let at = 1; at <= 5; at += 1) await aLocation({ name: `Hall ${at}` });
    const seen: string[] = [];
    let query: string | undefined = "?per_page=2";
    while (query) {
      const { body, headers } = await api(carol).get(`/changes${query}`);
      expect(headers.get("x-total-count")).toBe("5");
      seen.push(...body.map((one: Change) => one.events[0]!.name));
      const { next, first } = linksOf(headers);
      expect(first).toEndWith("/api/v1/changes?per_page=2");
      query = next && new URL(next).search;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1].map((at) => `Hall ${at}`));
  });

  test("is filtered by person, kind, action, record, time and text", async () => {
    const { id } = await aLocation({ name: "Hall A", description: "Behind the 100% wall" });
    const { sql } = await service();
    await sql`update change_sets set at = '2026-01-03 14:05:30Z'`;
    await api(bob).patch(`${LOCATIONS}/${id}`, { name: "Hall B" });
    await aStatus({ name: "Hall A" });
    const item = await anItem({ ics_id: "AAA001", location: "Hall B" });
    await api(bob).post(`/inventory/items/${item.id}/comments`, { body: "Dented" });
    const [made, renamed, status, registered, commented] = [
      "alice insert locations Hall A",
      "bob update locations Hall B",
      "alice insert statuses Hall A",
      "alice insert items AAA001",
      "bob insert comments AAA001",
    ];
    for (const [query, expected] of [
      ["?user=BOB", [commented, renamed]],
      ["?user=bob&user=alice&kind=locations", [renamed, made]],
      ["?user=nobody", []],
      ["?user=system", []],
      ["?kind=statuses&kind=comments", [commented, status]],
      ["?action=update", [renamed]],
      ["?action=update&action=insert&kind=locations", [renamed, made]],
      ["?action=delete", []],
      ["?record=hall a", [status, renamed, made]],
      ["?record=HALL B", [renamed, made]],
      ["?record=hall a&kind=locations&user=bob", [renamed]],
      [`?record=${id}&kind=locations`, [renamed, made]],
      ["?record=aaa001", [commented, registered]],
      ["?record=nothing", []],
      ["?from=2026-01-03&to=2026-01-03", [made]],
      ["?to=2026-01-03 14:05", [made]],
      ["?to=2026-01-03 14:04", []],
      ["?from=now-1d", [commented, registered, status, renamed]],
      ["?from=2026-01-04&kind=locations", [renamed]],
      ["?q=dent", [commented]],
      ["?q=100%25 w", [made]],
      ["?q=hall a", [status, renamed, made]],
      ["?q=aaa00", [commented, registered]],
    ] as const) {
      expect([query, await summaries(query)] as unknown[]).toEqual([query, expected]);
    }
  });

  test("finds renamed and deleted records by any name that they had", async () => {
    const host = await aHost({ name: "old-name" });
    await api(alice).patch(`/network/hosts/${host.id}`, { name: "new-name" });
    await api(alice).delete(`/network/hosts/${host.id}`);
    const { body } = await api(alice).post("/inventory/items", { serial_number: "S1" });
    const temporary = body.ics_id;
    await api(alice).patch(`/inventory/items/${temporary}`, { ics_id: "AAA001" });
    expect((await summaries("?record=old-name&kind=hosts")).length).toBe(3);
    expect((await summaries("?record=New-Name&kind=hosts")).length).toBe(3);
    expect(await summaries(`?record=${temporary}`)).toEqual(await summaries("?record=AAA001"));
    expect((await summaries("?record=AAA001")).length).toBe(2);
  });

  test("shows a change of members as a change of the group", async () => {
    await aHost({ name: "web" });
    const { id } = await aGroup({ name: "Servers" });
    await api(alice).patch(`/network/groups/${id}`, { name: "Servers", hosts: ["web"] });
    const [newest] = await changes("?kind=groups");
    expect(newest!.events.map(({ table_name }) => table_name)).toContain("group_hosts");
    expect(await summaries("?record=Servers&kind=groups")).toHaveLength(2);
  });

  test("refuses an invalid filter, and names it in a sentence", async () => {
    for (const [query, field] of [
      ["?kind=users", "kind"],
      ["?kind=tokens", "kind"],
      ["?action=drop", "action"],
      ["?from=yesterday", "from"],
      ["?to=2026-02-30", "to"],
      ["?before=-1", "before"],
      ["?before=x", "before"],
      ["?before=0", "before"],
      ["?after=1", "after"],
      [`?after=0&before=${publicId(2)}`, "after"],
      ["?after=0&after=0", "after"],
      ["?per_page=0", "per_page"],
      ["?page=2", "page"],
      ["?q=a&q=b", "q"],
      ["?record=%00", "record"],
      ["?user=%00", "user"],
    ]) {
      const { status, body } = await api(carol).get(`/changes${query}`);
      expect([query, status, body.errors?.[0].field]).toEqual([query, 422, field]);
    }
    for (const query of [
      "?q='%20or%201=1--",
      "?q=%25",
      "?q=\\",
      "?record=0",
      "?record=99999999999",
      "?record=02:42:42:00:00:01",
      "?from=now-9999999y",
      "?to=0001-01-01",
      `?q=${"x".repeat(1_000)}`,
    ]) {
      const { status } = await api(carol).get(`/changes${query}`);
      expect([query, [200, 422].includes(status)]).toEqual([query, true]);
    }
  });
});

describe("a hidden record", () => {
  test("is in no entry, no total and no name, and is found by no filter", async () => {
    const id = await aHiddenHost();
    await aLocation({ name: "Hall" });
    await api(alice).patch(`/network/hosts/${id}`, { description: "secret" });
    await aGroup({ name: "Mixed", hosts: ["canary"] });
    for (const by of [bob, carol, dave]) {
      const { body, headers } = await api(by).get("/changes");
      expect(headers.get("x-total-count"), by.username).toBe("2");
      expect(JSON.stringify(body), by.username).not.toContain("canary");
      expect(
        body.map(({ total }: Change) => total),
        by.username,
      ).toEqual([1, 1]);
      for (const query of ["?record=canary", "?q=canary", "?q=secret", "?kind=hosts"]) {
        expect([query, await summaries(query, by)]).toEqual([query, []]);
      }
      expect(await summaries("?after=0", by)).toHaveLength(2);
    }
    for (const by of [alice, audrey]) {
      expect(await summaries("?record=canary&kind=hosts", by)).toHaveLength(2);
      expect(await summaries("?q=secret", by)).toHaveLength(1);
    }
  });
});

describe("GET /changes?after=", () => {
  test("begins after the given change, oldest first, and always links to the next page", async () => {
    for (let at = 1; at <= 3; at += 1) await aLocation({ name: `Hall ${at}` });
    const first = await api(carol).get("/changes?after=0&per_page=2");
    expect(first.headers.has("x-total-count")).toBe(false);
    expect(first.body.map((one: Change) => one.events[0]!.name)).toEqual(["Hall 1", "Hall 2"]);
    const second = await api(carol).get(`/changes${nextOf(first.headers)}`);
    expect(second.body.map((one: Change) => one.events[0]!.name)).toEqual(["Hall 3"]);
    const third = await api(carol).get(`/changes${nextOf(second.headers)}`);
    expect(third.body).toEqual([]);
    await aLocation({ name: "Hall 4" });
    const fourth = await api(carol).get(`/changes${nextOf(third.headers)}`);
    expect(fourth.body.map((one: Change) => one.events[0]!.name)).toEqual(["Hall 4"]);
  });

  test("continues after the changes that a filter leaves out", async () => {
    await aLocation({ name: "Hall" });
    await aStatus({ name: "Lost" });
    const [newest] = await changes();
    const { body, headers } = await api(carol).get("/changes?after=0&kind=locations");
    expect(body).toHaveLength(1);
    expect(nextOf(headers)).toBe(`?after=${newest!.id}&kind=locations`);
  });

  test.each([
    ["without a filter", ""],
    ["with a query", "&kind=locations&query=name:*"],
  ])("waits for a change that began earlier and is not committed yet, %s", async (_, filter) => {
    await aLocation({ name: "Before" });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { sql } = await service();
    const slow = sql.begin(async (tx) => {
      const [{ id }] = await tx`select begin_change_set(null, null, null)::int as id`;
      await tx`select set_config('app.change_set', ${String(id)}, true)`;
      begin();
      await gate;
      await tx`insert into locations (name, qrcode) values ('Slow', '')`;
    });
    await begun;
    const namesOf = (body: Change[]) => body.map(({ events }) => events[0]!.name);
    const early = await aLocation({ name: "Quick" })
      .then(() => Promise.all([api(carol).get(`/changes?after=0${filter}`), changes()]))
      .finally(open);
    await slow;
    expect(namesOf(early[0].body)).toEqual(["Before"]);
    expect(namesOf(early[1])).toEqual(["Quick", "Before"]);
    const late = await api(carol).get(`/changes${nextOf(early[0].headers)}`);
    expect(namesOf(late.body)).toEqual(["Slow", "Quick"]);
  });

  test("misses nothing and repeats nothing while many write, some of them slowly", async () => {
    const seen: string[] = [];
    let isOver = false;
    let query = "?after=0&per_page=7";
    const follow = async () => {
      for (let rest = 2; rest > 0; rest -= isOver ? 1 : 0) {
        const { body, headers } = await api(carol).get(`/changes${query}`);
        seen.push(...body.map(({ id }: Change) => id));
        query = nextOf(headers);
        if (body.length > 0) rest = 2;
      }
    };
    const writing = concurrently(40, async (number) => {
      const name = `Hall ${number}`;
      if (number % 8 > 0) return api(bob).post(LOCATIONS, { name });
      await write(consoleCaller, async (tx) => {
        await Bun.sleep(100);
        await tx.execute(`insert into locations (name, qrcode) values ('${name}', '')`);
      });
      return { status: 201 };
    }).then(() => {
      isOver = true;
    });
    await Promise.all([writing, follow()]);
    const { sql } = await service();
    const sets: Array<{ id: number }> = await sql`
      select distinct change_set::int as id from changes order by 1`;
    expect(seen).toEqual(sets.map(({ id }) => publicId(id)));
    expect(seen).toHaveLength(40);
  });

  function nextOf(headers: Headers): string {
    return new URL(linksOf(headers).next!).search;
  }
});

describe("GET /changes/{id}", () => {
  test("returns the events of a large change in pages", async () => {
    const rows = Array.from({ length: 510 }, (_, at) => `('Hall ${at}', '')`).join(", ");
    await write(consoleCaller, (tx) =>
      tx.execute(`insert into locations (name, qrcode) values ${rows}`),
    );
    const [set] = await changes();
    expect([set!.user, set!.total, set!.events.length]).toEqual([null, 510, 50]);
    const { body: first } = await api(carol).get(`/changes/${set!.id}`);
    const { body: second } = await api(carol).get(`/changes/${set!.id}?page=2`);
    expect([first.events.length, second.events.length, second.total]).toEqual([500, 10, 510]);
    expect((await api(carol).get(`/changes/${set!.id}?page=9007199254740991`)).status).toBe(200);
    expect((await summaries("?user=system")).length).toBe(1);
  });
});

describe.skipIf(!allChecks)("a page of 20,000 change sets", () => {
  /** Of items, and one in a thousand of a status. */
  async function aPast(): Promise<void> {
    const { sql } = await service();
    await sql`
      insert into change_sets (at, user_id)
      select now() - (20000 - number) * interval '1 minute', users.id
      from generate_series(1, 20000) number, users where username = case when number % 500 = 0 then 'bob' else 'alice' end`;
    await sql`
      insert into changes (change_set, at, user_id, table_name, row_id, action, after)
      select id, at, user_id, case when id % 1000 = 0 then 'statuses' else 'items' end, id % 5000 + 1, 'insert',
        json_build_object('id', id % 5000 + 1, 'name', 'Number ' || id, 'quantity', 1)
      from change_sets`;
    await sql`analyze change_sets, changes`;
  }

  async function newestNumber(): Promise<number> {
    const { sql } = await service();
    const [{ id }] = await sql`select max(id)::int as id from change_sets`;
    return id;
  }

  test("is read by indexes, whatever the filters are", async () => {
    await aPast();
    const middle = (await newestNumber()) - 10_000;
    for (const query of [
      "",
      `?before=${publicId(middle)}`,
      `?after=${publicId(middle)}`,
      "?user=bob",
      "?kind=statuses",
      "?record=17&kind=items",
      "?record=Hall",
      "?from=now-2d&to=now-1d",
    ]) {
      for (const by of [alice, carol]) {
        for (const table of ["change_sets", "changes"]) {
          const [reading] = await readingsOf(table, `/changes${query}`, by, /with chosen as/);
          expect([query, table, reading?.whole ?? false]).toEqual([query, table, false]);
          const isPlain = query === "" || /before|after/.test(query);
          if (isPlain) expect(reading!.rows, `${query} ${table}`).toBeLessThan(1_000);
        }
      }
    }
  });

  test("is read by indexes where a query looks at the records before and after", async () => {
    await aPast();
    const path = `/changes?after=${publicId((await newestNumber()) - 20)}&kind=items&query=nothing`;
    for (const by of [alice, carol]) {
      const readings = await readingsOf("changes", path, by, /with (seen|"records") as/);
      expect(readings).toHaveLength(2);
      for (const { whole, rows } of readings) {
        expect(whole, by.username).toBe(false);
        // Each record has a few changes, and each of its parts is looked for.
        expect(rows, by.username).toBeLessThan(2_000);
      }
    }
  });
});

describe("every write", () => {
  test("names its change set in a header, by which it can be undone", async () => {
    const made = await api(bob).post(LOCATIONS, { name: "Hall" });
    const id = made.headers.get("change-set");
    expect((await changes()).map((one) => one.id)).toEqual([id!]);
    const changed = await api(bob).patch(`${LOCATIONS}/${made.body.id}`, { name: "Hall B" });
    const undone = await api(bob).post(`/changes/${changed.headers.get("change-set")}/undo`, {});
    expect(undone.headers.get("change-set")).toBe(undone.body.id);
    const removed = await api(alice).delete(`${LOCATIONS}/${made.body.id}`);
    expect(removed.headers.get("change-set")).toBe((await changes())[0]!.id);
  });

  test("names it again when its answer was lost and is asked for again", async () => {
    const headers = { "idempotency-key": "once" };
    const [first, again] = [
      await api(bob).post(LOCATIONS, { name: "Hall" }, { headers }),
      await api(bob).post(LOCATIONS, { name: "Hall" }, { headers }),
    ];
    const id = first.headers.get("change-set")!;
    expect(again.headers.get("change-set")).toBe(id);
    expect((await api(bob).post(`/changes/${id}/undo`, {})).status).toBe(201);
  });

  test("names none where nothing was changed", async () => {
    await api(bob).post(LOCATIONS, { name: "Hall" });
    const answers = [
      await api(bob).post(`${LOCATIONS}?dry_run=true`, { name: "Other" }),
      await api(bob).post(LOCATIONS, { name: "hall" }),
      await api(bob).get(LOCATIONS),
    ];
    expect(answers.map((answer) => answer.headers.get("change-set"))).toEqual(
      answers.map(() => null),
    );
  });
});

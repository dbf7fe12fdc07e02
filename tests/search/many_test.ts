// Cached key sets are as exact as uncached ones.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql as drizzle } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, consoleCaller } from "../../src/auth/auth.ts";
import { mayKnowHost } from "../../src/auth/visibility.ts";
import { matching } from "../../src/network/hosts/search.ts";
import { allChecks } from "../support/checks.ts";
import { concurrently } from "../support/concurrently.ts";
import { aGroup, aLocation, aNetwork, anItem } from "../support/makers.ts";
import { alice, api, carol, namesOf, type Person, service } from "../support/mod.ts";

setDefaultTimeout(120_000);

const HOSTS = 650;
/** Pages of a list that are compared after each change. */
const PAGES = allChecks ? [1, 5] : [5];
/** One query of so many is asked after each change, in turn. */
const ONE_QUERY_OF = allChecks ? 1 : 3;
/** How often lists are read during writes. */
const TURNS = allChecks ? 60 : 10;

let everyone: { id: number };

beforeEach(async () => {
  const { sql } = await service();
  await sql`
    insert into hosts (name, description, device_type_id)
    select 'many-' || lpad(number::text, 4, '0'), 'The old pump of hall ' || number % 3, (select min(id) from device_types)
    from generate_series(1, ${HOSTS}::integer) number`;
  everyone = await aGroup({ name: "Everyone" });
  await sql`insert into group_hosts (group_id, host_id) select ${everyone.id}::integer, id from hosts`;
});

async function search(person: Person, query: string, page = 1) {
  const path = `/network/hosts/search?per_page=100&page=${page}&q=${encodeURIComponent(query)}`;
  const { status, body, headers } = await api(person).get(path);
  expect([query, status]).toEqual([query, 200]);
  return { names: namesOf(body), total: Number(headers.get("x-total-count")) };
}

/** By one condition in SQL, which is not cached. */
async function foundAtOnce(person: Person, query: string): Promise<string[]> {
  const caller: Caller = { ...consoleCaller, groups: person === alice ? ["admin"] : [] };
  const rows = await database.rows<{ name: string }>(drizzle`
    select name from hosts where ${await matching(caller, query)} and ${mayKnowHost(caller, drizzle`hosts.id`)}
    order by name`);
  return rows.map(({ name }) => name);
}

const QUERIES = [
  "pump",
  "name:many*",
  "*a*",
  "is_ioc:false",
  "group:Everyone",
  "NOT is_ioc:true",
  "/.*m.*/",
  "pump AND NOT group:Movers",
  "group:Movers OR name:many-00*",
  "name:many-04* OR name:many-05*",
  "*",
  "hall AND (items.location:Attic OR network:Backyard OR items.comments:creaks)",
];

async function isExact(turn: number) {
  for (const person of [alice, carol]) {
    for (const query of QUERIES.filter((_, at) => (at + turn) % ONE_QUERY_OF === 0)) {
      const names = await foundAtOnce(person, query);
      for (const page of PAGES) {
        const some = names.slice((page - 1) * 100, page * 100);
        const found = await search(person, query, page);
        expect([query, found]).toEqual([query, { names: some, total: names.length }]);
      }
    }
  }
}

async function done(answer: Promise<{ status: number; text: string }>) {
  const { status, text } = await answer;
  expect([status < 300, text]).toEqual([true, expect.anything()]);
}

describe("many hosts are found exactly", () => {
  test("after any change of one of them, or of a shared record", async () => {
    const backyard = await aNetwork({ vlan_name: "Backyard" });
    const hidden = await aNetwork({ vlan_name: "Cellar", sensitive: true });
    const group = await aGroup({ name: "Movers" });
    const item = await anItem({
      ics_id: "CCC123",
      location: (await aLocation({ name: "Attic" })).name,
    });
    const [one, two, three] = (await search(alice, "name:many-00*")).names;
    const { body } = await api(alice).get(`/network/hosts?name=${two}`);
    const id = body[0].id;
    const deeds = [
      () =>
        api(alice).patch(`/network/hosts/${id}`, { description: "Somewhere else", is_ioc: true }),
      () =>
        api(alice).patch(`/network/hosts/${id}`, {
          name: "zz-many",
          automation_groups: ["Movers"],
        }),
      () =>
        api(alice).post("/network/interfaces", { host: one, name: "yard-1", network: "Backyard" }),
      () =>
        api(alice).post("/network/interfaces", {
          host: three,
          name: "cellar-1",
          network: "Cellar",
        }),
      () => api(alice).patch(`/network/networks/${hidden.id}`, { sensitive: false }),
      () =>
        api(alice).patch(`/network/networks/${backyard.id}`, {
          sensitive: true,
          vlan_name: "Garden",
        }),
      () => api(alice).patch(`/network/groups/${group.id}`, { name: "Shakers" }),
      () => api(alice).patch(`/network/hosts/${id}`, { items: ["CCC123"], description: "hall" }),
      () => api(alice).post(`/inventory/items/CCC123/comments`, { body: "It creaks" }),
      () => api(alice).patch(`/inventory/items/${item.ics_id}`, { location: null }),
      () => api(alice).patch(`/network/groups/${everyone.id}`, { name: "All" }),
      () => api(alice).delete(`/network/hosts/${id}`),
      () => api(alice).post("/network/hosts", { name: "many-0000", device_type: "Virtual" }),
    ];
    for (const one of Array(ONE_QUERY_OF).keys()) await isExact(one);
    for (const [turn, deed] of deeds.entries()) {
      await done(deed());
      await isExact(turn);
    }
  });

  test("by texts that differ only in case", async () => {
    const [minute, month] = ['created_at:"now-2m/m"', 'created_at:"now-2m/M"'];
    expect((await search(carol, `${minute} OR ${month}`)).total).toBe(HOSTS);
    expect((await search(carol, `${minute} AND ${month}`)).total).toBe(0);
  });

  test("at every moment, during concurrent writes", async () => {
    const { sql } = await service();
    await sql`update hosts set description = 'alpha ' || description`;
    let writes = true;
    const writing = concurrently(3, async (writer) => {
      for (let turn = 0; writes; turn += 1) {
        const [from, to] = turn % 2 === 0 ? ["alpha", "beta"] : ["beta", "alpha"];
        await sql`
          update hosts set description = replace(description, ${from}::text, ${to}::text)
          where id % 40 = ${writer}::integer`;
      }
    });
    try {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const [either, both, neither, rest] = await Promise.all(
          ["alpha OR beta", "alpha AND beta", "NOT alpha AND NOT beta", "* NOT beta NOT alpha"].map(
            (query) => search(carol, query),
          ),
        );
        const totals = [either, both, neither, rest].map((one) => one?.total);
        expect([turn, totals]).toEqual([turn, [HOSTS, 0, 0, 0]]);
      }
    } finally {
      writes = false;
      await writing;
    }
  });

  test("by slow queries, though a shared record was renamed", async () => {
    const { sql } = await service();
    const { id } = await aNetwork({ vlan_name: "Backyard" });
    await sql`update hosts set description = 'The only compressor' where name = 'many-0001'`;
    await search(carol, "*");
    await Bun.sleep(1_000);
    await search(carol, "*");
    await withSlowWords(async () => {
      await done(api(alice).patch(`/network/networks/${id}`, { vlan_name: "Garden" }));
      expect((await search(carol, "description:/compr.*or/")).names).toEqual(["many-0001"]);
    });
  });

  test("by slow queries, during many concurrent writes", async () => {
    const { sql } = await service();
    await sql`update hosts set description = 'The only condenser' where name = 'many-0001'`;
    let writes = true;
    const writing = concurrently(2, async (writer) => {
      for (let turn = 0; writes; turn += 1) {
        await sql`update hosts set is_ioc = not is_ioc where name = ${`many-0${100 + writer + 2 * turn}`}`;
        await Bun.sleep(50);
      }
    });
    try {
      await withSlowWords(async () => {
        expect((await search(carol, "description:/condens.*r/")).names).toEqual(["many-0001"]);
      });
    } finally {
      writes = false;
      await writing;
    }
  });
});

/** Makes splitting into words take a third of the time limit of a search. */
async function withSlowWords(work: () => Promise<void>) {
  const { sql } = await service();
  await sql`alter function words_of(text) rename to quick_words_of`;
  await sql`create function words_of(words text) returns text[] language plpgsql immutable as $$
    begin perform pg_sleep(0.6); return quick_words_of(words); end $$`;
  try {
    await work();
  } finally {
    await sql`drop function words_of(text)`;
    await sql`alter function quick_words_of(text) rename to words_of`;
  }
}

// With many items a list must not read them all to show twenty: PostgreSQL tells how it would go about it.
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { alice, api, carol, type Person, service } from "../support/mod.ts";

const LIMIT = 60_000;
setDefaultTimeout(LIMIT);

const MANY = 100_000;
const asked = spyOn(database, "row");

beforeEach(fill, LIMIT);
afterAll(() => asked.mockRestore());

/** Ten in a parent; a hundred makers, two hundred places, four usual statuses and one that is rare. */
async function fill(): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    alter table items disable trigger user;
    insert into manufacturers (name, qrcode) select 'Maker ' || n, '' from generate_series(1, 100) n;
    insert into locations (name, qrcode) select 'Place ' || n, '' from generate_series(1, 200) n;
    insert into models (name, qrcode) select 'Model ' || n, '' from generate_series(1, 100) n;
    insert into statuses (name, qrcode) select name, '' from unnest('{Ready,In use,Away,Broken,Rare}'::text[]) name;
    insert into hosts (name, device_type_id) select 'host-' || n, 1 from generate_series(1, 500) n;
    with firsts as (select
      (select min(id) from manufacturers) as maker, (select min(id) from models) as model,
      (select min(id) from locations) as place, (select min(id) from statuses) as status,
      (select min(id) from hosts) as host, (select array_agg(id) from users) as people)
    insert into items (id, ics_id, serial_number, quantity, manufacturer_id, model_id, location_id, status_id,
      parent_id, host_id, stack_member, updated_by, created_at, updated_at)
    select n, 'A' || chr(65 + n / 26000) || chr(65 + n / 1000 % 26) || lpad((n % 1000)::text, 3, '0'), md5(n::text),
      1 + n % 1000, maker + n % 100, model + n * 7 % 100, place + n % 200, status + case when n % 1000 = 0 then 4 else n % 4 end,
      nullif(n / 10 * 10, n), case when n % 200 = 0 then host + n / 200 % 500 end, case when n % 200 = 0 then n / 200 % 10 end,
      people[1 + n % cardinality(people)],
      '2026-01-01'::timestamptz + n * interval '1 minute', '2026-01-01'::timestamptz + n * 7 % 100003 * interval '1 minute'
    from generate_series(1000, ${MANY + 999}) n, firsts;
    alter table items enable trigger user;
    analyze;`);
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** How a statement goes about it: does it read the table of items from end to end, and how many of them. */
interface Reading {
  whole: boolean;
  items: number;
}

/** What the page and the count of this list read. */
async function readingOf(query: string, by: Person): Promise<Reading[]> {
  asked.mockClear();
  const { status, text } = await api(by).get(`/inventory/items${query}`);
  if (status !== 200) throw new Error(text);
  const statements = asked.mock.calls.map(([statement]) => statement as SQL).map(render);
  const ofItems = statements.filter(({ sql }) => /\bfrom items\b/.test(sql));
  const { sql } = await service();
  const readings: Reading[] = [];
  for (const one of ofItems) {
    const explain = `explain (analyze, timing off, format json) ${one.sql}`;
    const [row] = await sql.unsafe(explain, one.params);
    readings.push(readingIn(row["QUERY PLAN"][0].Plan));
  }
  return readings;
}

function render(statement: SQL) {
  return new PgDialect().sqlToQuery(statement);
}

function readingIn(plan: Plan): Reading {
  const inside = (plan.Plans ?? []).map(readingIn);
  const isOfItems = plan["Relation Name"] === "items";
  const rows = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  return {
    whole:
      inside.some(({ whole }) => whole) ||
      (isOfItems && plan["Node Type"] === "Seq Scan" && rows > 0),
    items: inside.reduce((sum, { items }) => sum + items, isOfItems ? rows : 0),
  };
}

const OWN_SORTS = ["id", "ics_id", "serial_number", "quantity", "created_at", "updated_at"];
const JOINED_SORTS = [
  ...["manufacturer", "model", "location", "status", "parent", "host", "user", "stack_member"],
  ...["manufacturer_id", "model_id", "location_id", "status_id", "parent_id", "host_id"],
];
/** Those that ask whether a host is hidden. */
const HOST_FILTERS = ["host=host-7", "host__isnull=false", "host_id=7", "stack_member=3"];
const FILTERS = [
  ...HOST_FILTERS,
  "id=1234",
  "id__gte=100900",
  "ics_id=ABC123",
  "ics_id__startswith=ABC12",
  "serial_number__contains=abcd1",
  "quantity=7",
  "manufacturer=maker 7",
  "manufacturer_id__isnull=true",
  "model=Model 8",
  "location=Place 9",
  "location=Place 9&location=Place 10",
  "status=Rare",
  "parent=ABC120",
  "parent_id=2000",
  "parent__isnull=true",
  "user=nobody",
  "q=abcd1",
  "q=place 191",
  "created_at__gte=2026-03-11 00:00",
  "updated_at__gte=2026-03-11 00:00",
];

describe("the list of a hundred thousand items", () => {
  test("is one page and one count, and reads little for a page, whatever is asked of it", async () => {
    for (const sort of both(OWN_SORTS)) await expectPage(`?sort=${sort}&page=3`, 500);
    // Of a name that many share, all that have it are put in order: a status has a quarter of them.
    for (const sort of both(JOINED_SORTS)) await expectPage(`?sort=${sort}`, MANY / 3);
    for (const sort of both([...OWN_SORTS, ...JOINED_SORTS])) {
      await expectPage(`?quantity=7&sort=${sort}`, 5_000);
    }
    for (const filter of FILTERS) await expectNoWhole(`?${filter}&per_page=3`, carol);
    for (const filter of HOST_FILTERS) await expectNoWhole(`?${filter}&per_page=3`, alice);
  });
});

async function expectPage(query: string, most: number): Promise<void> {
  const [page, ...more] = await readingOf(query, carol);
  expect([query, page?.whole, more.length]).toEqual([query, false, 1]);
  expect([query, page?.items]).toSatisfy(([, items]) => Number(items) <= most);
}

async function expectNoWhole(query: string, by: Person): Promise<void> {
  const all = await readingOf(query, by);
  const isWhole = all.some(({ whole }) => whole);
  expect([query, by.username, all.length <= 2, isWhole]).toEqual([query, by.username, true, false]);
}

function both(sorts: string[]): string[] {
  return sorts.flatMap((sort) => [sort, `-${sort}`]);
}

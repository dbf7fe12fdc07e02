// A list of many items must not read them all to show twenty: checked by the plans of PostgreSQL.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { alice, carol, type Person, service } from "../support/mod.ts";
import { readingsOf } from "../support/plans.ts";

const LIMIT = 300_000;
setDefaultTimeout(LIMIT);

const MANY = 100_000;

/** Ten in a parent; a hundred makers, two hundred places, four usual statuses and one that is rare. */
async function fill(): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    set synchronous_commit = on;
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
  // Vacuumed as autovacuum would, so that index-only scans are possible.
  await sql.unsafe("vacuum items");
}

const OWN_SORTS = ["id", "ics_id", "serial_number", "quantity", "created_at", "updated_at"];
const JOINED_SORTS = [
  ...["manufacturer", "model", "location", "status", "parent", "host", "user", "stack_member"],
  ...["manufacturer_id", "model_id", "location_id", "status_id", "parent_id", "host_id"],
];
/** Lists that check whether a host is hidden. */
const HOST_FILTERS = ["host=host-7", "host__isnull=false", "host_id=7", "stack_member=3"];
/** Values that many, few or no items have. */
const KEYS = ["status=Ready", "status=Rare", "location=Place 9", "model=Model 8", "user=nobody"];
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
  ...["abcd1", "place 191", "ABC123", "abc12*", "*abcd1*", "A?C123", "1234"].map(asQuery),
  ...["host:host-7", "stack_member:3", "serial:abcd*", "parent:ABC120", "location:*191*"].map(
    asQuery,
  ),
  ...["serial:(*abcd1* OR *abcd2*)", "*place\\ 191*", "status:rare AND quantity:1"].map(asQuery),
  "created_at__gte=2026-03-11 00:00",
  "updated_at__gte=2026-03-11 00:00",
];

describe.skipIf(!allChecks)("the list of a hundred thousand items", () => {
  beforeEach(fill, LIMIT);

  test("needs one page and one count query, and reads few rows, for every filter and order", async () => {
    for (const sort of both(OWN_SORTS)) await expectPage(`?sort=${sort}&page=3`, 500);
    // All items with the same status, a quarter of them, have to be sorted.
    for (const sort of both(JOINED_SORTS)) await expectPage(`?sort=${sort}`, MANY / 3);
    for (const sort of both([...OWN_SORTS, ...JOINED_SORTS])) {
      await expectPage(`?quantity=7&sort=${sort}`, 5_000);
    }
    for (const filter of KEYS) await expectPage(`?${filter}`, 500);
    for (const filter of FILTERS) await expectNoWhole(`?${filter}&per_page=3`, carol);
    for (const filter of HOST_FILTERS) await expectNoWhole(`?${filter}&per_page=3`, alice);
  });
});

async function expectPage(query: string, most: number): Promise<void> {
  const [page, ...more] = await readingsOf("items", `/inventory/items${query}`, carol);
  // The total is cached.
  expect([query, page?.whole, more.length <= 1]).toEqual([query, false, true]);
  expect([query, page?.rows]).toSatisfy(([, rows]) => Number(rows) <= most);
}

async function expectNoWhole(query: string, by: Person): Promise<void> {
  const all = await readingsOf("items", `/inventory/items${query}`, by);
  const isWhole = all.some(({ whole }) => whole);
  expect([query, by.username, all.length <= 2, isWhole]).toEqual([query, by.username, true, false]);
}

function asQuery(text: string): string {
  return `q=${encodeURIComponent(text)}`;
}

function both(sorts: string[]): string[] {
  return sorts.flatMap((sort) => [sort, `-${sort}`]);
}

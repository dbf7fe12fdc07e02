// With many items a list must not read them all to show twenty: PostgreSQL tells how it would go about it.
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { alice, api, carol, type Person, service } from "../support/mod.ts";

setDefaultTimeout(30_000);

const MANY = 100_000;
const asked = spyOn(database, "row");

beforeEach(fill);
afterAll(() => asked.mockRestore());

/** Ten in a parent; a hundred makers, two hundred places, a status that is rare. */
async function fill(): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    alter table items disable trigger user;
    insert into manufacturers (name, qrcode) select 'Maker ' || n, '' from generate_series(1, 100) n;
    insert into locations (name, qrcode) select 'Place ' || n, '' from generate_series(1, 200) n;
    insert into models (name, qrcode) select 'Model ' || n, '' from generate_series(1, 100) n;
    insert into statuses (name, qrcode) values ('Usual', ''), ('Rare', '');
    insert into hosts (name, device_type_id) select 'host-' || n, 1 from generate_series(1, 500) n;
    with firsts as (select
      (select min(id) from manufacturers) as maker, (select min(id) from models) as model,
      (select min(id) from locations) as place, (select min(id) from statuses) as status,
      (select min(id) from hosts) as host)
    insert into items (id, ics_id, serial_number, quantity, manufacturer_id, model_id, location_id, status_id,
      parent_id, host_id, created_at, updated_at)
    select n, 'A' || chr(65 + n / 26000) || chr(65 + n / 1000 % 26) || lpad((n % 1000)::text, 3, '0'), md5(n::text),
      1 + n % 1000, maker + n % 100, model + n * 7 % 100, place + n % 200, status + (n % 1000 = 0)::integer,
      nullif(n / 10 * 10, n), case when n % 200 = 0 then host + n / 200 % 500 end,
      '2026-01-01'::timestamptz + n * interval '1 minute', '2026-01-01'::timestamptz + n * 7 % 100003 * interval '1 minute'
    from generate_series(1000, ${MANY + 999}) n, firsts;
    alter table items enable trigger user;
    analyze;`);
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: Plan[];
}

/** Which tables the page and the count of this list would read from end to end. */
async function readWhole(query: string, by: Person): Promise<string[][]> {
  asked.mockClear();
  const { status, text } = await api(by).get(`/inventory/items${query}`);
  if (status !== 200) throw new Error(text);
  const statements = asked.mock.calls.map(([statement]) => statement as SQL).map(render);
  const ofItems = statements.filter(({ sql }) => /\bfrom items\b/.test(sql));
  const { sql } = await service();
  const plans: string[][] = [];
  for (const one of ofItems) {
    const [row] = await sql.unsafe(`explain (format json) ${one.sql}`, one.params);
    plans.push(wholesIn(row["QUERY PLAN"][0].Plan));
  }
  return plans;
}

function render(statement: SQL) {
  return new PgDialect().sqlToQuery(statement);
}

function wholesIn(plan: Plan): string[] {
  const inside = (plan.Plans ?? []).flatMap(wholesIn);
  const isWhole = plan["Node Type"] === "Seq Scan" && plan["Relation Name"] === "items";
  return isWhole ? ["items", ...inside] : inside;
}

const SORTS = ["id", "ics_id", "serial_number", "quantity", "created_at", "updated_at"];
const FILTERS = [
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
  "host=host-7",
  "created_at__gte=2026-03-11 00:00",
  "updated_at__gte=2026-03-11 00:00",
];

describe("the list of a hundred thousand items", () => {
  test("is one page and one count, and reads none of them from end to end where an index helps", async () => {
    const pages = ["", "?page=3", ...SORTS.flatMap((sort) => [`?sort=${sort}`, `?sort=-${sort}`])];
    for (const query of pages) {
      const [page, count, ...more] = await readWhole(query, carol);
      expect([query, page, count !== undefined, more]).toEqual([query, [], true, []]);
    }
    for (const filter of FILTERS) {
      for (const person of [alice, carol]) {
        const [page, count = [], ...more] = await readWhole(`?${filter}&per_page=3`, person);
        expect([filter, person.username, page, count, more]).toEqual([
          filter,
          person.username,
          [],
          [],
          [],
        ]);
      }
    }
  });
});

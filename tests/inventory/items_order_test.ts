// Pages of a list must be in order, whichever plan the database chooses.
import { beforeEach, describe, expect, test } from "bun:test";
import { aHiddenHost } from "../support/hidden.ts";
import { alice, api, carol, type Person, service } from "../support/mod.ts";

interface Item {
  id: number;
  host: string | null;
  [field: string]: unknown;
}

/** Names that differ only in case, that several items share, and that some lack. */
beforeEach(async () => {
  const host = await aHiddenHost();
  const { sql } = await service();
  await sql.unsafe(`
    insert into hosts (name, device_type_id) select 'open-' || n, 3 from generate_series(1, 3) n;
    insert into manufacturers (name, qrcode) select name, '' from unnest('{beta,Alpha,Ångström,gamma}'::text[]) name;
    insert into statuses (name, qrcode) select name, '' from unnest('{Ready,away}'::text[]) name;
    insert into items (ics_id, serial_number, manufacturer_id, status_id, host_id, stack_member)
    select 'AAA' || lpad(n::text, 3, '0'), 'SN' || n % 4,
      (select id from manufacturers where n % 6 > 1 order by (id + n) % 4 limit 1),
      (select id from statuses order by (id + n / 3) % 2 limit 1),
      case when n % 5 = 0 then (select id from hosts where name like 'open%' order by (id + n) % 3, id limit 1)
        when n % 7 = 0 then ${host} end,
      case when n in (5, 7, 14, 20) then n % 10 end
    from generate_series(1, 23) n;
    update items set parent_id = (select id from items of where of.ics_id = 'AAA' || lpad((23 - n)::text, 3, '0'))
    from generate_series(1, 8) n where ics_id = 'AAA' || lpad(n::text, 3, '0');`);
});

async function itemsOf(person: Person, query: string): Promise<Item[]> {
  const { status, body, text } = await api(person).get(`/inventory/items?${query}`);
  if (status !== 200) throw new Error(text);
  return body;
}

/** All of a list, three at a time, until a page is empty. */
async function inPages(person: Person, query: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; ; page += 1) {
    const shown = await itemsOf(person, `${query}&per_page=3&page=${page}`);
    if (shown.length === 0) return found;
    found.push(...shown);
  }
}

const words = new Intl.Collator("und");

function compare(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return words.compare(String(one).toLowerCase(), String(other).toLowerCase());
}

/** The documented order: items without a value come last, ties are ordered by id. */
function ordered(items: Item[], sort: string): number[] {
  const keys = sort.split(",").map((key) => ({
    field: key.replace(/^-/, ""),
    sign: key.startsWith("-") ? -1 : 1,
  }));
  const inOrder = items.toSorted(
    (one, other) =>
      keys
        .map(({ field, sign }) => sign * compare(one[field], other[field]))
        .find((difference) => difference !== 0) ?? one.id - other.id,
  );
  return inOrder.map(({ id }) => id);
}

const FIELDS = ["manufacturer", "model", "status", "parent", "host", "user", "stack_member"];
const SORTS = [
  ...FIELDS.flatMap((field) => [field, `-${field}`]),
  ...["serial_number", "-status,manufacturer", "manufacturer,-serial_number", "-host,-id"],
];

describe("GET /inventory/items", () => {
  test.each(SORTS)("sorted by %s contains each item once, in order, page by page", async (sort) => {
    for (const person of [alice, carol]) {
      const all = await itemsOf(person, "per_page=100");
      expect(all, person.username).toHaveLength(23);
      const shown = await inPages(person, `sort=${sort}`);
      expect(
        shown.map(({ id }) => id),
        person.username,
      ).toEqual(ordered(all, sort));
    }
  });

  test.each(SORTS)("filtered, and sorted by %s, contains the matches", async (sort) => {
    const all = await itemsOf(carol, "per_page=100");
    const wanted = all.filter(({ status, host }) => status === "Ready" && host === null);
    const shown = await inPages(carol, `status=ready&host__isnull=true&sort=${sort}`);
    expect(shown.map(({ id }) => id)).toEqual(ordered(wanted, sort));
  });

  test("does not disclose a hidden host by the position of its items", async () => {
    const hidden = (await itemsOf(alice, "host=canary")).map(({ id }) => id);
    expect(hidden.length).toBeGreaterThan(0);
    for (const field of ["host", "host_id", "stack_member"]) {
      const last = await inPages(carol, `sort=${field}`);
      const unmounted = last.filter(({ host }) => host === null).map(({ id }) => id);
      expect([field, unmounted]).toEqual([field, unmounted.toSorted((one, other) => one - other)]);
      expect(unmounted, field).toEqual(expect.arrayContaining(hidden));
    }
  });

  test("refuses a search that is given twice", async () => {
    const { status, body } = await api(carol).get("/inventory/items?q=one&q=two");
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: "q", message: "Search for one text, given once" }]);
  });

  test("finds a part of any length in each searched field", async () => {
    const found = async (field: string, text: string) =>
      (await itemsOf(carol, `q=${field}:*${text}*&per_page=100`)).map(({ id }) => id);
    const all = await itemsOf(carol, "per_page=100");
    const those = (field: string, value: RegExp) =>
      all.filter((item) => value.test(String(item[field]))).map(({ id }) => id);
    expect(await found("manufacturer", "gs")).toEqual(those("manufacturer", /Ångström/));
    expect(await found("manufacturer", "ÅNGSTR")).toEqual(those("manufacturer", /Ångström/));
    expect(await found("serial_number", "sn3")).toEqual(those("serial_number", /SN3/));
    expect(await found("ics_id", "aa01")).toEqual(those("ics_id", /AA01/));
  });
});

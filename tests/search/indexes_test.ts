// Every search uses an index: no condition is evaluated for each row of a large table.
import { beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import * as database from "../../db/client.ts";
import { aHost, aNetwork, anInterface, aSiteField } from "../support/makers.ts";
import { api, carol, namesOf, service } from "../support/mod.ts";
import { readingsIn } from "../support/plans.ts";

setDefaultTimeout(60_000);

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Plan[];
}

/** Tables with at least as many rows as hosts. */
const LARGE = new Set([
  ...["hosts", "interfaces", "cnames", "full_names", "host_variables"],
  ...["items", "comments", "macs"],
]);

/** The statements of a search that find keys. */
async function statementsOf(query: string) {
  const sent = spyOn(database, "sendStatement");
  const { status, text } = await search(query);
  const statements = sent.mock.calls.map(([, sql, params]) => ({ sql, params }));
  sent.mockRestore();
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  const sets = statements.filter(({ sql }) => sql.includes("found (id)"));
  expect(sets.length).toBeGreaterThan(0);
  return sets;
}

/** Conditions that PostgreSQL tests row by row. Sequential scans are off, so it does that only without an index. */
async function testedRowByRow(query: string): Promise<string[]> {
  return (await plansOf(query)).flatMap(conditionsIn);
}

async function plansOf(query: string): Promise<Plan[]> {
  const sets = await statementsOf(query);
  const { sql } = await service();
  const found: Plan[] = [];
  await sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`;
    for (const set of sets) {
      const [row] = await tx.unsafe(`explain (format json) ${set.sql}`, set.params);
      found.push(row["QUERY PLAN"][0].Plan);
    }
  });
  return found;
}

function conditionsIn(plan: Plan): string[] {
  const inside = (plan.Plans ?? []).flatMap(conditionsIn);
  // PostgreSQL combines indexes for OR only if it has one for each condition and estimates well: a union always works.
  if (plan["Node Type"] === "BitmapOr") return [...inside, "conditions joined by OR"];
  const isOfLarge = LARGE.has(plan["Relation Name"] ?? "") && plan["Node Type"] !== BITMAP;
  if (!isOfLarge || plan["Index Cond"] || !plan.Filter || HARMLESS.test(plan.Filter)) return inside;
  return [...inside, `${plan["Node Type"]} on ${plan["Relation Name"]}: ${plan.Filter}`];
}

/** The nodes below it have conditions of their own. */
const BITMAP = "Bitmap Heap Scan";
/** Conditions that are cheap to test on each row. */
const HARMLESS = /^\(+\w*\.?\w+ IS NOT NULL\)+$/;

function search(query: string) {
  return api(carol).get(`/network/hosts/search?q=${encodeURIComponent(query)}`);
}

function three(one: (number: number) => string): string {
  return [1, 2, 3].map(one).join(" OR ");
}

const QUERIES = [
  ["a sign alone", "- x"],
  ["a sign among names", "ioc-bpm-01 - ioc-bpm-05"],
  ["a sign in quotation marks or a word", '"=" OR x'],
  ["signs and words and phrases", '"=" OR "-" OR pump OR "old pump" OR "pump - old"'],
  ["MAC addresses", three((number) => `0a:27:00:00:00:0${number}`)],
  ["blocks of addresses", three((number) => `10.1.${number}.0/24`)],
  ["addresses", three((number) => `10.1.1.${number}`)],
  ["phrases", three((number) => `"the ${number} pump"`)],
  ["phrases with accents on their own", three((number) => `"the ${number} pu\u0302mp"`)],
  ["numbers", three((number) => `${number}7`)],
  ["fractions", three((number) => `${number}.5`)],
  ["names in a field", `name:(${three((number) => `x-${number}`)})`],
  ["times", three((number) => `"2024-01-0${number}"`)],
  ["a variable that is there", "_exists_:automation_vars.port"],
  ["a variable among several", "automation_vars.p\\*:5"],
] as const;

const SITE_QUERIES = [
  "klystron",
  "site.note:klystron",
  "site.zone:hot OR site.zone:cold",
  "*lystro*",
];

beforeEach(async () => {
  await aNetwork({ vlan_name: "Lab" });
});

describe("an index finds", () => {
  test.each(QUERIES)("%s: %s", async (_, query) => {
    expect(await testedRowByRow(query)).toEqual([]);
  });

  test.each(SITE_QUERIES)("texts and choices in fields of the site: %s", async (query) => {
    await aSiteField({ record: "host", key: "note", label: "Note", type: "long_text" });
    const choices = ["hot", "cold"];
    await aSiteField({ record: "host", key: "zone", label: "Zone", type: "choices", choices });
    expect(await testedRowByRow(query)).toEqual([]);
  });

  test("tags, which are not read from each host", async () => {
    for (const plan of await plansOf("beam OR tags:hall")) {
      const readsTags = JSON.stringify(plan).includes("unnest");
      expect(JSON.stringify(plan).includes('"hosts_tags"')).toBe(readsTags);
    }
  });
});

test("most hosts are read in one pass, not looked up one by one", async () => {
  const { sql } = await service();
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into hosts (id, name, device_type_id, is_ioc)
      select n, 'host-' || md5(n::text), 1, n % 4 = 0 from generate_series(1, 2000) n;
    set session_replication_role = default;
    analyze hosts;`);
  const sets = await statementsOf("is_ioc:false");
  const sent = sets.map((set) => ({ ...set, isGeneric: true }));
  // The first finds the hosts, the second those that are hidden.
  const [reading] = await readingsIn("hosts", sent);
  expect(reading).toEqual({ whole: true, rows: 2_000 });
});

describe("many searches at once return what each returns alone", () => {
  test("in every kind of field", async () => {
    const { vlan_name: network } = await aNetwork();
    const host = await aHost({
      name: "sparrow",
      description: "The old_pump: 100% hall-3 - east",
      automation_vars: { port: 17, rate: 2.5, list: [{ deep: "Blue sky" }] },
    });
    const { ip } = await anInterface({ host: host.name, network, mac: "0a:27:00:00:00:01" });
    const parts = [
      ...['"old_pump 100"', '"100 hall-3"', '"hall-3 east"', '"hall-3 - east"', '"pump 100"'],
      ...['"oldxpump 100"', '"the old_pump"', '"THE OLD_PUMP"', '"100% hall-3"', '"100 hall"'],
      ...["17", "2.5", "17.0", "+17", "1e1", "0a27.0000.0001", "0A-27-00-00-00-01", ip],
      ...[`"${ip}/32"`, '"10.0.0.0/8"', '"10.0.0.0/8/9"', '"Blue sky"', '"-"', '"%"', "the"],
    ];
    for (const part of parts) {
      const alone = namesOf((await search(part)).body);
      const among = namesOf((await search(`${part} OR "no such" OR nothing OR "9.9.9.9/32"`)).body);
      expect([part, among]).toEqual([part, alone]);
    }
    expect(namesOf((await search('automation_vars.\\*:"Blue sky"')).body)).toEqual(["sparrow"]);
    expect(namesOf((await search("_exists_:automation_vars.list")).body)).toEqual(["sparrow"]);
    expect(namesOf((await search("_exists_:automation_vars.lis")).body)).toEqual([]);
  });
});

describe("the index of the words of a text", () => {
  test.each([
    ["an empty text", ""],
    ["a sentence", "Gauge of pump 7, vacuum sector 4"],
    ["a repeated word", "pump PUMP Pump"],
    ["signs in words", "SC-VAC-17.2 (spare), under_the_roof"],
    ["letters of other alphabets", "Weiche für Strahlführung İ Ω"],
    ["a long word", `${"x".repeat(600)} short`],
  ])("has the words that the search finds in %s", async (_, text) => {
    const { sql } = await service();
    const [found] = await sql`
      select tsvector_to_array(word_index(${text}::text)) as indexed,
        array(select distinct left(word, 500) from unnest(words_of(${text}::text)) word) as words`;
    expect([...found.indexed].toSorted()).toEqual([...found.words].toSorted());
  });

  test("is not made for no text", async () => {
    const { sql } = await service();
    const [found] = await sql`select word_index(null)::text as indexed`;
    expect(found.indexed).toBeNull();
  });
});

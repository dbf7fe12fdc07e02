// npm run bench -- --fields: what twenty fields of a site cost, with values on 100,000 items, beside the same items without.
import { join } from "node:path";
import { SQL } from "bun";
import { type BenchServer, copyOf, type Size, type TemplateOptions } from "./data.ts";
import type { Load } from "./load.ts";
import { measure, type Sample, total } from "./measure.ts";
import { formatNumber, median, ratio } from "./numbers.ts";
import { type Credentials, credentials, type Served, serve } from "./served.ts";
import { judgements, pairs, table } from "./table.ts";
import { type TargetResult, targetResult } from "./targets.ts";

const SIZE: Size = { label: "fields", items: 100_000, hosts: 1_000 };
const FIELDS = 20;
const TYPES = ["text", "integer", "date", "choice"];
const MOST_COST = 1.3;
const SECONDS = 1;
const ITEMS = "/api/v1/inventory/items";

interface ItemSite {
  served: Served;
  who: Credentials;
}

interface Operation {
  name: string;
  path: string;
  as: keyof Credentials;
  /** Only where there are fields. */
  isOfFields?: boolean;
  /** What each request changes; `%d` is the number of an item. */
  changes?: string;
}

const OPERATIONS: Operation[] = [
  { name: "Items, first page", path: ITEMS, as: "admin" },
  { name: "Items, a hundred", path: `${ITEMS}?per_page=100`, as: "admin" },
  { name: "Items, filtered by status", path: `${ITEMS}?status=In%20stock`, as: "admin" },
  { name: "Items, sorted by serial number", path: `${ITEMS}?sort=-serial_number`, as: "admin" },
  { name: "Items, found by a word", path: `${ITEMS}?q=MacBook`, as: "admin" },
  { name: "Items, found by a part of a word", path: `${ITEMS}?q=*acboo*`, as: "admin" },
  { name: "One item", path: `${ITEMS}/5000`, as: "admin" },
  { name: "Page of the items", path: "/inventory/items", as: "browser" },
  { name: "Page of an item", path: "/inventory/items/view/AAA001", as: "browser" },
  { name: "Change one item", path: `${ITEMS}/%d`, as: "admin", changes: '{"quantity":%d}' },
  ...[
    ["filtered by a text", "site.f0=v77"],
    ["filtered by a number, from", "site.f1__gte=99990"],
    ["filtered by a date, until", "site.f2__lte=2020-01-05"],
    ["filtered by a choice", "site.f3=a"],
    ["sorted by a number", "sort=-site.f1"],
    ["sorted by a text", "sort=site.f0"],
    ["found by a word of a field", "q=f0:v77"],
  ].map(
    ([name, query]): Operation => ({
      name: `Items, ${name}`,
      path: `${ITEMS}?${query}`,
      as: "admin",
      isOfFields: true,
    }),
  ),
];

export interface FieldsResult {
  /** By the names of the operations. */
  without: Map<string, Sample[]>;
  with: Map<string, Sample[]>;
}

export async function measureFields(
  server: BenchServer,
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<FieldsResult> {
  const ends: Array<() => Promise<unknown>> = [];
  const open = async (kind: keyof FieldsResult): Promise<ItemSite> => {
    const { url, drop } = await copyOf(server, { ...SIZE, label: `${SIZE.label}_${kind}` }, making);
    ends.push(drop);
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    ends.push(() => sql.close());
    await withoutTriggers(sql, "delete from site_fields; update items set site = '{}'");
    const served = await serve(url);
    ends.push(served.stop);
    const site = { served, who: await credentials(served) };
    if (kind === "with") await addFields(site, sql);
    await sql.unsafe("vacuum full analyze items");
    return site;
  };
  try {
    const sites = [
      ["without", await open("without")] as const,
      ["with", await open("with")] as const,
    ];
    const result: FieldsResult = { without: new Map(), with: new Map() };
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      making.report(`fields, round ${round}`);
      for (const operation of OPERATIONS) {
        // Each comes first in turn.
        for (const [kind, site] of round % 2 === 0 ? sites : sites.toReversed()) {
          if (operation.isOfFields && kind === "without") continue;
          const sample = await run(operation, site, server, round);
          if (round === 0) continue;
          result[kind].set(operation.name, [...(result[kind].get(operation.name) ?? []), sample]);
        }
      }
    }
    return result;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function withoutTriggers(sql: SQL, statements: string): Promise<void> {
  await sql.unsafe(`
    alter table items disable trigger user; alter table site_fields disable trigger user;
    ${statements};
    alter table items enable trigger user; alter table site_fields enable trigger user`);
}

/** Five of each type, with a value on each item. */
async function addFields({ served, who }: ItemSite, sql: SQL): Promise<void> {
  for (let at = 0; at < FIELDS; at += 1) {
    const type = TYPES[at % TYPES.length];
    const choices = type === "choice" ? ["a", "b", "c", "d"] : [];
    const answer = await fetch(`${served.origin}/api/v1/site_fields`, {
      method: "POST",
      headers: { ...who.admin, "content-type": "application/json" },
      body: JSON.stringify({ record: "item", key: `f${at}`, label: `Field ${at}`, type, choices }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  await withoutTriggers(
    sql,
    `update items set site = (select jsonb_object_agg('f' || at, case at % 4
        when 0 then to_jsonb('v' || id % 1000) when 1 then to_jsonb(id)
        when 2 then to_jsonb(to_char(date '2020-01-01' + id % 2000, 'YYYY-MM-DD'))
        else to_jsonb(('{a,b,c,d}'::text[])[id % 4 + 1]) end)
      from generate_series(0, ${FIELDS - 1}) at)`,
  );
  const ready = async () =>
    (
      await sql`select from pg_index join pg_class on pg_class.oid = indexrelid
      where indisvalid and starts_with(relname, 'site_value_')`
    ).length >= FIELDS;
  while (!(await ready())) await Bun.sleep(500);
}

/** Items that no round before has changed. */
const FIRST = 2_000;
const EACH_ROUND = 5_000;

function run(
  { path, as, changes }: Operation,
  { served, who }: ItemSite,
  server: BenchServer,
  round: number,
): Promise<Sample> {
  const how: Load = { url: served.origin + path, clients: 1, seconds: SECONDS, headers: who[as] };
  const written: Partial<Load> = changes
    ? {
        method: "PATCH",
        body: changes,
        from: FIRST + EACH_ROUND * round,
        headers: { ...who[as], "content-type": "application/json" },
      }
    : {};
  return measure({ ...how, ...written }, { served, postmaster: server.pid });
}

interface Report {
  result: FieldsResult;
  rounds: number;
  machine: Array<[string, string]>;
}

export async function writeFields(
  directory: string,
  { result, rounds, machine }: Report,
): Promise<TargetResult[]> {
  const compared = OPERATIONS.filter(({ isOfFields }) => !isOfFields);
  const judged = compared.map(({ name }): TargetResult => {
    const [of, base] = [result.with.get(name) ?? [], result.without.get(name) ?? []];
    const target = `${name}: at most ${MOST_COST} times the CPU time of the same without fields`;
    const verdict = targetResult(target, ratio(of.map(total), base.map(total)), MOST_COST);
    const hasFailed = [...of, ...base].some(({ failed }) => failed > 0);
    return { ...verdict, isMet: verdict.isMet && !hasFailed };
  });
  const rows = OPERATIONS.map(({ name }) => {
    const of = (kind: keyof FieldsResult, value: (sample: Sample) => number) => {
      const samples = result[kind].get(name);
      return samples ? formatNumber(median(samples.map(value))) : "";
    };
    return [
      name,
      ...[of("without", total), of("with", total)],
      ...[of("without", ({ p50 }) => p50), of("with", ({ p50 }) => p50)],
    ];
  });
  const text = `# Fields of a site: measurements

Made by \`npm run bench -- --fields\`, in ${rounds} rounds: ${SIZE.items.toLocaleString("en")} items with ${FIELDS} fields that all have a value, beside
the same items without.

${pairs(machine)}

## Targets

${judgements(judged)}

## What was measured

CPU time of the service and of PostgreSQL for each request, in microseconds, and what one client waits, in milliseconds.

${table(["", "µs without", "µs with", "ms without", "ms with"], rows)}
`;
  await Bun.write(join(directory, "fields.md"), text);
  return judged;
}

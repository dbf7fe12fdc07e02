// npm run bench -- --files: adds files while the program is killed, and looks whether one is lost; then what files cost the lists and
// pages of the records that have them, beside the same records without.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { type BenchServer, copyOf, DIRECTORY, type Size, type TemplateOptions } from "./data.ts";
import { byMinute, CLIENTS, type FilesLoaded, loadFiles, SIZE } from "./files_load.ts";
import { measure, type Sample, total } from "./measure.ts";
import { formatNumber, median, ratio } from "./numbers.ts";
import { type Credentials, credentials, type Served, serve } from "./served.ts";
import { slopeOf } from "./soak.ts";
import { judgements, pairs, table } from "./table.ts";
import { type TargetResult, targetResult } from "./targets.ts";

const COUNT = 10_000;
const KILLS = 20;
/** A minute, after the kills. */
const RATE = 1_500;
const MINUTE = 60_000;
/** Megabytes a minute, without the first one, in which caches fill. */
const MOST_GROWTH = 2;

const SITE: Size = { label: "files", items: 10_000, hosts: 1_000 };
const OF_AN_ITEM = 3;
const MOST_COST = 1.3;
const SECONDS = 1;
const ITEMS = "/api/v1/inventory/items";

interface Operation {
  name: string;
  path: string;
  as: keyof Credentials;
}

export const OPERATIONS: Operation[] = [
  { name: "Items, first page", path: ITEMS, as: "admin" },
  { name: "Items, a hundred", path: `${ITEMS}?per_page=100`, as: "admin" },
  { name: "Items, found by a word", path: `${ITEMS}?q=MacBook`, as: "admin" },
  { name: "One item", path: `${ITEMS}/5000`, as: "admin" },
  { name: "Page of the items", path: "/inventory/items", as: "browser" },
  { name: "Page of an item", path: "/inventory/items/view/AAA001", as: "browser" },
];

export interface FilesResult {
  loaded: FilesLoaded;
  /** By the names of the operations. */
  without: Map<string, Sample[]>;
  with: Map<string, Sample[]>;
}

type MeasuringOptions = TemplateOptions & { rounds: number };

export async function measureFiles(
  server: BenchServer,
  making: MeasuringOptions,
): Promise<FilesResult> {
  await mkdir(dirname(DIRECTORY), { recursive: true });
  const directory = await mkdtemp(`${DIRECTORY}-files-`);
  try {
    const { report } = making;
    const loaded = await loadFiles({ directory, count: COUNT, kills: KILLS, rate: RATE, report });
    return { loaded, ...(await measureCosts(server, making)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measureCosts(server: BenchServer, { rounds, ...making }: MeasuringOptions) {
  const ends: Array<() => Promise<unknown>> = [];
  const open = async (kind: "without" | "with") => {
    const { url, drop } = await copyOf(server, { ...SITE, label: `${SITE.label}_${kind}` }, making);
    ends.push(drop);
    await fill(url, kind === "with" ? OF_AN_ITEM : 0);
    const served = await serve(url);
    ends.push(served.stop);
    return { kind, served, who: await credentials(served) };
  };
  try {
    const sites = [await open("without"), await open("with")];
    const costs = { without: new Map<string, Sample[]>(), with: new Map<string, Sample[]>() };
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      making.report(`files, round ${round}`);
      for (const operation of OPERATIONS) {
        // Each comes first in turn.
        for (const { kind, served, who } of round % 2 === 0 ? sites : sites.toReversed()) {
          const sample = await run(operation, { served, who, server });
          if (round === 0) continue;
          const { name } = operation;
          costs[kind].set(name, [...(costs[kind].get(name) ?? []), sample]);
        }
      }
    }
    return costs;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Two pictures and a certificate of each item; the demo's own files are taken out. The bytes are not read here. */
async function fill(url: string, files: number): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  await sql.unsafe(`
    alter table files disable trigger user;
    delete from files;
    insert into file_blobs (sha256, size, unused_since)
      select encode(sha256((id || '/' || at)::bytea), 'hex'), ${SIZE}, null from items, generate_series(1, ${files}) at;
    insert into files (item_id, name, type, size, sha256, is_plain, caption, is_picture, position)
      select id, 'file ' || at, case at when 3 then 'application/pdf' else 'image/jpeg' end, ${SIZE},
        encode(sha256((id || '/' || at)::bytea), 'hex'), true, 'Left side', at = 1, at
      from items, generate_series(1, ${files}) at;
    alter table files enable trigger user`);
  await sql.unsafe("vacuum full analyze items");
  await sql.unsafe("vacuum full analyze files");
  await sql.close();
}

interface MeasuredSite {
  served: Served;
  who: Credentials;
  server: BenchServer;
}

function run({ path, as }: Operation, { served, who, server }: MeasuredSite): Promise<Sample> {
  const how = { url: served.origin + path, clients: 1, seconds: SECONDS, headers: who[as] };
  return measure(how, { served, postmaster: server.pid });
}

interface Report {
  result: FilesResult;
  rounds: number;
  machine: Array<[string, string]>;
}

/** Writes files.md. */
export async function writeFiles(
  directory: string,
  { result, rounds, machine }: Report,
): Promise<TargetResult[]> {
  const { loaded } = result;
  const judged = [...kept(loaded), ...OPERATIONS.map(({ name }) => cost(name, result))];
  const count = COUNT.toLocaleString("en");
  const rows = OPERATIONS.map(({ name }) => {
    const of = (kind: "without" | "with", value: (sample: Sample) => number) =>
      formatNumber(median((result[kind].get(name) ?? []).map(value)));
    const ms = ({ p50 }: Sample) => p50;
    return [name, of("without", total), of("with", total), of("without", ms), of("with", ms)];
  });
  const minutes = byMinute(loaded.memory).map((megabytes, at) => [
    String(at + 1),
    megabytes.toFixed(0),
  ]);
  const parts = [
    "# Files of records: measurements",
    `Made by \`npm run bench -- --files\`: ${CLIENTS} clients add ${count} pictures of ${SIZE / 1_000} kB to items of an embedded PostgreSQL. Meanwhile the program
is killed (SIGKILL) and started again ${KILLS} times; a request without an answer is sent again. After the kills they add
${RATE.toLocaleString("en")} a minute. At the end each file that was confirmed is read back, and the tables are looked through.`,
    pairs(machine),
    "## Targets",
    judgements(judged),
    "## Kills",
    pairs([
      ["Files that were confirmed", loaded.confirmed.toLocaleString("en")],
      ["Kills", String(loaded.kills)],
      ["Requests that were not answered, and sent again", String(loaded.unanswered)],
      ["of which had added the file nevertheless", String(loaded.twice)],
      ["Seconds", loaded.seconds.toFixed(0)],
    ]),
    ...(loaded.problems.length > 0 ? [loaded.problems.map((one) => `- ${one}`).join("\n")] : []),
    "## Memory of the program",
    "Megabytes (RSS) after the kills, the mean of each minute.",
    table(["minute", "MB"], minutes),
    "## What files cost",
    `${SITE.items.toLocaleString("en")} items with ${OF_AN_ITEM} files each beside the same without, in ${rounds} rounds: CPU time of the service and of PostgreSQL for each request, in
microseconds, and what one client waits, in milliseconds.`,
    table(["", "µs without", "µs with", "ms without", "ms with"], rows),
  ];
  await Bun.write(join(directory, "files.md"), `${parts.join("\n\n")}\n`);
  return judged;
}

function kept(loaded: FilesLoaded): TargetResult[] {
  const none = (target: string, found: number) => ({
    target: `${target}: none`,
    found: String(found),
    isMet: found === 0,
  });
  const slope = slopeOf(loaded.memory.filter(({ at }) => at > MINUTE));
  return [
    {
      target: `Files that are confirmed in the end: ${COUNT}`,
      found: String(loaded.confirmed),
      isMet: loaded.confirmed === COUNT,
    },
    none("Confirmed files that are lost, or have other bytes", loaded.lost),
    none("Files that are half stored", loaded.halfStored),
    none(
      "Files that are there more often than requests without an answer explain",
      loaded.unexplained,
    ),
    none("Other answers", loaded.problems.length),
    {
      target: `The program grows by at most ${MOST_GROWTH} MB a minute`,
      found: `${slope.toFixed(2)} MB a minute`,
      isMet: slope <= MOST_GROWTH,
    },
  ];
}

function cost(name: string, result: FilesResult): TargetResult {
  const [of, base] = [result.with.get(name) ?? [], result.without.get(name) ?? []];
  const target = `${name}: at most ${MOST_COST} times the CPU time of the same without files`;
  const verdict = targetResult(target, ratio(of.map(total), base.map(total)), MOST_COST);
  const hasFailed = [...of, ...base].some(({ failed }) => failed > 0);
  return { ...verdict, isMet: verdict.isMet && !hasFailed };
}

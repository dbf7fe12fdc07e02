// Writes the results of the search at scale, search.md.
import { join } from "node:path";
import { type Sample, SECONDS, total } from "./measure.ts";
import { formatSpread, median, ratio, type Spread, spread } from "./numbers.ts";
import type { QueryResult, SearchScale } from "./search.ts";
import { judgements, pairs, table } from "./table.ts";
import { targetResult as judge, type TargetResult } from "./targets.ts";
import type { WriteResult } from "./writes.ts";

export interface SearchPageData {
  scales: SearchScale[];
  /** At the first scale. */
  written: WriteResult[];
  rounds: number;
  machine: Array<[string, string]>;
}

/** Milliseconds, up to so many hosts. */
const LIMITS: Array<[hosts: number, limit: number]> = [
  [100_000, 5],
  [1_000_000, 20],
];
/** Megabytes, up to as many hosts as the first limit is for. */
const MEMORY = 200;
/** Times. */
const UPKEEP = 2;

export async function write(directory: string, data: SearchPageData): Promise<TargetResult[]> {
  const judged = [...data.scales.flatMap(verdicts), ...data.written.map(upkeep)];
  await Bun.write(join(directory, "search.md"), page(data, judged));
  return judged;
}

function verdicts(scale: SearchScale): TargetResult[] {
  const limit = limitOf(scale);
  const missed = scale.results.filter((one) => isMissed(one, limit)).length;
  const [slowest] = scale.results.toSorted((one, other) => slowness(other) - slowness(one));
  const latency = {
    target: `${count(scale.hosts)} hosts: a p50 of at most ${limit} ms inside the process for every query, after its first call`,
    found: `${scale.results.length - missed} of ${scale.results.length} queries; the slowest is ${slowest?.query.kind}, ${formatSpread(spread(slowest?.inside ?? []))}`,
    isMet: missed === 0,
  };
  const memory = {
    target: `${count(scale.hosts)} hosts: less than ${MEMORY} MB of memory`,
    found: formatSpread(spread(scale.memory)),
    isMet: median(scale.memory) < MEMORY,
  };
  return limit === LIMITS[0]?.[1] ? [latency, memory] : [latency];
}

function upkeep(written: WriteResult): TargetResult {
  const target = `${written.write.name}: at most ${UPKEEP} times its CPU time without the indexes of the search`;
  const verdict = judge(target, toBare(written), UPKEEP);
  return { ...verdict, isMet: verdict.isMet && failures(written) === 0 };
}

function failures({ whole, bare }: WriteResult): number {
  return [...whole, ...bare].reduce((sum, one) => sum + one.failed, 0);
}

function toBare({ whole, bare }: WriteResult): Spread | undefined {
  return ratio(whole.map(total), bare.map(total));
}

function limitOf({ hosts }: SearchScale): number {
  return LIMITS.find(([most]) => hosts <= most)?.[1] ?? Number.POSITIVE_INFINITY;
}

/** A refused query counts as missed. */
function isMissed(results: QueryResult, limit: number): boolean {
  return results.warm.some(({ failed }) => failed > 0) || !(slowness(results) <= limit);
}

function slowness({ inside }: QueryResult): number {
  return median(inside);
}

function page(
  { scales, written, rounds, machine }: SearchPageData,
  judged: TargetResult[],
): string {
  return `# The search of hosts at scale

Written by \`npm run bench -- --search\`, with \`--million\` also for a million hosts; \`many_hosts.sql\` creates them once.

${pairs(machine)}

\`GET /api/v1/network/hosts/search?q=…\`, the first page of records and the total, over one connection without a pause.
${rounds} rounds, each in a new process: first every query is sent once, then each one for ${SECONDS} seconds.
Medians of the rounds, with minimum and maximum: latency in milliseconds, CPU time in microseconds for each request.
"inside" is the p50 in the log of the process; the other columns are measured by the client.

## Targets

${judgements(judged)}

${scales.map((scale, at) => section(scale, at === 0)).join("\n\n")}

${writing(written)}
`;
}

/** The kinds of queries are named once, in the first table. */
function section(scale: SearchScale, isFirst: boolean): string {
  const limit = limitOf(scale);
  const from = isFirst ? 0 : 1;
  const rows = scale.results.map((one) => cells(one, isMissed(one, limit)).slice(from));
  return `## ${count(scale.hosts)} hosts with ${count(scale.hosts * 1.5)} interfaces

Start-up takes ${formatSpread(spread(scale.startups))} ms; after all queries the process has ${formatSpread(spread(scale.memory))} MB of memory.

${table(HEADINGS.slice(from), rows)}`;
}

const HEADINGS = [
  ...["", "q", "found", "first call", "inside", "p50", "p99"],
  ...["a second", "CPU, Cadastre", "CPU, PostgreSQL"],
];

function cells({ query, found, first, inside, warm }: QueryResult, isMissed: boolean): string[] {
  return [
    query.kind,
    `\`${query.q}\``,
    /^\d+$/.test(found) ? count(Number(found)) : found,
    formatSpread(spread(first)),
    isMissed ? `**${formatSpread(spread(inside))}**` : formatSpread(spread(inside)),
    ...(["p50", "p99", "rate", "app", "postgres"] as const).map((name) => each(warm, name)),
  ];
}

function writing(written: WriteResult[]): string {
  return `## Writing a host

On two copies of the ${count(LIMITS[0]?.[0] ?? 0)} hosts, alternately: one with the indexes and triggers that only the search needs, one without. Pending entries of
GIN indexes are merged and counted. CPU time of Cadastre and PostgreSQL in microseconds, latency in milliseconds.

${table(["", "CPU", "without", "ratio", "p50", "without"], written.map(writtenCells))}`;
}

function writtenCells(written: WriteResult): string[] {
  const { write, whole, bare } = written;
  const failed = failures(written);
  const cost = (samples: Sample[]) => formatSpread(spread(samples.map(total)));
  return [
    failed > 0 ? `${write.name} (**${failed} failed**)` : write.name,
    ...[cost(whole), cost(bare), formatSpread(toBare(written))],
    ...[each(whole, "p50"), each(bare, "p50")],
  ];
}

function each(samples: Sample[], name: keyof Sample): string {
  return formatSpread(spread(samples.map((one) => one[name])));
}

function count(value: number): string {
  return value.toLocaleString("en");
}

// Writes the results page, README.md, and its plots.
import { join } from "node:path";
import type { Size } from "./data.ts";
import { limitVerdicts } from "./limits.ts";
import { limitsText } from "./limits_page.ts";
import { WRITE_SECONDS, WRITE_TURNS } from "./limits_writes.ts";
import { type Sample, SECONDS, total } from "./measure.ts";
import type { MissingFigure } from "./missing.ts";
import { formatSpread, median, spread } from "./numbers.ts";
import type { BenchOperation } from "./operations.ts";
import { type Measured, overview } from "./overview.ts";
import { type PlotLine, plot } from "./plots.ts";
import { type LatencyByClients, type OperationRow, toBareName, toPgbenchName } from "./run.ts";
import { judgements, pairs, table } from "./table.ts";
import { largest, type TargetResult, toBare, toConstant, toPgbench, verdicts } from "./targets.ts";

export interface PageData extends Measured {
  missing: MissingFigure[];
  rounds: number;
  machine: Array<[string, string]>;
  seconds: number;
}

export async function write(directory: string, data: PageData): Promise<TargetResult[]> {
  const judged = [...limitVerdicts(data.limits), ...verdicts(data.results)];
  const { rows, crowds } = data.results;
  const growthOf = (which: BenchOperation["plot"]) =>
    growth(
      data.sizes,
      rows.filter(({ operation }) => operation.plot === which),
    );
  const hasSoak = await Bun.file(join(directory, "soak.md")).exists();
  const files = {
    "README.md": readme(data, { judged, hasSoak }),
    "latency.svg": latency(crowds),
    "growth_items.svg": growthOf("items"),
    "growth_hosts.svg": growthOf("hosts"),
    "growth_searches.svg": growthOf("searches"),
    "growth_others.svg": growthOf("others"),
  };
  const written = Object.entries(files).map(([name, text]) =>
    Bun.write(join(directory, name), text),
  );
  await Promise.all(written);
  return judged;
}

function latency(crowds: LatencyByClients[]): string {
  return plot({
    title: "Latency by the number of clients",
    along: "clients",
    at: String,
    unit: "milliseconds, median and 99th percentile",
    lines: crowds.flatMap(({ name, samples }) => [
      crowdLine(name, samples, "p50"),
      crowdLine(`${name}, 99th`, samples, "p99"),
    ]),
  });
}

function growth([smallest]: Size[], rows: OperationRow[]): string {
  const unit = smallest && `${count(smallest.items)} items and ${count(smallest.hosts)} hosts`;
  return plot({
    title: "CPU time of a request by the size of the data",
    along: `size of the data, 1x is ${unit}`,
    at: (times) => `${times}x`,
    unit: "milliseconds of CPU time of Cadastre and PostgreSQL",
    lines: rows.map(growthLine),
  });
}

function crowdLine(label: string, samples: Map<number, Sample[]>, which: "p50" | "p99"): PlotLine {
  const points = [...samples].map(([at, some]) => ({
    at,
    value: median(some.map((one) => one[which])),
  }));
  return { label, points };
}

function growthLine({ operation, ours }: OperationRow): PlotLine {
  const points = [...ours].map(([label, some]) => ({
    at: Number.parseInt(label, 10),
    value: median(some.map(total)) / 1_000,
  }));
  return { label: operation.name, points };
}

interface ReadmeOptions {
  judged: TargetResult[];
  hasSoak: boolean;
}

function readme(data: PageData, { judged, hasSoak }: ReadmeOptions): string {
  const met = judged.filter(({ isMet }) => isMet).length;
  return `# bench: the speed of Cadastre

${overview(data)}
## Targets

${met} of ${judged.length} are met. Ratios are medians of the rounds, with the least and the most.

${judgements(judged)}
${missingText(data.missing)}
## How it is measured

Written by \`npm run bench\`, which needs Linux, wrk and pgbench. It keeps its data for the next run (\`--fresh\` creates it again).
\`--million\` adds a million hosts. Minutes of mixed reading and writing are \`npm run bench -- --soak\`${hasSoak ? ": see [soak.md](soak.md)" : ", which writes soak.md"}.

${pairs(data.machine)}

${methodText(data)}

${limitsText(data.limits)}

## Each operation, on the largest data

Latency is in milliseconds, CPU time in microseconds for each request, memory in megabytes: medians of the rounds, with minimum and maximum.
The ratios compare CPU time: of Cadastre with a bare Bun.serve that returns a constant, of Cadastre and PostgreSQL with the bare route and with
pgbench. Writes and feeds cannot be repeated, and have none. Searches may cost less: some of their statements are planned once for all values.

${table(
  HEADINGS,
  data.results.rows.map((row) => cells(row, data)),
)}

${others(data)}

## Plots

![Latency by clients](latency.svg)

![CPU time of items](growth_items.svg)

![CPU time of hosts](growth_hosts.svg)

![CPU time of searches](growth_searches.svg)

![CPU time of pages, feeds and creations](growth_others.svg)

## The map

| file | what is there |
|---|---|
${MAP.map(([file, what]) => `| ${file} | ${what} |`).join("\n")}

The reasons are in [decisions.md](decisions.md).
`;
}

function methodText({ sizes, rounds, seconds }: PageData): string {
  const data = sizes.map(
    ({ label, items, hosts }) =>
      `${label} is ${count(items)} items and ${count(hosts)} hosts with about ${count(hosts * 3)} interfaces`,
  );
  return `${rounds} ${rounds === 1 ? "round" : "rounds"}, ${Math.round(seconds / 60)} minutes. Each round measures each operation for ${SECONDS} seconds, one after the other. The writes with a limit are measured for ${WRITE_SECONDS} seconds, ${WRITE_TURNS} times in each round and in
turn with their limits. ${data.join(", ")}. Eight clients send requests without a pause and share the machine
with the servers, so the ratios say more than the rates.
Everything is compiled, and connections are open, before the first round: a service that was just started needs up to twice as much.
The bare route is an Elysia route that sends the same prepared statements as Cadastre and returns the first JSON of PostgreSQL, without
authentication. Searches of many hosts are measured by \`npm run bench -- --search\`: see [search.md](search.md).`;
}

const HEADINGS = [
  "",
  "a second",
  "p50",
  "p99",
  "CPU, Cadastre",
  "CPU, PostgreSQL",
  "peak memory",
  "to a constant",
  "to a bare route",
  "to pgbench",
];

function cells(row: OperationRow, { results, missing }: PageData): string[] {
  const samples = row.ours.get(largest(row)) ?? [];
  const of = (field: keyof Sample) => formatSpread(spread(samples.map((one) => one[field])));
  const failed = samples.reduce((sum, one) => sum + one.failed, 0);
  const name = failed > 0 ? `${row.operation.name} (**${failed} failed**)` : row.operation.name;
  return [
    name,
    of("rate"),
    of("p50"),
    of("p99"),
    of("app"),
    of("postgres"),
    of("peak"),
    formatSpread(toConstant(row, results.constant)),
    isMissing(toBareName(row.operation), missing) ? MISSING : formatSpread(toBare(row)),
    isMissing(toPgbenchName(row.operation), missing) ? MISSING : formatSpread(toPgbench(row)),
  ];
}

const MISSING = "[missing](#not-measured)";

function isMissing(wanted: string, missing: MissingFigure[]): boolean {
  return missing.some(({ name }) => name === wanted);
}

function missingText(missing: MissingFigure[]): string {
  if (missing.length === 0) return "";
  const rows = missing.map(({ name, reason }) => [name, reason.replaceAll("|", "\\|")]);
  return `
## Not measured

These could not be measured, so the run ended with exit code 1.

${table(["", "reason"], rows)}
`;
}

function others({ results }: PageData): string {
  const { constant, exports, starts } = results;
  const some = <Sampled>(samples: Sampled[], value: (one: Sampled) => number) =>
    formatSpread(spread(samples.map(value)));
  return pairs([
    [
      "A constant from a bare Bun.serve",
      `${some(constant, ({ rate }) => rate)} a second, ${some(constant, ({ app }) => app)} µs of CPU time each`,
    ],
    [
      "Start, to the first successful response",
      `${some(starts, ({ milliseconds }) => milliseconds)} ms`,
    ],
    ["Memory at rest", `${some(starts, ({ memory }) => memory)} MB`],
    [
      "All items as an Excel file",
      `${some(exports, ({ seconds }) => seconds)} s; ${some(exports, ({ app }) => app)} s of CPU time of Cadastre, ${some(exports, ({ postgres }) => postgres)} s of PostgreSQL; peak ${some(exports, ({ peak }) => peak)} MB`,
    ],
  ]);
}

const MAP: Array<[string, string]> = [
  ["main.ts run.ts test_bed.ts", "the command, the rounds, and the servers that they measure"],
  ["operations.ts targets.ts", "the operations, and their targets"],
  [
    "limits.ts limits_run.ts limits_page.ts overview.ts",
    "rows with a limit or a growth, their targets, and what users ask",
  ],
  [
    "limits_writes.ts bare_writes.ts limits_reads.ts limits_scale.ts limits_files.ts limits_feeds.ts",
    "what these rows measure, and the limits written by hand",
  ],
  ["memory.ts soak.ts", "memory after load, and minutes of mixed load"],
  [
    "search.ts search_queries.ts writes.ts search_page.ts",
    "the search of many hosts, its cost for writes, and search.md",
  ],
  ["data.ts many_hosts.sql", "the databases: created once for each size, copied for each run"],
  [
    "served.ts bare.ts record_statements.ts",
    "Cadastre, the bare routes, and the statements that both send",
  ],
  ["measure.ts load.ts load.lua pgbench.ts processes.ts", "load, and its CPU time"],
  ["recorded.ts missing.ts", "statements between processes, and figures that are missing"],
  ["page.ts plots.ts table.ts numbers.ts machine.ts", "this page"],
];

function count(value: number): string {
  return value.toLocaleString("en");
}

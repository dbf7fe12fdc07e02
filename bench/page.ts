// The page of results, README.md, and its plots.
import { join } from "node:path";
import type { Size } from "./data.ts";
import { type Sample, total } from "./measure.ts";
import { median, ratio, short, shown } from "./numbers.ts";
import { type Line, plot } from "./plots.ts";
import type { Crowd, Results, Row } from "./run.ts";
import { largest, toBare, toPgbench, type Verdict, verdicts } from "./targets.ts";

export interface Told {
  results: Results;
  sizes: Size[];
  rounds: number;
  machine: Array<[string, string]>;
  seconds: number;
}

export async function write(directory: string, told: Told): Promise<Verdict[]> {
  const judged = verdicts(told.results);
  const { rows, crowds } = told.results;
  const scaled = rows.filter(({ operation }) => operation.scaled);
  const [found, read] = [scaled.filter(isSearch), scaled.filter((row) => !isSearch(row))];
  const files = {
    "README.md": readme(told, judged),
    "latency.svg": latency(crowds),
    "growth.svg": growth("What a request costs, by how much data there is", read),
    "searches.svg": growth("What a search costs, by how much data there is", found),
  };
  const written = Object.entries(files).map(([name, text]) =>
    Bun.write(join(directory, name), text),
  );
  await Promise.all(written);
  return judged;
}

function isSearch({ operation }: Row): boolean {
  return operation.path.includes("?q=");
}

function latency(crowds: Crowd[]): string {
  return plot({
    title: "How long one waits, by how many ask at once",
    along: "clients",
    at: String,
    unit: "milliseconds, median and 99th percentile",
    lines: crowds.flatMap(({ name, samples }) => [
      crowdLine(name, samples, "p50"),
      crowdLine(`${name}, 99th`, samples, "p99"),
    ]),
  });
}

function growth(title: string, rows: Row[]): string {
  return plot({
    title,
    along: "size of the data",
    at: (times) => `${times}x`,
    unit: "milliseconds of CPU time, of Cadastre and PostgreSQL",
    lines: rows.map(growthLine),
  });
}

function crowdLine(label: string, samples: Map<number, Sample[]>, which: "p50" | "p99"): Line {
  const points = [...samples].map(([at, some]) => ({
    at,
    value: median(some.map((one) => one[which])),
  }));
  return { label, points };
}

function growthLine({ operation, ours }: Row): Line {
  const points = [...ours].map(([label, some]) => ({
    at: Number.parseInt(label, 10),
    value: median(some.map(total)) / 1_000,
  }));
  return { label: operation.name, points };
}

function readme(told: Told, judged: Verdict[]): string {
  return `# bench: the speed of Cadastre

Written by \`npm run bench\`, which needs Linux and wrk, and pgbench to compare with it. It makes its data, keeps them for the
next time (\`--fresh\` makes them anew), measures, and writes this page.

${table(["", ""], told.machine)}

${howItWasMeasured(told)}

## Targets

${table(
  ["target", "found (least–most)", ""],
  judged.map(({ target, found, isMet }) => [target, found, isMet ? "met" : "**missed**"]),
)}

## Each operation, on the largest data

Times are milliseconds, CPU times microseconds for each request, memory megabytes; medians of the rounds. The ratios are of the CPU time of
Cadastre and PostgreSQL together to that of the bare route, and of pgbench, with PostgreSQL; with the least and the most of the rounds.

${table(HEADINGS, told.results.rows.map(cells))}

${others(told)}

## Plots

![Latency against the number of clients](latency.svg)

![CPU time against the size of the data](growth.svg)

![CPU time of searches against the size of the data](searches.svg)

## The map

| file | what is there |
|---|---|
${MAP.map(([file, what]) => `| ${file} | ${what} |`).join("\n")}
`;
}

function howItWasMeasured({ sizes, rounds, seconds }: Told): string {
  const data = sizes.map(
    ({ label, items, hosts }) =>
      `${label} is ${count(items)} items and ${count(hosts)} hosts with ${count(hosts * 3)} interfaces`,
  );
  return `${rounds} rounds, ${Math.round(seconds / 60)} minutes. In each round everything is measured for a second or two, one thing after the other, so that whatever else
the machine does befalls all alike; less data, and what is not compared with a bare route, take part in the first two rounds alone. ${data.join(", ")}. Unless said otherwise,
eight clients ask without a pause; load generator and servers share the machine, so the ratios tell more than the rates. The bare route
is Elysia that sends the very statements that Cadastre was overheard to send, prepared, and answers what PostgreSQL says, without any token.
Lists are read again while nobody writes: their totals are then known already.`;
}

const HEADINGS = [
  "",
  "a second",
  "p50",
  "p99",
  "CPU, Cadastre",
  "CPU, PostgreSQL",
  "peak memory",
  "to a bare route",
  "to pgbench",
];

function cells(row: Row): string[] {
  const samples = row.ours.get(largest(row)) ?? [];
  const of = (field: keyof Sample) => short(median(samples.map((one) => one[field])));
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
    shown(toBare(row)),
    shown(toPgbench(row)),
  ];
}

function others({ results }: Told): string {
  const { constant, rows, exports, startups, atRest } = results;
  const one = rows.find(({ operation }) => operation.name === "One item");
  const ours = one?.ours.get(largest(one)) ?? [];
  const toConstant = ratio(
    ours.map(({ app }) => app),
    constant.map(({ app }) => app),
  );
  const of = (field: "seconds" | "app" | "postgres" | "peak") =>
    short(median(exports.map((some) => some[field])));
  return table(
    ["", ""],
    [
      [
        "A constant from a bare Bun.serve",
        `${short(median(constant.map(({ rate }) => rate)))} a second, ${short(median(constant.map(({ app }) => app)))} µs of CPU time each; one item costs Cadastre ${shown(toConstant)} times that, without PostgreSQL`,
      ],
      [
        "Start-up, to the first good answer",
        `${short(median(startups))} ms (${short(Math.min(...startups))}–${short(Math.max(...startups))})`,
      ],
      ["Memory at rest", `${short(atRest)} MB`],
      [
        "All items as an Excel file",
        `${of("seconds")} s; ${of("app")} s of CPU time of Cadastre, ${of("postgres")} s of PostgreSQL; peak ${of("peak")} MB`,
      ],
    ],
  );
}

const MAP: Array<[string, string]> = [
  ["main.ts run.ts stand.ts", "the command, the rounds, and what has to run for them"],
  ["operations.ts targets.ts", "what is measured, and what is to be reached"],
  ["data.ts", "the databases: seeded once for each size, copied for each run"],
  [
    "served.ts bare.ts overheard.ts",
    "Cadastre, what it is compared with, and the statements that both send",
  ],
  ["measure.ts load.ts load.lua pgbench.ts processes.ts", "load, and what it costs"],
  ["page.ts plots.ts numbers.ts machine.ts", "this page"],
];

function count(value: number): string {
  return value.toLocaleString("en");
}

function table(headings: string[], rows: string[][]): string {
  const line = (some: string[]) => `| ${some.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

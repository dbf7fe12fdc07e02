// The figures of a run, for people.
import { cpus } from "node:os";
import { type Cost, costOf, type FailureResult, spread } from "./figures.ts";
import type { Load } from "./load.ts";
import type { Verdict } from "./verify.ts";

export interface RunReport {
  results: readonly FailureResult[];
  load: Load;
  verdict: Verdict;
  /** In seconds. */
  duration: number;
  /** Failures during which the primary moved, though it need not have. */
  unplanned: readonly string[];
  versions: string;
}

const MOST_SECONDS_OF_READS = 10;
const MOST_SECONDS_BACK = 5;

export function describeRun(report: RunReport): string {
  const { verdict, load, unplanned } = report;
  return [
    ...table(report),
    "",
    `${verdict.acknowledged} acknowledged, ${verdict.lost.length} lost, ${verdict.twice.length} twice, ${verdict.extra.length} extra`,
    `unplanned: ${unplanned.length}; unexpected: ${load.unexpected.length} ${load.unexpected.slice(0, 5).join("; ")}`,
  ].join("\n");
}

export function pageOf(report: RunReport): string {
  const { results, load, verdict, duration, unplanned, versions } = report;
  const costs = results.map((result) => costOf(result, load));
  const slow = costs.filter(({ reads }) => reads > MOST_SECONDS_OF_READS).length;
  const late = costs.filter(({ back = 0 }) => back > MOST_SECONDS_BACK).length;
  return `# Failures of a cluster

Written by \`npm run failover\`, which makes the cluster of [scale.md](scale.md#a-cluster-that-survives-a-machine) with
the files in [docs/cluster](cluster/): three machines, each with etcd, Patroni and PostgreSQL, and three instances of
Cadastre behind haproxy, under 16 writers and 16 readers. The machines are network namespaces of one machine with
${cpus().length} cores, with their files in its memory. ${versions}.

${new Date().toISOString().slice(0, 10)}: ${results.length} failures in ${Math.round(duration / 60)} minutes.

| | |
|---|---|
| writes acknowledged | ${count(verdict.acknowledged)} |
| acknowledged writes lost | ${verdict.lost.length} |
| addresses or names twice | ${verdict.twice.length} |
| hosts that no writer was told of | ${verdict.extra.length} |
| answers other than 200, 201, 502, 503, 504 and none | ${load.unexpected.length} |
| reads that failed, of all | ${share(load.reads, 200)} |
| attempts to write that failed, of all; each was repeated until it was acknowledged | ${share(load.writes, 201)} |
| failures with more than ${MOST_SECONDS_OF_READS} s of failing reads | ${slow} |
| failures with more than ${MOST_SECONDS_BACK} s from the new primary to the last client that works | ${late} |
| failures during which the primary moved without need | ${unplanned.length} |

Seconds, median and most. Reads and writes fail from the first failed request of a client to its next good one, for the
client with the longest time. The last column is from the new primary to the last client that works again.

${table(report).join("\n")}

Every host was sent again under its \`Idempotency-Key\` until it was acknowledged. At the end each acknowledged name and
address is looked up in the database.
`;
}

function table({ results, load }: RunReport): string[] {
  const kinds = [...Map.groupBy(results, ({ name }) => name)];
  const rows = kinds.map(([name, own]) => {
    const costs = own.map((result) => costOf(result, load));
    const of = (figure: (cost: Cost) => number | undefined) =>
      shown(costs.flatMap((cost) => figure(cost) ?? []));
    const cells = [
      of(({ untilPrimary }) => untilPrimary),
      of(({ reads }) => reads),
      of(({ writes }) => writes),
      of(({ back }) => back),
    ];
    return `| ${name} | ${own.length} | ${cells.join(" | ")} |`;
  });
  return [
    "| failure | times | new primary after | reads fail | writes fail | back after |",
    "|---|---|---|---|---|---|",
    ...rows.sort(),
  ];
}

function shown(values: readonly number[]): string {
  const found = spread(values);
  return found ? `${found.median.toFixed(1)}, ${found.most.toFixed(1)}` : "";
}

function share(attempts: Load["reads"], good: number): string {
  const failed = attempts.filter(({ status }) => status !== good).length;
  return `${count(failed)} of ${count(attempts.length)}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

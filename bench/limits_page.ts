// The parts of the page about limits and growth.
import {
  count,
  type GrowthRow,
  isMet,
  type LimitRow,
  limitRows,
  listName,
  networkGrowth,
  readGrowth,
  twiceText,
} from "./limits.ts";
import { AFTER_WRITE, type AfterWrite, AT_A_MILLION } from "./limits_reads.ts";
import type { Limits } from "./limits_run.ts";
import { inAll, type Memory } from "./memory.ts";
import { formatNumber, formatSpread, median, percentile, spread } from "./numbers.ts";
import { table } from "./table.ts";

export function limitsText(limits: Limits): string {
  return `## Against the limit

Milliseconds of CPU time for each operation, and the least that the same could cost: a bare Bun route with statements written by hand, which knows
neither users nor rules nor the search; one \`COPY\` of the same rows for a file; and the JSON of the same rows for a page. Reads are on the most hosts.

${table(LIMIT_HEADINGS, limitRows(limits).map(limitCells))}

No address may be given twice: ${twiceText(limits)}.

## How far it goes

Milliseconds of CPU time of Cadastre and PostgreSQL together. The ratio is that of the most to the fewest.

${growthTable(readGrowth(limits), "hosts")}

The same for a new host in a network with so many addresses in use:

${growthTable([networkGrowth(limits)], "in use")}

### Lists right after a write

Milliseconds of a request by a single client, median and 99th percentile. The target is a 99th percentile of at most ${AFTER_WRITE} ms right after a write, ${AT_A_MILLION} ms with a million hosts. A reader
does not see everything.

${listTable(limits)}

${memoryText(limits)}`;
}

const LIMIT_HEADINGS = [
  "",
  "CPU, Cadastre",
  "CPU, PostgreSQL",
  "the limit",
  "what the limit is",
  "ratio",
  "target",
  "",
];

function limitCells(row: LimitRow): string[] {
  return [
    withFailures(row),
    formatSpread(spread(row.service)),
    formatSpread(spread(row.postgres)),
    formatSpread(spread(row.limit)),
    row.by,
    formatSpread(row.found),
    ...judged(row),
  ];
}

function growthTable(rows: GrowthRow[], unit: string): string {
  const amounts = [...(rows[0]?.costs.keys() ?? [])];
  return table(
    ["", ...amounts.map((amount) => `${count(amount)} ${unit}`), "ratio"],
    rows.map((row) => [
      withFailures(row),
      ...amounts.map((amount) => formatSpread(spread(row.costs.get(amount) ?? []))),
      formatSpread(row.found),
    ]),
  );
}

function withFailures({ name, failed }: LimitRow | GrowthRow): string {
  return failed > 0 ? `${name} (**${failed} failed**)` : name;
}

/** The target, and whether it is met. */
function judged(row: LimitRow): string[] {
  return row.target ? [row.target.sentence, isMet(row) ? "met" : "**missed**"] : ["no target", ""];
}

function listTable({ reads }: Limits): string {
  const sizes = [...reads.lists.keys()];
  const [first = []] = reads.lists.values();
  const headings = sizes.flatMap((hosts) => [
    `${count(hosts)} hosts, quiet`,
    "right after a write",
  ]);
  const rows = first.map((list, at) => [
    listName(list),
    ...sizes.flatMap((hosts) => listCells(reads.lists.get(hosts)?.[at])),
  ]);
  return table(["", ...headings], rows);
}

function listCells(list: AfterWrite | undefined): string[] {
  return list ? [times(list.quiet), times(list.after)] : ["", ""];
}

function times(values: number[]): string {
  return `${formatNumber(median(values))}, ${formatNumber(percentile(values, 0.99))}`;
}

function memoryText({ memory }: Limits): string {
  if (!memory) return "Memory was not measured: that needs PostgreSQL on the same machine.";
  const cells = (name: string, one: Memory) => [
    name,
    ...[one.service, one.postgres, inAll(one)].map((megabytes) => megabytes.toFixed(0)),
  ];
  return `### Memory

Megabytes (PSS).

${table(
  ["", "Cadastre", "PostgreSQL", "together"],
  [
    cells("At rest", memory.atRest),
    cells("After a minute of every operation in turn", memory.afterLoad),
    cells("After 200 logins", memory.afterLogins),
  ],
)}`;
}

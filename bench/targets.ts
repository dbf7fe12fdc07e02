// The targets, as ratios within one run, and whether they are met.
import { type Sample, total } from "./measure.ts";
import { formatSpread, ratio, type Spread } from "./numbers.ts";
import type { OperationRow, Results } from "./run.ts";

export interface TargetResult {
  target: string;
  found: string;
  isMet: boolean;
}

const LIST = 1.6;
const PAGE = 2.5;
const GROWTH = 1.3;
const DEEP = 5;

const LISTS = ["Items, first page", "Hosts, first page", "One item", "One host"];
const PAGES = ["Page of the hosts", "Page of the items", "Page of an item"];
const STEADY = [
  "Items, first page",
  "Items, filtered by status",
  "Hosts, first page",
  "Hosts, filtered by device type",
  "One item",
  "One host",
];

export function verdicts(results: Results): TargetResult[] {
  const rows = new Map(results.rows.map((row) => [row.operation.name, row]));
  const of = (names: string[], judge: (row: OperationRow) => TargetResult) =>
    names.flatMap((name) => rows.get(name) ?? []).map(judge);
  return [
    ...of(LISTS, (row) => againstBare(row, LIST)),
    ...of(PAGES, (row) => againstBare(row, PAGE)),
    ...of(STEADY, growth),
    ...["Items", "Hosts"].flatMap((kind) => {
      const [first, deep] = [
        rows.get(`${kind}, first page`),
        rows.get(`${kind}, the 1,000th page`),
      ];
      return first && deep ? [depth(kind, ratio(cpuTimes(deep), cpuTimes(first)))] : [];
    }),
  ];
}

/** CPU time for each request, of the service and PostgreSQL, round by round. */
export function cpuTimes(row: OperationRow, size = largest(row)): number[] {
  return (row.ours.get(size) ?? []).map(total);
}

export function largest(row: OperationRow): string {
  return [...row.ours.keys()].at(-1) ?? "";
}

export function toBare(row: OperationRow): Spread | undefined {
  return ratio(cpuTimes(row), row.bare.map(total));
}

/** Without PostgreSQL, which a constant does not need. */
export function toConstant(row: OperationRow, constant: Sample[]): Spread | undefined {
  const ours = row.ours.get(largest(row)) ?? [];
  return ratio(
    ours.map(({ app }) => app),
    constant.map(({ app }) => app),
  );
}

export function toPgbench(row: OperationRow): Spread | undefined {
  return ratio(cpuTimes(row), row.pgbench.map(total));
}

function againstBare(row: OperationRow, most: number): TargetResult {
  const target = `${row.operation.name}: at most ${most} times the CPU time of a bare route`;
  const verdict = targetResult(target, toBare(row), most);
  return { ...verdict, isMet: verdict.isMet && samples(row).every(({ failed }) => failed === 0) };
}

function growth(row: OperationRow): TargetResult {
  const [smallest = ""] = row.ours.keys();
  const target = `${row.operation.name}: at most ${GROWTH} times the CPU time on ${largest(row)} the data`;
  return targetResult(target, ratio(cpuTimes(row), cpuTimes(row, smallest)), GROWTH);
}

function depth(kind: string, found: Spread | undefined): TargetResult {
  return targetResult(
    `${kind}: the 1,000th page within ${DEEP} times of the CPU time of the first`,
    found,
    DEEP,
  );
}

export function targetResult(
  target: string,
  found: Spread | undefined,
  most: number,
): TargetResult {
  const isMet = found !== undefined && found.median <= most;
  return { target, found: formatSpread(found) || "not measured", isMet };
}

function samples(row: OperationRow | undefined): Sample[] {
  return row?.ours.get(largest(row)) ?? [];
}

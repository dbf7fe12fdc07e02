// The targets, and whether they are met: what people feel, in milliseconds, and how much more it costs than a bare route.
import { type Sample, total } from "./measure.ts";
import { formatSpread, ratio, type Spread, spread } from "./numbers.ts";
import type { OperationRow, Results } from "./run.ts";

export interface TargetResult {
  target: string;
  found: string;
  isMet: boolean;
}

/** The CPU time of a record or a list, to that of a bare route. */
const BARE = 3;
/** The 99th percentile in milliseconds, of eight clients without a pause. */
const FELT = 75;
/** The same of what looks at all records. */
const FELT_OF_ALL = 150;

const LISTS = ["Items, first page", "Hosts, first page", "One item", "One host"];

export function verdicts(results: Results): TargetResult[] {
  const { rows } = results;
  return [
    ...rows.filter(({ operation }) => operation.isRead).map(felt),
    ...rows.filter(({ operation }) => LISTS.includes(operation.name)).map(againstBare),
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

function felt(row: OperationRow): TargetResult {
  const most = row.operation.readsAll ? FELT_OF_ALL : FELT;
  const target = `${row.operation.name}: a p99 of at most ${most} ms`;
  return withoutFailures(
    row,
    targetResult(target, spread(samples(row).map(({ p99 }) => p99)), most),
  );
}

function againstBare(row: OperationRow): TargetResult {
  const target = `${row.operation.name}: at most ${BARE} times the CPU time of a bare route`;
  return withoutFailures(row, targetResult(target, toBare(row), BARE));
}

function withoutFailures(row: OperationRow, verdict: TargetResult): TargetResult {
  return { ...verdict, isMet: verdict.isMet && samples(row).every(({ failed }) => failed === 0) };
}

export function targetResult(
  target: string,
  found: Spread | undefined,
  most: number,
): TargetResult {
  const isMet = found !== undefined && found.median <= most;
  return { target, found: formatSpread(found) || "not measured", isMet };
}

function samples(row: OperationRow): Sample[] {
  return row.ours.get(largest(row)) ?? [];
}

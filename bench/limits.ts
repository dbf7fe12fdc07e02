// The rows of "Against the limit" and "How far it goes", and their targets.
import {
  AFTER_WRITE,
  type AfterWrite,
  AT_A_MILLION,
  MILLION,
  READ_TARGETS,
} from "./limits_reads.ts";
import type { Limits } from "./limits_run.ts";
import type { ScaledRead } from "./limits_scale.ts";
import type { LimitedWrite } from "./limits_writes.ts";
import { type Sample, total } from "./measure.ts";
import { inAll, type MemoryResult } from "./memory.ts";
import { formatNumber, formatSpread, percentile, ratio, type Spread, spread } from "./numbers.ts";
import { CREATE_ALONE, CREATE_TOGETHER, MANY_CLIENTS } from "./operations.ts";
import { type TargetResult, targetResult } from "./targets.ts";

/** An operation beside its limit: milliseconds of CPU time, round by round. */
export interface LimitRow {
  name: string;
  service: number[];
  postgres: number[];
  limit: number[];
  /** What the limit is. */
  by: string;
  found: Spread | undefined;
  /** Undefined: it has no target. */
  target: LimitTarget | undefined;
  /** Requests that were not answered with success. */
  failed: number;
}

export interface LimitTarget {
  sentence: string;
  most: number;
}

/** An operation on more and more data: milliseconds of CPU time, round by round. */
export interface GrowthRow {
  name: string;
  /** By the amount of data. */
  costs: Map<number, number[]>;
  /** On the most data, to the fewest. */
  found: Spread | undefined;
  failed: number;
}

/** The CPU time of a write, to that of one statement by hand. */
const WRITE_LIMIT = 6;
/** Milliseconds of CPU time for a new host: a third of what the best of the other registers needs (overview.ts). */
const MOST_FOR_HOST = 12.6 / 3;
/** Megabytes. */
const MOST_MEMORY = 300;
const NOT_MEASURED = "not measured";

export function limitRows({ writes, reads, files, inventory }: Limits): LimitRow[] {
  const { anew: made, again: sent, unchanged: known } = inventory;
  const [anew, again, unchanged] = [made, sent, known].map(sums);
  const noLimit = { limit: [], by: "", found: undefined, target: undefined };
  return [
    ...writes.writes.map(writeRow),
    ...reads.reads.map((read) => readRow(read, reads.reads)),
    ...files.map(({ operation, service, postgres, copy }) => ({
      name: operation.name,
      service: service.map(thousandfold),
      postgres: postgres.map(thousandfold),
      limit: copy.map(thousandfold),
      by: "one COPY",
      found: ratio(postgres, copy),
      target: undefined,
      failed: 0,
    })),
    { name: "Ansible inventory, made anew", ...inventory.anew, ...noLimit, failed: 0 },
    {
      name: "Ansible inventory, unchanged, without an ETag",
      ...inventory.again,
      limit: anew ?? [],
      by: "the same, made anew",
      found: ratio(again ?? [], anew ?? []),
      target: undefined,
      failed: 0,
    },
    {
      name: "Ansible inventory, unchanged, with its ETag",
      ...inventory.unchanged,
      limit: anew ?? [],
      by: "the same, made anew",
      found: ratio(unchanged ?? [], anew ?? []),
      target: undefined,
      failed: 0,
    },
  ];
}

function writeRow({ name, ours, limit }: LimitedWrite): LimitRow {
  const row = {
    ...costs(ours),
    limit: limit.map(milliseconds),
    by: "one statement by hand",
    failed: failures([...ours, ...limit]),
  };
  if (name !== CREATE_TOGETHER)
    return {
      ...row,
      name,
      found: ratio(ours.map(total), limit.map(total)),
      target: atMost(WRITE_LIMIT),
    };
  return {
    ...row,
    name: `${name}: ${rates(ours)} a second, the limit ${rates(limit)}`,
    found: ratio(limit.map(rateOf), ours.map(rateOf)),
    target: undefined,
  };
}

function readRow(read: ScaledRead, all: ScaledRead[]): LimitRow {
  const target = READ_TARGETS.find(({ name }) => name === read.name);
  const other = all.find(({ name }) => name === target?.limit?.name);
  const ours = onMost(read);
  const limit = other ? onMost(other) : read.limit;
  return {
    name: read.name,
    ...costs(ours),
    limit: limit.map(milliseconds),
    by: target?.limit?.by ?? "statements by hand",
    found: ratio(ours.map(total), limit.map(total)),
    target: target && atMost(target.most),
    failed: failures([...ours, ...limit]),
  };
}

function onMost({ ours }: ScaledRead): Sample[] {
  return [...ours.values()].at(-1) ?? [];
}

/** By the number of hosts. */
export function readGrowth({ reads }: Limits): GrowthRow[] {
  return reads.reads.map(({ name, ours }) => growthRow(name, ours));
}

/** By the number of addresses in use in a network. */
export function networkGrowth({ writes }: Limits): GrowthRow {
  const byUse = new Map(writes.networks.map(({ used, samples }) => [used, samples]));
  return growthRow(CREATE_ALONE, byUse);
}

function growthRow(name: string, byAmount: Map<number, Sample[]>): GrowthRow {
  const all = [...byAmount.values()];
  return {
    name,
    costs: new Map([...byAmount].map(([amount, some]) => [amount, some.map(milliseconds)])),
    found: ratio((all.at(-1) ?? []).map(total), (all[0] ?? []).map(total)),
    failed: failures(all.flat()),
  };
}

export function isMet({ found, target, failed }: LimitRow): boolean {
  return target !== undefined && found !== undefined && found.median <= target.most && failed === 0;
}

export function limitVerdicts(limits: Limits): TargetResult[] {
  return [
    ...limitRows(limits).flatMap((row) => verdict(`${row.name}, to ${row.by}`, row)),
    hostVerdict(limits),
    ...millionVerdicts(limits),
    ...listVerdicts(limits),
    {
      target: "No address is given twice",
      found: twiceText(limits),
      isMet: limits.writes.twice === 0,
    },
    retryVerdict(limits),
    memoryVerdict(limits.memory),
  ];
}

function verdict(name: string, row: LimitRow): TargetResult[] {
  const { target, found } = row;
  if (!target) return [];
  return [
    {
      target: `${name}: ${target.sentence}`,
      found: formatSpread(found) || NOT_MEASURED,
      isMet: isMet(row),
    },
  ];
}

function listVerdicts({ reads }: Limits): TargetResult[] {
  if (reads.lists.size === 0)
    return [{ target: "Lists right after a write", found: NOT_MEASURED, isMet: false }];
  return [...reads.lists].map(([hosts, lists]) => {
    const most = feltOf(hosts);
    const slowest = lists
      .map((list) => ({ name: listName(list), p99: percentile(list.after, 0.99) }))
      .reduce((one, other) => (one.p99 >= other.p99 ? one : other), { name: "", p99: 0 });
    return {
      target: `Lists right after a write, ${count(hosts)} hosts: a p99 of at most ${most} ms`,
      found: `${formatNumber(slowest.p99)} ms, the slowest is ${slowest.name}`,
      isMet: slowest.p99 <= most,
    };
  });
}

export function listName({ path, as }: Pick<AfterWrite, "path" | "as">): string {
  return as === "reader" ? `${path}, for a reader` : path;
}

function retryVerdict({ writes: { rollbacks } }: Limits): TargetResult {
  return {
    target: `${MANY_CLIENTS} clients request addresses at once: no transaction is retried`,
    found: rollbacks === undefined ? NOT_MEASURED : `${rollbacks} rolled back`,
    isMet: rollbacks === 0,
  };
}

/** The 99th percentile that people may wait for a list, by the number of hosts. */
function feltOf(hosts: number): number {
  return hosts < MILLION ? AFTER_WRITE : AT_A_MILLION;
}

function millionVerdicts({ reads }: Limits): TargetResult[] {
  return reads.reads.flatMap(({ name, ours }) => {
    const samples = ours.get(MILLION);
    if (!samples) return [];
    const target = `${name}, with ${count(MILLION)} hosts: a p99 of at most ${AT_A_MILLION} ms`;
    return targetResult(target, spread(samples.map(({ p99 }) => p99)), AT_A_MILLION);
  });
}

function hostVerdict({ writes }: Limits): TargetResult {
  const { ours = [] } = writes.writes.find(({ name }) => name === CREATE_ALONE) ?? {};
  const target = `${CREATE_ALONE}: at most ${MOST_FOR_HOST.toFixed(1)} ms of CPU time, a third of the best other register`;
  return targetResult(target, spread(ours.map(milliseconds)), MOST_FOR_HOST);
}

export function memoryVerdict(memory: MemoryResult | undefined): TargetResult {
  const target = `Memory of the service and PostgreSQL together, after load: at most ${MOST_MEMORY} MB`;
  if (!memory) return { target, found: NOT_MEASURED, isMet: false };
  const megabytes = inAll(memory.afterLoad);
  const { failed } = memory;
  return {
    target,
    found: `${megabytes.toFixed(0)} MB${failed > 0 ? `, ${failed} requests failed` : ""}`,
    isMet: megabytes <= MOST_MEMORY && failed === 0,
  };
}

export function twiceText({ writes: { twice } }: Limits): string {
  return twice === undefined ? NOT_MEASURED : `${twice} twice`;
}

export function sums({ service, postgres }: Pick<LimitRow, "service" | "postgres">): number[] {
  return service.map((one, round) => one + (postgres[round] ?? 0));
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

function atMost(most: number): LimitTarget {
  return { sentence: `at most ${most} times the CPU time`, most };
}

function costs(samples: Sample[]): Pick<LimitRow, "service" | "postgres"> {
  return {
    service: samples.map(({ app }) => app / 1_000),
    postgres: samples.map(({ postgres }) => postgres / 1_000),
  };
}

function milliseconds(sample: Sample): number {
  return total(sample) / 1_000;
}

function thousandfold(seconds: number): number {
  return seconds * 1_000;
}

function rateOf({ rate }: Sample): number {
  return rate;
}

function rates(samples: Sample[]): string {
  return formatNumber(spread(samples.map(rateOf))?.median ?? Number.NaN);
}

function failures(samples: Sample[]): number {
  return samples.reduce((sum, { failed }) => sum + failed, 0);
}

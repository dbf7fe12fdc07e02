// Measures one period of load and its CPU time.
import { type Load, load } from "./load.ts";
import type { BenchOperation } from "./operations.ts";
import { type PgbenchOptions, pgbench } from "./pgbench.ts";
import { compilerTimeOf, cpuOf, forgetPeak, peakOf } from "./processes.ts";
import type { Credentials, RequestHeaders, Served } from "./served.ts";

export interface Sample {
  requests: number;
  /** Requests a second. */
  rate: number;
  /** In milliseconds; none of pgbench. */
  p50: number;
  p99: number;
  /** Microseconds of CPU time for each request, of the program and of PostgreSQL. */
  app: number;
  postgres: number;
  /** Of the program, in megabytes. */
  peak: number;
  /** Requests that were not answered with success. */
  failed: number;
}

/** The processes whose CPU time is counted: the server and the postmaster, if they run on this machine. */
export interface MeasuredProcesses {
  served?: Served;
  postmaster: number | undefined;
  /** Does work that PostgreSQL has deferred, so that it counts for what caused it. */
  catchUp?(): Promise<unknown>;
}

export function total({ app, postgres }: Sample): number {
  return app + postgres;
}

/** Extends a period in which no request was answered. */
const LONGEST = 8;

/**
 * Seconds of load before a sample: the service closes connections that were idle for ten seconds. Each that it opens again
 * costs 30 ms, and as much again until its statements are planned.
 */
const OPENING = 1;

/** Of writes, the load before it has to have other numbers. */
export async function measure(
  how: Load,
  payers: MeasuredProcesses,
  before = how.body === undefined ? how : undefined,
): Promise<Sample> {
  if (before) {
    await load({ ...before, seconds: OPENING });
    await payers.catchUp?.();
  }
  return sample(how, payers);
}

async function sample(how: Load, payers: MeasuredProcesses): Promise<Sample> {
  const pid = payers.served?.pid;
  if (pid !== undefined) forgetPeak(pid);
  const { result, app, postgres } = await withCpuTime(payers, () => load(how));
  const { requests, seconds, p50, p99, refused, broken } = result;
  if (requests === 0 && how.seconds < LONGEST) return sample(longer(how), payers);
  return {
    requests,
    rate: requests / seconds,
    p50,
    p99,
    app: (app / requests) * 1e6,
    postgres: (postgres / requests) * 1e6,
    peak: pid === undefined ? 0 : peakOf(pid),
    failed: refused + broken,
  };
}

/** Skips the numbers of requests that were not answered, because their records may exist. */
function longer({ from = 0, ...how }: Load): Load {
  return { ...how, from: from + how.clients, seconds: LONGEST };
}

export async function measurePgbench(
  asking: PgbenchOptions,
  payers: MeasuredProcesses,
): Promise<Sample> {
  const { result, postgres } = await withCpuTime(payers, () => pgbench(asking));
  const cost = (postgres / result.requests) * 1e6;
  return { ...result, p50: 0, p99: 0, app: 0, postgres: cost, peak: 0, failed: 0 };
}

/** The CPU time of some work, in seconds. */
export async function withCpuTime<T>(
  { served, postmaster, catchUp }: MeasuredProcesses,
  work: () => Promise<T>,
) {
  const used = () => ({
    app: served ? cpuOf(served.pid) : 0,
    postgres: postmaster === undefined ? 0 : cpuOf(postmaster),
  });
  const before = used();
  const result = await work();
  await catchUp?.();
  const after = used();
  return { result, app: after.app - before.app, postgres: after.postgres - before.postgres };
}

/** What the compiler takes of the CPU time of a program when hardly anything is left to compile. */
const COMPILED = 0.04;
/** Seconds. */
const LONGEST_WARM_UP = 20;

/**
 * Sends requests until the program hardly compiled anything for two seconds: the first ten thousand requests cost more
 * than later ones. Writes need a load with other numbers each second.
 */
export async function warmUp({ pid }: Served, nextLoad: () => Load): Promise<void> {
  let quiet = 0;
  for (let second = 0; second < LONGEST_WARM_UP && quiet < 2; second += 1) {
    const used = { all: cpuOf(pid), compiler: compilerTimeOf(pid) };
    await load({ ...nextLoad(), seconds: 1 });
    const share = (compilerTimeOf(pid) - used.compiler) / (cpuOf(pid) - used.all);
    quiet = share < COMPILED ? quiet + 1 : 0;
  }
}

/** The duration of most samples: short, so that there can be many rounds. */
export const SECONDS = 0.4;

/** Unused numbers, a range of its own for each period of load. */
let next = 9_000_000;
const STRETCH = 100_000;

export function loadOf(operation: BenchOperation, served: Served, headers: RequestHeaders): Load {
  const { path, clients, makes, seconds = SECONDS } = operation;
  const how = { url: served.origin + path, clients, seconds, headers };
  if (makes === undefined) return how;
  next += STRETCH;
  return {
    ...how,
    method: "POST",
    body: makes,
    from: next,
    headers: { ...headers, "content-type": "application/json" },
  };
}

/** The headers of an operation: its user, and an ETag if it is conditional. */
export async function headersFor(
  operation: BenchOperation,
  served: Served,
  credentials: Credentials,
): Promise<RequestHeaders> {
  const headers = credentials[operation.as];
  if (!operation.isConditional) return headers;
  const answer = await fetch(served.origin + operation.path, { headers });
  await answer.arrayBuffer();
  return { ...headers, "if-none-match": answer.headers.get("etag") ?? "" };
}

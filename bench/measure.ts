// One stretch of load, and what it cost whom.
import { type Load, load } from "./load.ts";
import type { Operation } from "./operations.ts";
import { type Asking, pgbench } from "./pgbench.ts";
import { cpuOf, forgetPeak, peakOf } from "./processes.ts";
import type { Askers, Headers, Served } from "./served.ts";

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

/** Who pays: a program that serves and the postmaster beneath it, where they can be looked at. */
export interface Payers {
  served?: Served;
  postmaster: number | undefined;
  /** Does what PostgreSQL has put off, so that whose work it is pays for it. */
  catchUp?(): Promise<unknown>;
}

export function total({ app, postgres }: Sample): number {
  return app + postgres;
}

/** For what is not even answered once in the time that it was given. */
const LONGEST = 8;

export async function measure(how: Load, payers: Payers): Promise<Sample> {
  const pid = payers.served?.pid;
  if (pid !== undefined) forgetPeak(pid);
  const { result, app, postgres } = await costing(payers, () => load(how));
  const { requests, seconds, p50, p99, refused, broken } = result;
  if (requests === 0 && how.seconds < LONGEST) return measure(longer(how), payers);
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

/** What each client was about to make is there by now, though nobody was told. */
function longer({ from = 0, ...how }: Load): Load {
  return { ...how, from: from + how.clients, seconds: LONGEST };
}

export async function measurePgbench(asking: Asking, payers: Payers): Promise<Sample> {
  const { result, postgres } = await costing(payers, () => pgbench(asking));
  const cost = (postgres / result.requests) * 1e6;
  return { ...result, p50: 0, p99: 0, app: 0, postgres: cost, peak: 0, failed: 0 };
}

/** What some work costs, in seconds of CPU time. */
export async function costing<T>({ served, postmaster, catchUp }: Payers, work: () => Promise<T>) {
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

/** Of most samples: short, so that all have their turn in each of many rounds. */
export const SECONDS = 0.4;

/** Numbers that nothing has yet, apart for each stretch of load. */
let next = 9_000_000;
const STRETCH = 100_000;

export function loadOf(operation: Operation, served: Served, headers: Headers): Load {
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

/** As whom an operation is asked, and with what is known already. */
export async function headersFor(
  operation: Operation,
  served: Served,
  askers: Askers,
): Promise<Headers> {
  const headers = askers[operation.as];
  if (!operation.known) return headers;
  const answer = await fetch(served.origin + operation.path, { headers });
  await answer.arrayBuffer();
  return { ...headers, "if-none-match": answer.headers.get("etag") ?? "" };
}

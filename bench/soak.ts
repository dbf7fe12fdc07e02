// npm run bench -- --soak: minutes of mixed reading and writing by sixteen clients, first at a steady rate, then as fast as
// they can. Reports errors, the slowest requests of each minute, and whether memory grows. At full speed a faster service
// needs more memory, because it does more at once; the steady rate compares one version with another.
import { join } from "node:path";
import type { BenchServer } from "./data.ts";
import { BENCH_NETWORK } from "./operations.ts";
import { treeMemoryOf } from "./processes.ts";
import { judgements, pairs, table } from "./table.ts";
import type { TargetResult } from "./targets.ts";
import type { Site } from "./test_bed.ts";

export interface SoakMinute {
  requests: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  errors: number;
  /** Megabytes, the mean. */
  service: number;
  postgres: number;
}

/** Of one rate. */
export interface SoakResult {
  minutes: SoakMinute[];
  /** The first ones, in words. */
  errors: string[];
  /** Megabytes of the service a minute, without the first minute, in which caches fill. */
  slope: number;
}

export const SOAK_MINUTES = 10;
const CLIENTS = 16;
/** One request of so many is a write. */
const WRITE_EVERY = 8;
/** A user may run two searches at a time. */
const SEARCHING = 2;
const MINUTE = 60_000;
/** Memory rises until garbage is collected, and falls: few readings would not give the mean of a minute. */
const READ_MEMORY_EVERY = 1_000;
const MOST_ERRORS = 20;
/** Requests a minute of all clients together: a rate below what earlier versions could answer. */
export const STEADY_RATE = 12_000;
/** Of the steady rate, in each minute: a service that is too slow for it would need less memory than with it. */
const RATE_KEPT = 0.99;
/** Megabytes of the service at the steady rate. */
const MOST_MEMORY = 180;
/** Megabytes a minute. */
const MOST_GROWTH = 2;
/** Requests of the last minute, to those of the first: fewer, where something grows with what was written. */
const LEAST_RATE = 0.9;
/** Milliseconds after which a request counts as not answered: without an end, one would keep the run from ending. */
const PATIENCE = 60_000;

interface Sample {
  at: number;
  milliseconds: number;
  isError: boolean;
}

interface MemorySample {
  at: number;
  /** Megabytes. */
  service: number;
  postgres: number;
}

type Ask = (signal: AbortSignal) => Promise<Response>;

type SoakSite = Pick<Site, "credentials" | "operations"> & {
  served: Pick<Site["served"], "origin" | "pid">;
};

export interface SoakOptions {
  minutes: number;
  server: Pick<BenchServer, "pid">;
  /** Requests a minute of all clients together; without it, each client sends the next one at once. */
  rate?: number;
  patience?: number;
}

export async function soak(
  site: SoakSite,
  { minutes, server, rate = Number.POSITIVE_INFINITY, patience = PATIENCE }: SoakOptions,
): Promise<SoakResult> {
  const samples: Sample[] = [];
  const memory: MemorySample[] = [];
  const errors: string[] = [];
  const started = performance.now();
  const now = () => performance.now() - started;
  const isOver = () => now() > minutes * MINUTE;
  const read = () => {
    const postgres = server.pid === undefined ? 0 : treeMemoryOf(server.pid);
    memory.push({ at: now(), service: treeMemoryOf(site.served.pid), postgres });
  };
  const timer = setInterval(read, READ_MEMORY_EVERY);
  const turn = turnsAt(rate);
  const client = async (number: number) => {
    for (const ask of requestsOf(site, number)) {
      await turn();
      if (isOver()) return;
      const at = now();
      const error = await problemOf(ask, patience);
      samples.push({ at, milliseconds: now() - at, isError: error !== undefined });
      if (error && errors.length < MOST_ERRORS) errors.push(error);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  clearInterval(timer);
  const all = Array.from({ length: minutes }, (_, at) => {
    const inMinute = (one: { at: number }) => Math.floor(one.at / MINUTE) === at;
    return minuteOf(samples.filter(inMinute), memory.filter(inMinute));
  });
  const ofService = memory
    .filter(({ at }) => at > MINUTE)
    .map(({ at, service }) => ({ at, megabytes: service }));
  return { minutes: all, errors, slope: slopeOf(ofService) };
}

/** Waits until a request may be sent, of so many a minute. Those that are late are sent at once, so that the rate is kept. */
export function turnsAt(rate: number): () => Promise<void> {
  let next = performance.now();
  return async () => {
    next += MINUTE / rate;
    const wait = next - performance.now();
    if (wait > 0) await Bun.sleep(wait);
  };
}

/** Endless: the operations in turn, each client begins with another one. */
function* requestsOf(site: SoakSite, client: number): Generator<Ask> {
  const reads = site.operations.filter(
    ({ makes, isConditional, plot }) =>
      !makes && !isConditional && (plot !== "searches" || client < SEARCHING),
  );
  for (let at = 0; ; at += 1) {
    const operation = reads[(at + client * 3) % reads.length];
    if (at % WRITE_EVERY === 0) yield* writesOf(site);
    if (!operation) return;
    const { path, as } = operation;
    yield (signal) => fetch(site.served.origin + path, { headers: site.credentials[as], signal });
  }
}

let hostsMade = 0;

/** Creates a host, changes it and deletes it again, so that the data stays as large as it is. */
function* writesOf({ served, credentials }: SoakSite): Generator<Ask> {
  hostsMade += 1;
  const name = `soak-${hostsMade}`;
  const headers = { ...credentials.admin, "content-type": "application/json" };
  const hosts = `${served.origin}/api/v1/network/hosts`;
  const body = JSON.stringify({ name, device_type: "Physical", network: BENCH_NETWORK });
  let id = 0;
  yield async (signal) => {
    const answer = await fetch(hosts, { method: "POST", headers, body, signal });
    id = ((await answer.clone().json()) as { id?: number }).id ?? 0;
    return answer;
  };
  if (id === 0) return;
  const description = JSON.stringify({ description: `Soaked as ${name}` });
  const one = `${hosts}/${id}`;
  yield (signal) => fetch(one, { method: "PATCH", headers, body: description, signal });
  yield (signal) => fetch(one, { method: "DELETE", headers: credentials.admin, signal });
}

async function problemOf(ask: Ask, patience: number): Promise<string | undefined> {
  try {
    const answer = await ask(AbortSignal.timeout(patience));
    const text = await answer.text();
    return answer.ok ? undefined : `${answer.status} ${answer.url}: ${text.slice(0, 200)}`;
  } catch (error) {
    return String(error);
  }
}

function minuteOf(samples: Sample[], memory: MemorySample[]): SoakMinute {
  const sorted = samples.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    requests: samples.length,
    p50: at(0.5),
    p99: at(0.99),
    errors: samples.filter(({ isError }) => isError).length,
    service: meanOf(memory.map(({ service }) => service)),
    postgres: meanOf(memory.map(({ postgres }) => postgres)),
  };
}

function meanOf(values: number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
}

/** Of the line with the least squares, by minute. */
export function slopeOf(points: Array<{ at: number; megabytes: number }>): number {
  const [x, y] = [meanOf(points.map(({ at }) => at)), meanOf(points.map((one) => one.megabytes))];
  const spread = points.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  const common = points.reduce((sum, { at, megabytes }) => sum + (at - x) * (megabytes - y), 0);
  return spread === 0 ? 0 : (common / spread) * MINUTE;
}

interface SoakPage {
  steady: SoakResult;
  fullSpeed: SoakResult;
  machine: Array<[string, string]>;
}

function verdictsOf({ steady, fullSpeed }: SoakPage): TargetResult[] {
  const memory = meanOf(steady.minutes.map(({ service }) => service));
  const [first, last] = [fullSpeed.minutes[0], fullSpeed.minutes.at(-1)];
  const rate = (last?.requests ?? 0) / Math.max(1, first?.requests ?? 0);
  const fewest = Math.min(...steady.minutes.map(({ requests }) => requests));
  return [
    {
      target: `Steady rate: at least ${RATE_KEPT} times ${STEADY_RATE} requests in each minute`,
      found: String(fewest),
      isMet: fewest >= RATE_KEPT * STEADY_RATE,
    },
    ...commonVerdicts("Steady rate", steady),
    {
      target: `Steady rate: at most ${MOST_MEMORY} MB of the service, the mean of all minutes`,
      found: `${memory.toFixed(0)} MB`,
      isMet: memory <= MOST_MEMORY,
    },
    ...commonVerdicts("Full speed", fullSpeed),
    {
      target: `Full speed: at least ${LEAST_RATE} times as many requests in the last minute as in the first`,
      found: rate.toFixed(2),
      isMet: rate >= LEAST_RATE,
    },
  ];
}

function commonVerdicts(name: string, { minutes, slope }: SoakResult): TargetResult[] {
  const errors = minutes.reduce((sum, one) => sum + one.errors, 0);
  return [
    { target: `${name}: no error`, found: String(errors), isMet: errors === 0 },
    {
      target: `${name}: the service grows by at most ${MOST_GROWTH} MB a minute`,
      found: `${slope.toFixed(2)} MB a minute`,
      isMet: slope <= MOST_GROWTH,
    },
  ];
}

/** Writes soak.md. */
export async function writeSoak(directory: string, page: SoakPage): Promise<TargetResult[]> {
  const { steady, fullSpeed, machine } = page;
  const judged = verdictsOf(page);
  const errors = [...steady.errors, ...fullSpeed.errors];
  const parts = [
    "# Soak",
    `Written by \`npm run bench -- --soak\`: ${CLIENTS} clients read everything that is measured, in turn, and after each ${WRITE_EVERY} requests create a host, change it and delete it. First they send ${STEADY_RATE} requests
a minute together, then each sends the next one at once. Times are milliseconds as a client sees them; memory is megabytes (PSS).`,
    pairs(machine),
    judgements(judged),
    "## At a steady rate",
    byMinute(steady),
    "## At full speed",
    byMinute(fullSpeed),
    ...(errors.length > 0 ? [`## Errors`, errors.map((one) => `- ${one}`).join("\n")] : []),
  ];
  await Bun.write(join(directory, "soak.md"), `${parts.join("\n\n")}\n`);
  return judged;
}

function byMinute({ minutes }: SoakResult): string {
  const rows = minutes.map(({ requests, p50, p99, errors, service, postgres }, at) => [
    String(at + 1),
    String(requests),
    p50.toFixed(1),
    p99.toFixed(0),
    String(errors),
    (service + postgres).toFixed(0),
    service.toFixed(0),
    postgres.toFixed(0),
  ]);
  const heads = ["minute", "requests", "p50", "p99", "errors", "memory", "service", "PostgreSQL"];
  return table(heads, rows);
}

// The rounds: in each, every operation is measured once, so that other load of the machine affects them alike.
import {
  headersFor,
  loadOf,
  measure,
  measurePgbench,
  type Sample,
  SECONDS,
  warmUp,
  withCpuTime,
} from "./measure.ts";
import type { Attempts } from "./missing.ts";
import { type BenchOperation, BY_CLIENTS } from "./operations.ts";
import { hasPgbench } from "./pgbench.ts";
import { forgetPeak, memoryOf, peakOf } from "./processes.ts";
import { type Report, UserError } from "./report.ts";
import { serve } from "./served.ts";
import { requestOnce, type Site, type TestBed } from "./test_bed.ts";

/** The measurements of an operation, one sample for each round. */
export interface OperationRow {
  operation: BenchOperation;
  /** By the size of the data. */
  ours: Map<string, Sample[]>;
  bare: Sample[];
  pgbench: Sample[];
}

export interface LatencyByClients {
  name: string;
  /** By the number of clients. */
  samples: Map<number, Sample[]>;
}

export interface Export {
  seconds: number;
  app: number;
  postgres: number;
  peak: number;
}

export interface Start {
  milliseconds: number;
  /** Megabytes before the first request. */
  memory: number;
}

export interface Results {
  rows: OperationRow[];
  constant: Sample[];
  crowds: LatencyByClients[];
  exports: Export[];
  starts: Start[];
}

export interface RunOptions {
  rounds: number;
  attempt: Attempts["attempt"];
  /** The numbers of clients for which latency is measured. */
  crowds: number[];
  report: Report;
}

export async function run(
  testBed: TestBed,
  { rounds, crowds, attempt, report }: RunOptions,
): Promise<Results> {
  const { largest } = testBed;
  const results: Results = {
    rows: largest.operations.map((operation) => ({
      operation,
      ours: new Map(),
      bare: [],
      pgbench: [],
    })),
    constant: [],
    crowds: largest.operations.flatMap(({ name }) =>
      BY_CLIENTS.includes(name) ? [{ name, samples: new Map() }] : [],
    ),
    exports: [],
    starts: [],
  };
  report("Warming up");
  for (const site of testBed.sites) {
    for (const one of site.operations.filter(({ makes }) => !makes)) {
      await attempt(one.name, () => prepare(one, site));
    }
  }
  for (const { operation } of results.rows.filter((row) => row.operation.compared)) {
    await attempt(toBareName(operation), () => requireSameAnswer(operation, testBed));
  }
  for (let round = 0; round < rounds; round += 1) {
    report(`Round ${round + 1} of ${rounds}`);
    await runRound(testBed, results, attempt);
    await attempt("Latency by the number of clients", () => crowd(testBed, results.crowds, crowds));
  }
  return results;
}

export function toBareName({ name }: BenchOperation): string {
  return `${name}, to a bare route`;
}

export function toPgbenchName({ name }: BenchOperation): string {
  return `${name}, to pgbench`;
}

/** One request shows that it works; the others warm it up. */
async function prepare(operation: BenchOperation, site: Site): Promise<void> {
  await requestOnce(operation, site);
  const headers = await headersFor(operation, site.served, site.credentials);
  await warmUp(site.served, () => loadOf(operation, site.served, headers));
}

/** A route that answers something else is no comparison; the answer for a page is not a page. */
async function requireSameAnswer(
  operation: BenchOperation,
  { largest, bare, statements }: TestBed,
): Promise<void> {
  const { served, credentials } = largest;
  const headers = credentials[operation.as];
  const ours = await fetch(served.origin + operation.path, { headers });
  const theirs = await fetch(bareUrl(operation, { bare, statements }));
  const [wanted, found] = [await ours.text(), await theirs.text()];
  if (!theirs.ok) throw new UserError(`the bare route answers ${theirs.status}`);
  if (operation.as !== "browser" && found !== wanted)
    throw new UserError("the bare route answers something else than the service");
}

function bareUrl(
  { name }: BenchOperation,
  { bare, statements }: Pick<TestBed, "bare" | "statements">,
): string {
  return `${bare.origin}/${[...statements.keys()].indexOf(name)}`;
}

async function runRound(
  testBed: TestBed,
  results: Results,
  attempt: Attempts["attempt"],
): Promise<void> {
  const { constant, largest, sites } = testBed;
  const hello = { url: `${constant.origin}/`, clients: 8, seconds: SECONDS };
  results.constant.push(await measure(hello, { served: constant, postmaster: undefined }));
  for (const [at, row] of results.rows.entries()) {
    const { name, deep, compared } = row.operation;
    for (const site of deep ? [largest] : sites) {
      const sample = await attempt(name, () => measureAt(testBed, site, at));
      if (!sample) {
        row.ours.clear();
        break;
      }
      keep(row.ours, site.size.label, sample);
    }
    if (compared) await compare(testBed, row, attempt);
  }
  const start = await attempt("Start", () => startUp(testBed));
  if (start) results.starts.push(start);
  const file = await attempt("All items as an Excel file", () => writeExcel(testBed));
  if (file) results.exports.push(file);
}

function keep<Key>(all: Map<Key, Sample[]>, key: Key, sample: Sample): void {
  all.set(key, [...(all.get(key) ?? []), sample]);
}

async function measureAt(testBed: TestBed, site: Site, at: number): Promise<Sample> {
  const operation = site.operations[at];
  if (!operation) throw new UserError("There is no such operation");
  const headers = await headersFor(operation, site.served, site.credentials);
  const payers = { served: site.served, postmaster: testBed.server.pid };
  return measure(loadOf(operation, site.served, headers), payers);
}

/** The same statements, by a route with nothing around them and by pgbench. A comparison that fails once has no figure. */
export async function compare(
  testBed: TestBed,
  row: OperationRow,
  attempt: Attempts["attempt"],
): Promise<void> {
  const { largest, bare, statements, server, directory } = testBed;
  const { operation } = row;
  const { name, clients } = operation;
  const payers = { served: bare, postmaster: server.pid };
  const load = { url: bareUrl(operation, testBed), clients, seconds: SECONDS };
  const sample = await attempt(toBareName(operation), async () =>
    successful(await measure(load, payers)),
  );
  row.bare = sample ? [...row.bare, sample] : [];
  if (!hasPgbench) return;
  const { requests = clients } = sample ?? row.ours.get(largest.size.label)?.at(-1) ?? {};
  const asking = { url: largest.url, statements: statements.get(name) ?? [], clients, directory };
  const answered = await attempt(toPgbenchName(operation), () =>
    measurePgbench({ ...asking, times: Math.ceil(requests / clients) }, payers),
  );
  row.pgbench = answered ? [...row.pgbench, answered] : [];
}

function successful(sample: Sample): Sample {
  const { failed, requests } = sample;
  if (failed > 0) throw new UserError(`${failed} of ${requests} requests failed`);
  return sample;
}

async function crowd(testBed: TestBed, crowds: LatencyByClients[], sizes: number[]): Promise<void> {
  const { served, credentials, operations } = testBed.largest;
  for (const { name, samples } of crowds) {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new UserError(`There is no '${name}' to crowd`);
    for (const clients of sizes) {
      const how = loadOf({ ...operation, clients }, served, credentials[operation.as]);
      keep(samples, clients, await measure(how, { served, postmaster: testBed.server.pid }));
    }
  }
}

const CALM = 1_000;

async function startUp({ largest }: TestBed): Promise<Start> {
  const served = await serve(largest.url);
  await Bun.sleep(CALM);
  const memory = memoryOf(served.pid);
  await served.stop();
  return { milliseconds: served.startup, memory };
}

const EXCEL = "/inventory/items/_generate_excel_file";
const GLANCE = 100;

/** Exports all items as a workbook, until it is ready. */
async function writeExcel({ largest, server }: TestBed): Promise<Export> {
  const { served, credentials } = largest;
  forgetPeak(served.pid);
  const started = performance.now();
  const ask = (path: string) =>
    fetch(served.origin + path, {
      headers: { ...credentials.browser, accept: "application/json" },
      redirect: "manual",
    });
  const { app, postgres } = await withCpuTime({ served, postmaster: server.pid }, async () => {
    const status = (await ask(EXCEL)).headers.get("location") ?? "";
    const { pathname } = new URL(status, served.origin);
    for (;;) {
      const job = (await (await ask(pathname)).json()) as { status: string; message: string };
      if (job.status === "finished") return;
      if (job.status === "failed") throw new UserError(`The Excel export failed: ${job.message}`);
      await Bun.sleep(GLANCE);
    }
  });
  return {
    seconds: (performance.now() - started) / 1_000,
    app,
    postgres,
    peak: peakOf(served.pid),
  };
}

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
  rollbacks: number;
}

export interface RunOptions {
  rounds: number;
  /** The numbers of clients for which latency is measured. */
  crowds: number[];
  report: Report;
}

export async function run(
  testBed: TestBed,
  { rounds, crowds, report }: RunOptions,
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
    rollbacks: 0,
  };
  report("Warming up");
  for (const site of testBed.sites) {
    for (const one of site.operations.filter(({ makes }) => !makes)) await prepare(one, site);
  }
  const before = await rollbacks(testBed);
  for (let round = 0; round < rounds; round += 1) {
    report(`Round ${round + 1} of ${rounds}`);
    await runRound(testBed, results);
    await crowd(testBed, results.crowds, crowds);
  }
  results.rollbacks = (await rollbacks(testBed)) - before;
  return results;
}

/** One request shows that it works; the others warm it up. */
async function prepare(operation: BenchOperation, site: Site): Promise<void> {
  await requestOnce(operation, site);
  const headers = await headersFor(operation, site.served, site.credentials);
  await warmUp(loadOf(operation, site.served, headers));
}

async function runRound(testBed: TestBed, results: Results): Promise<void> {
  const { constant, largest, sites } = testBed;
  const hello = { url: `${constant.origin}/`, clients: 8, seconds: SECONDS };
  results.constant.push(await measure(hello, { served: constant, postmaster: undefined }));
  for (const [at, row] of results.rows.entries()) {
    for (const site of row.operation.deep ? [largest] : sites) {
      const samples = row.ours.get(site.size.label) ?? [];
      samples.push(await measureAt(testBed, site, at));
      row.ours.set(site.size.label, samples);
    }
    if (row.operation.compared) await compare(testBed, row);
  }
  results.starts.push(await startUp(testBed));
  results.exports.push(await writeExcel(testBed));
}

async function measureAt(testBed: TestBed, site: Site, at: number): Promise<Sample> {
  const operation = site.operations[at];
  if (!operation) throw new UserError("There is no such operation");
  const headers = await headersFor(operation, site.served, site.credentials);
  const payers = { served: site.served, postmaster: testBed.server.pid };
  return measure(loadOf(operation, site.served, headers), payers);
}

/** The same statements, by a route with nothing around them and by pgbench. */
async function compare(
  { largest, bare, statements, server, directory }: TestBed,
  row: OperationRow,
): Promise<void> {
  const { name, clients } = row.operation;
  const url = `${bare.origin}/${[...statements.keys()].indexOf(name)}`;
  const payers = { served: bare, postmaster: server.pid };
  const sample = await measure({ url, clients, seconds: SECONDS }, payers);
  row.bare.push(sample);
  if (!hasPgbench) return;
  const asking = { statements: statements.get(name) ?? [], clients, directory };
  const times = Math.ceil(sample.requests / clients);
  row.pgbench.push(await measurePgbench({ ...asking, url: largest.url, times }, payers));
}

async function crowd(testBed: TestBed, crowds: LatencyByClients[], sizes: number[]): Promise<void> {
  const { served, credentials, operations } = testBed.largest;
  for (const { name, samples } of crowds) {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new UserError(`There is no '${name}' to crowd`);
    for (const clients of sizes) {
      const how = loadOf({ ...operation, clients }, served, credentials[operation.as]);
      const sample = await measure(how, { served, postmaster: testBed.server.pid });
      samples.set(clients, [...(samples.get(clients) ?? []), sample]);
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

/** The rollbacks of the database that is written to, because each retry follows one. */
async function rollbacks({ server, largest }: TestBed): Promise<number> {
  const name = new URL(largest.url).pathname.slice(1);
  const [found] = await server.admin`
    select xact_rollback::int as rollbacks from pg_stat_database where datname = ${name}`;
  return found?.rollbacks ?? 0;
}

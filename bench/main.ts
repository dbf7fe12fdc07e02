// npm run bench: measures Cadastre and writes README.md and the plots beside it, or search.md.
import { CannotStart } from "../db/embedded/cannot_start.ts";
import { readArguments, UsageError } from "../src/commands/arguments.ts";
import {
  type BenchServer,
  copyOf,
  prepare,
  type Size,
  start,
  type TemplateOptions,
} from "./data.ts";
import { measureFields, writeFields } from "./fields.ts";
import { measureFiles, writeFiles } from "./files.ts";
import { requireCopy } from "./limits_files.ts";
import { measureLimits } from "./limits_run.ts";
import { requireWrk } from "./load.ts";
import { machine } from "./machine.ts";
import { attempts, type MissingFigure } from "./missing.ts";
import { write } from "./page.ts";
import { hasPgbench } from "./pgbench.ts";
import { UserError } from "./report.ts";
import { run } from "./run.ts";
import { type SearchScale, search } from "./search.ts";
import * as searchPage from "./search_page.ts";
import { SOAK_MINUTES, STEADY_RATE, soak, writeSoak } from "./soak.ts";
import type { TargetResult } from "./targets.ts";
import { build } from "./test_bed.ts";
import { measureWebhooks, writeWebhooks } from "./webhooks.ts";
import { measureWrites } from "./writes.ts";

const HELP = `Measures Cadastre against bare servers and pgbench, and writes bench/README.md.

Usage: npm run bench -- [--search] [--million] [--rounds N] [--fresh] [--prepare]
       npm run bench -- --soak [--minutes N] [--fresh]
       npm run bench -- --webhooks [--rounds N] [--fresh]
       npm run bench -- --fields [--rounds N] [--fresh]
       npm run bench -- --files [--rounds N] [--fresh]

  --search     measures the search of 100,000 hosts instead, and writes bench/search.md
  --million    measures 1,000,000 hosts as well; their data need a few minutes and gigabytes once
  --soak       reads and writes with sixteen clients instead, first at a steady rate, then as fast as they can, and
               writes bench/soak.md
  --webhooks   measures what webhooks cost a write, and how soon a receiver has a message, and writes
               bench/webhooks.md
  --fields     measures what fields of a site cost, and writes bench/fields.md
  --files      adds 10,000 files while the program is killed, measures what files cost, and writes bench/files.md
  --minutes N  how long each of the two parts of --soak runs (10)
  --rounds N   how often everything is measured (5)
  --fresh      creates the data again, instead of using those of the last run
  --prepare    only creates the data, and measures nothing: a busy machine will do

A figure that cannot be measured is left out with its reason, and the exit code is then 1.
DATABASE_URL names a PostgreSQL whose user may create databases and use COPY to files of the server; without it an
embedded one is created in data/bench.`;

const ROUNDS = 5;
const MOST = 100;
/** Memory of the first minute is not judged. */
const FEWEST_MINUTES = 2;
const CLIENTS = [1, 4, 16, 64];
/** Numbers of hosts, without and with `--million`. */
const HOSTS = [10_000, 100_000];
const SEARCHED_HOSTS = [100_000];
const MILLION = 1_000_000;
const SIZES = [1, 4, 16].map(sizeOf);
const LARGEST = sizeOf(16);
const SOAKED = { ...sizeOf(4), label: "soak" };

/** Expected errors, of which only the message is shown. */
const EXPECTED = [UserError, UsageError, CannotStart];

type BenchOptions = TemplateOptions & { rounds: number };

interface Outcome {
  judged: TargetResult[];
  missing: MissingFigure[];
}

if (import.meta.main) {
  // Servers end with this process; copies of the data are dropped by the next run.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  process.exitCode = await main();
}

function sizeOf(times: number): Size {
  return { label: `${times}x`, items: 6_250 * times, hosts: 1_250 * times };
}

async function main(): Promise<number> {
  try {
    return await runFromArguments();
  } catch (error) {
    if (!(error instanceof Error) || !EXPECTED.some((kind) => error instanceof kind)) throw error;
    const hint = error instanceof UsageError ? "; see npm run bench -- --help" : "";
    console.error(`${error.message}${hint}`);
    return 1;
  }
}

/** Returns the exit code. */
async function runFromArguments(): Promise<number> {
  const { values } = readArguments({
    options: {
      search: { type: "boolean", default: false },
      million: { type: "boolean", default: false },
      soak: { type: "boolean", default: false },
      webhooks: { type: "boolean", default: false },
      fields: { type: "boolean", default: false },
      files: { type: "boolean", default: false },
      minutes: { type: "string", default: String(SOAK_MINUTES) },
      rounds: { type: "string", default: String(ROUNDS) },
      fresh: { type: "boolean", default: false },
      prepare: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const rounds = countFrom("rounds", values.rounds, 1);
  const minutes = countFrom("minutes", values.minutes, FEWEST_MINUTES);
  if (values.soak && (values.search || values.million))
    throw new UsageError("--soak is a run of its own, without --search and --million");
  requirePrograms();
  const server = await start(process.env.DATABASE_URL, report);
  const options = { rounds, fresh: values.fresh, report };
  const hosts = [...(values.search ? SEARCHED_HOSTS : HOSTS), ...(values.million ? [MILLION] : [])];
  const measure = () => {
    if (values.prepare) return prepareAll(server, hosts, options);
    if (values.soak) return benchSoak(server, minutes, options);
    if (values.webhooks) return benchWebhooks(server, options);
    if (values.fields) return benchFields(server, options);
    if (values.files) return benchFiles(server, options);
    return values.search ? benchSearch(server, hosts, options) : bench(server, hosts, options);
  };
  const { judged, missing } = await measure().finally(server.stop);
  for (const { target, found, isMet } of judged) {
    console.log(`${isMet ? "met   " : "missed"} ${target}: ${found}`);
  }
  for (const { name, reason } of missing) console.error(`not measured: ${name}: ${reason}`);
  return missing.length > 0 ? 1 : 0;
}

async function prepareAll(
  server: BenchServer,
  hosts: number[],
  making: BenchOptions,
): Promise<Outcome> {
  await prepare(server, { sizes: SIZES, hosts }, making);
  return { judged: [], missing: [] };
}

function countFrom(option: string, given: string, least: number): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= least && count <= MOST) return count;
  throw new UsageError(`--${option} must be a number from ${least} to ${MOST}, not '${given}'`);
}

function requirePrograms(): void {
  if (process.platform !== "linux")
    throw new UserError("This needs Linux, which reports the CPU time of each process");
  requireWrk();
  if (!hasPgbench)
    report("pgbench is missing, so nothing is compared with it (apt-get install postgresql)");
}

async function bench(
  server: BenchServer,
  hosts: number[],
  { rounds, ...making }: BenchOptions,
): Promise<Outcome> {
  const started = performance.now();
  const { missing, attempt } = attempts(making.report);
  await requireCopy(server);
  const testBed = await build(server, {
    sizes: SIZES,
    copy: (size) => copyOf(server, size, making),
  });
  const extent = { rounds, crowds: CLIENTS, attempt, report: making.report };
  const results = await run(testBed, extent).finally(testBed.close);
  const limits = await measureLimits(server, { ...making, rounds, attempt, size: LARGEST, hosts });
  const judged = await write(import.meta.dir, {
    results,
    limits,
    missing,
    rounds,
    sizes: SIZES,
    machine: await machine(server.version),
    seconds: (performance.now() - started) / 1_000,
  });
  return { judged, missing };
}

async function benchSearch(
  server: BenchServer,
  sizes: number[],
  extent: BenchOptions,
): Promise<Outcome> {
  const scales: SearchScale[] = [];
  for (const hosts of sizes) scales.push(await search(server, hosts, extent));
  const [fewest = 0] = sizes;
  const judged = await searchPage.write(import.meta.dir, {
    scales,
    written: await measureWrites(server, fewest, { ...extent, fresh: false }),
    rounds: extent.rounds,
    machine: await machine(server.version),
  });
  return { judged, missing: [] };
}

async function benchWebhooks(server: BenchServer, extent: BenchOptions): Promise<Outcome> {
  const judged = await writeWebhooks(import.meta.dir, {
    result: await measureWebhooks(server, extent),
    rounds: extent.rounds,
    machine: await machine(server.version),
  });
  return { judged, missing: [] };
}

async function benchFields(server: BenchServer, extent: BenchOptions): Promise<Outcome> {
  const judged = await writeFields(import.meta.dir, {
    result: await measureFields(server, extent),
    rounds: extent.rounds,
    machine: await machine(server.version),
  });
  return { judged, missing: [] };
}

async function benchFiles(server: BenchServer, extent: BenchOptions): Promise<Outcome> {
  const judged = await writeFiles(import.meta.dir, {
    result: await measureFiles(server, extent),
    rounds: extent.rounds,
    machine: await machine(server.version),
  });
  return { judged, missing: [] };
}

async function benchSoak(
  server: BenchServer,
  minutes: number,
  making: BenchOptions,
): Promise<Outcome> {
  const testBed = await build(server, {
    sizes: [SOAKED],
    copy: (size) => copyOf(server, size, making),
  });
  const part = (name: string, rate?: number) => {
    making.report(`Mixed reading and writing ${name} for ${minutes} minutes`);
    return soak(testBed.largest, { minutes, server, rate });
  };
  try {
    const steady = await part("at a steady rate", STEADY_RATE);
    const fullSpeed = await part("at full speed");
    const page = { steady, fullSpeed, machine: await machine(server.version) };
    return { judged: await writeSoak(import.meta.dir, page), missing: [] };
  } finally {
    await testBed.close();
  }
}

function interrupted(signal: string): never {
  console.error(`Interrupted by ${signal}: nothing is written`);
  process.exit(1);
}

function report(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

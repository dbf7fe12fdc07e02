// The rounds: in each, everything is measured once, one thing after the other, so that whatever else the
// machine does meanwhile befalls all alike.
import { costing, headersFor, loadOf, measure, measurePgbench, type Sample } from "./measure.ts";
import { CROWDED, type Operation } from "./operations.ts";
import { hasPgbench } from "./pgbench.ts";
import { forgetPeak, peakOf } from "./processes.ts";
import { type Say, Trouble } from "./say.ts";
import { serve } from "./served.ts";
import { type Site, type Stand, warmUp } from "./stand.ts";

/** What was measured of an operation, a sample for each round. */
export interface Row {
  operation: Operation;
  /** By the size of the data. */
  ours: Map<string, Sample[]>;
  bare: Sample[];
  pgbench: Sample[];
}

export interface Crowd {
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

export interface Results {
  rows: Row[];
  constant: Sample[];
  crowds: Crowd[];
  exports: Export[];
  /** In milliseconds. */
  startups: number[];
  atRest: number;
  rollbacks: number;
}

export interface Extent {
  rounds: number;
  /** How many clients there are, to see how latency grows with them. */
  crowds: number[];
  say: Say;
}

/** Rounds in which everything is measured; in the others, what is compared with a bare route, and that on the largest data. */
const SELDOM = 2;

export async function run(stand: Stand, { rounds, crowds, say }: Extent): Promise<Results> {
  const { largest } = stand;
  const results: Results = {
    rows: largest.operations.map((operation) => ({
      operation,
      ours: new Map(),
      bare: [],
      pgbench: [],
    })),
    constant: [],
    crowds: largest.operations.flatMap(({ name }) =>
      CROWDED.includes(name) ? [{ name, samples: new Map() }] : [],
    ),
    exports: [],
    startups: [],
    atRest: stand.atRest,
    rollbacks: 0,
  };
  say("Warming up");
  for (const site of stand.sites) {
    for (const one of site.operations.filter(({ makes }) => !makes)) await warmUp(one, site);
  }
  const before = await rollbacks(stand);
  for (let round = 0; round < rounds; round += 1) {
    say(`Round ${round + 1} of ${rounds}`);
    await goRound(stand, results, round);
    if (round < SELDOM) await crowd(stand, results.crowds, crowds);
  }
  results.rollbacks = (await rollbacks(stand)) - before;
  return results;
}

async function goRound(stand: Stand, results: Results, round: number): Promise<void> {
  const { constant, largest } = stand;
  const hello = { url: `${constant.origin}/`, clients: 8, seconds: 1 };
  results.constant.push(await measure(hello, { served: constant, postmaster: undefined }));
  for (const [at, row] of results.rows.entries()) {
    const isSeldom = round < SELDOM;
    if (!row.operation.core && !isSeldom) continue;
    const sites = row.operation.scaled && isSeldom ? stand.sites : [largest];
    for (const site of sites) {
      const samples = row.ours.get(site.size.label) ?? [];
      samples.push(await measureAt(stand, site, at));
      row.ours.set(site.size.label, samples);
    }
    await compare(stand, row);
  }
  results.startups.push(await startUp(stand));
  if (round < SELDOM) results.exports.push(await writeExcel(stand));
}

async function measureAt(stand: Stand, site: Site, at: number): Promise<Sample> {
  const operation = site.operations[at];
  if (!operation) throw new Trouble("There is no such operation");
  const headers = await headersFor(operation, site.served, site.askers);
  const payers = { served: site.served, postmaster: stand.server.pid };
  return measure(loadOf(operation, site.served, headers), payers);
}

/** The same statements, by a route with nothing around them and by pgbench. */
async function compare(
  { largest, bare, statements, server, directory }: Stand,
  row: Row,
): Promise<void> {
  const { name, core, clients, compared } = row.operation;
  if (!compared) return;
  const asked = statements.get(name) ?? [];
  const postmaster = server.pid;
  if (core) {
    const url = `${bare.origin}/${[...statements.keys()].indexOf(name)}`;
    row.bare.push(await measure({ url, clients, seconds: 1 }, { served: bare, postmaster }));
  }
  if (hasPgbench && asked.length > 0) {
    const asking = { url: largest.url, statements: asked, clients, seconds: 1, directory };
    row.pgbench.push(await measurePgbench(asking, { postmaster }));
  }
}

async function crowd(stand: Stand, crowds: Crowd[], sizes: number[]): Promise<void> {
  const { served, askers, operations } = stand.largest;
  for (const { name, samples } of crowds) {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Trouble(`There is no '${name}' to crowd`);
    for (const clients of sizes) {
      const how = loadOf({ ...operation, clients }, served, askers[operation.as]);
      const sample = await measure(how, { served, postmaster: stand.server.pid });
      samples.set(clients, [...(samples.get(clients) ?? []), sample]);
    }
  }
}

async function startUp({ largest }: Stand): Promise<number> {
  const served = await serve(largest.url);
  await served.stop();
  return served.startup;
}

const EXCEL = "/inventory/items/_generate_excel_file";
const GLANCE = 100;

/** All items as a workbook, until it lies ready. */
async function writeExcel({ largest, server }: Stand): Promise<Export> {
  const { served, askers } = largest;
  forgetPeak(served.pid);
  const begun = performance.now();
  const ask = (path: string) =>
    fetch(served.origin + path, {
      headers: { ...askers.browser, accept: "application/json" },
      redirect: "manual",
    });
  const { app, postgres } = await costing({ served, postmaster: server.pid }, async () => {
    const status = (await ask(EXCEL)).headers.get("location") ?? "";
    const { pathname } = new URL(status, served.origin);
    for (;;) {
      const job = (await (await ask(pathname)).json()) as { status: string; message: string };
      if (job.status === "finished") return;
      if (job.status === "failed") throw new Trouble(`The Excel export failed: ${job.message}`);
      await Bun.sleep(GLANCE);
    }
  });
  return { seconds: (performance.now() - begun) / 1_000, app, postgres, peak: peakOf(served.pid) };
}

/** Of the database that is written to: a retry would begin with one. */
async function rollbacks({ server, largest }: Stand): Promise<number> {
  const name = new URL(largest.url).pathname.slice(1);
  const [found] = await server.admin`
    select xact_rollback::int as rollbacks from pg_stat_database where datname = ${name}`;
  return found?.rollbacks ?? 0;
}

// Reads of hosts on data of several sizes: beside a bare route with statements written by hand on the largest, and lists
// right after a write beside the same lists while nobody writes.
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchServer, copyOfSearched, type TemplateOptions } from "./data.ts";
import { type AfterWrite, afterWrites, handWritten, limitedReads } from "./limits_reads.ts";
import type { Load } from "./load.ts";
import { loadOf, measure, type Sample, SECONDS, warmUp } from "./measure.ts";
import type { BenchOperation } from "./operations.ts";
import { toJson } from "./recorded.ts";
import { UserError } from "./report.ts";
import { type Credentials, credentials, type Served, serve, serveBare } from "./served.ts";

/** A read, round by round. */
export interface ScaledRead {
  name: string;
  /** By the number of hosts, from the fewest to the most. */
  ours: Map<number, Sample[]>;
  /** A bare route on the most hosts; a page has none. */
  limit: Sample[];
}

export interface ReadLimits {
  reads: ScaledRead[];
  /** By the number of hosts. */
  lists: Map<number, AfterWrite[]>;
}

interface ScaledSite {
  hosts: number;
  url: string;
  served: Served;
  who: Credentials;
}

type Ends = Array<() => Promise<unknown>>;

/** Exist on data of every size (many_hosts.sql). */
const EXAMPLES = { name: "vac-plc-0004148", start: "vac-plc-0004" };
/** Requests for each list in a round, right after a write and without one. */
const TIMES = 20;

export function noReads(): ReadLimits {
  const reads = limitedReads(EXAMPLES).map(({ name }) => ({ name, ours: new Map(), limit: [] }));
  return { reads, lists: new Map() };
}

export async function measureReads(
  server: BenchServer,
  sizes: number[],
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<ReadLimits> {
  const operations = limitedReads(EXAMPLES);
  const found = noReads();
  const ends: Ends = [];
  try {
    const sites: ScaledSite[] = [];
    for (const hosts of sizes) sites.push(await setUp(server, hosts, { making, ends }));
    const bare = await startLimit(sites.at(-1), ends);
    making.report("Reads: warming up");
    for (const operation of operations) {
      for (const { served, who } of sites) {
        await warmUp(served, () => loadOf(operation, served, who[operation.as]));
      }
      const limit = limitOf(operation, bare);
      if (limit) await warmUp(bare, () => limit);
    }
    for (const site of sites) await measureLists(site);
    for (let round = 1; round <= rounds; round += 1) {
      making.report(`Reads: round ${round} of ${rounds}`);
      add(found, await runRound(operations, { sites, bare, postmaster: server.pid }));
    }
    return found;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function setUp(
  server: BenchServer,
  hosts: number,
  { making, ends }: { making: TemplateOptions; ends: Ends },
): Promise<ScaledSite> {
  const { url, drop } = await copyOfSearched(server, { label: `hosts_${hosts}`, hosts }, making);
  ends.push(drop);
  const served = await serve(url);
  ends.push(served.stop);
  return { hosts, url, served, who: await credentials(served) };
}

async function startLimit(site: ScaledSite | undefined, ends: Ends): Promise<Served> {
  if (!site) throw new UserError("Name a number of hosts");
  const file = join(tmpdir(), `cadastre-bench-${process.pid}-statements.json`);
  await Bun.write(file, toJson([...handWritten(EXAMPLES).values()]));
  ends.push(() => rm(file));
  // Planning a range takes twice as long as reading it.
  const env = { DATABASE_URL: site.url, PLAN_CACHE_MODE: "force_generic_plan" };
  const bare = await serveBare("statements", { ...env, STATEMENTS: file });
  ends.push(bare.stop);
  return bare;
}

interface Round {
  sites: ScaledSite[];
  bare: Served;
  postmaster: number | undefined;
}

interface RoundResult {
  /** In the order of the operations. */
  reads: Array<{ ours: Map<number, Sample>; limit: Sample | undefined }>;
  lists: Map<number, AfterWrite[]>;
}

async function runRound(
  operations: BenchOperation[],
  { sites, bare, postmaster }: Round,
): Promise<RoundResult> {
  const result: RoundResult = { reads: [], lists: new Map() };
  for (const operation of operations) {
    const ours = new Map<number, Sample>();
    for (const { hosts, served, who } of sites) {
      const how = loadOf(operation, served, who[operation.as]);
      ours.set(hosts, await measure(how, { served, postmaster }));
    }
    const how = limitOf(operation, bare);
    const limit = how && (await measure(how, { served: bare, postmaster }));
    result.reads.push({ ours, limit });
  }
  for (const site of sites) result.lists.set(site.hosts, await measureLists(site));
  return result;
}

async function measureLists({ served, who }: ScaledSite): Promise<AfterWrite[]> {
  return afterWrites(served, who, { host: await firstHost(served, who), times: TIMES });
}

/** The bare route of an operation; a page has none. */
function limitOf({ name, clients }: BenchOperation, bare: Served): Load | undefined {
  const at = [...handWritten(EXAMPLES).keys()].indexOf(name);
  return at < 0 ? undefined : { url: `${bare.origin}/${at}`, clients, seconds: SECONDS };
}

async function firstHost({ origin }: Served, { admin }: Credentials): Promise<number> {
  const answer = await fetch(`${origin}/api/v1/network/hosts?per_page=1`, { headers: admin });
  const [host] = (await answer.json()) as Array<{ id: number }>;
  if (!host) throw new UserError("There is no host to change");
  return host.id;
}

function add(found: ReadLimits, { reads, lists }: RoundResult): void {
  for (const [at, { ours, limit }] of reads.entries()) {
    const read = found.reads[at];
    if (!read) continue;
    for (const [hosts, sample] of ours) {
      read.ours.set(hosts, [...(read.ours.get(hosts) ?? []), sample]);
    }
    if (limit) read.limit.push(limit);
  }
  for (const [hosts, measured] of lists) {
    const known = found.lists.get(hosts);
    const joined = measured.map((list, at) => ({
      ...list,
      after: [...(known?.[at]?.after ?? []), ...list.after],
      quiet: [...(known?.[at]?.quiet ?? []), ...list.quiet],
    }));
    found.lists.set(hosts, joined);
  }
}

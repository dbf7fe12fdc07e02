// The search of very many hosts, by one client at a time. Each round is a new process: every query is first sent once
// with cold caches, and then repeatedly.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { type BenchServer, searched, type TemplateOptions } from "./data.ts";
import { type MeasuredProcesses, measure, type Sample, SECONDS } from "./measure.ts";
import { median } from "./numbers.ts";
import { memoryOf } from "./processes.ts";
import { type BenchQuery, QUERIES } from "./search_queries.ts";
import { type Credentials, credentials, type Served, serve } from "./served.ts";

/** The measurements of a query, round by round. */
export interface QueryResult {
  query: BenchQuery;
  /** How many hosts, or the error. */
  found: string;
  /** Milliseconds of the first call. */
  first: number[];
  /** The median of the milliseconds that the process reports. */
  inside: number[];
  warm: Sample[];
}

export interface SearchScale {
  hosts: number;
  results: QueryResult[];
  /** Milliseconds from the start of the process to its first successful response. */
  startups: number[];
  /** Megabytes of the process after all queries. */
  memory: number[];
}

const PATH = "/api/v1/network/hosts/search?q=";

export async function search(
  server: BenchServer,
  hosts: number,
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<SearchScale> {
  const url = await searched(server, hosts, making);
  const results = QUERIES.map((query) => ({
    query,
    found: "",
    first: [],
    inside: [],
    warm: [],
  }));
  const scale: SearchScale = { hosts, results, startups: [], memory: [] };
  const log = join(tmpdir(), `cadastre-bench-${process.pid}.log`);
  for (let round = 0; round < rounds; round += 1) {
    making.report(`${hosts} hosts, round ${round + 1} of ${rounds}`);
    rmSync(log, { force: true });
    const served = await serve(url, log);
    await runRound(scale, { served, postmaster: server.pid, log, url }).finally(served.stop);
  }
  rmSync(log, { force: true });
  return scale;
}

async function runRound(
  scale: SearchScale,
  {
    served,
    postmaster,
    log,
    url,
  }: MeasuredProcesses & { served: Served; log: string; url: string },
) {
  const who = await credentials(served);
  scale.startups.push(served.startup);
  for (const one of scale.results) {
    if (one.query.isAfterWrites) await writeNames(url);
    await sendFirst(one, served, who);
  }
  for (const { query, warm, inside } of scale.results) {
    const asking = { ...request(query, served, who), clients: 1, seconds: SECONDS };
    const { size } = Bun.file(log);
    warm.push(await measure(asking, { served, postmaster }));
    inside.push(median(await timesIn(log, size)));
  }
  scale.memory.push(memoryOf(served.pid));
}

/** What a statement adds to the indexes stays there when it is rolled back, so that the next round finds the same hosts. */
async function writeNames(url: string): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  await sql.unsafe(`
    begin; set local session_replication_role = replica;
    update hosts set name = name || '-x' where id in (select id from hosts order by id limit 10000);
    rollback;`);
  await sql.close();
}

/** The durations of requests from a position of the log; its first and last line may be incomplete. */
async function timesIn(log: string, from: number): Promise<number[]> {
  const text = await Bun.file(log).slice(from).text();
  const lines = text.split("\n").slice(1, -1);
  return lines.map((line) => JSON.parse(line).ms).filter((ms) => ms !== undefined);
}

async function sendFirst(results: QueryResult, served: Served, who: Credentials): Promise<void> {
  const { url, headers } = request(results.query, served, who);
  const started = performance.now();
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  results.first.push(performance.now() - started);
  results.found = answer.headers.get("x-total-count") ?? JSON.parse(text).message;
}

function request({ q, as = "admin" }: BenchQuery, { origin }: Served, who: Credentials) {
  return { url: origin + PATH + encodeURIComponent(q), headers: who[as] };
}

// npm run failover: a cluster on three machines of its own, three instances of the service, clients that write and read,
// and failures one after the other. Checks that nothing acknowledged is lost, and writes docs/failover.md.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endAll } from "../running/processes.ts";
import { type Cluster, isHealthy, primaryOf, startCluster } from "./cluster.ts";
import { Failed, waitFor } from "./failed.ts";
import { type Failure, failures, sequence } from "./failures.ts";
import { costOf, type FailureResult } from "./figures.ts";
import { createNetworks, startLoad } from "./load.ts";
import { createMachines, removeMachines } from "./machines.ts";
import { describeRun, pageOf } from "./page.ts";
import { type Service, startService, untilReady } from "./service.ts";
import { verify } from "./verify.ts";

const HELP = `Makes failures in a cluster of three database nodes under load, and checks that nothing is lost.

Usage: npm run failover -- [--failures NUMBER] [--only WORD] [--page FILE] [--keep]

  --failures  how many, of six kinds in turn (50)
  --only      only the kinds with this word in their name
  --page      where to write the figures (docs/failover.md with 50 failures or more, otherwise nowhere)
  --keep      keeps the logs and the data

Needs Linux, root, and Debian's packages patroni, etcd-server, haproxy, postgresql and iproute2.`;

const ROOT = join(import.meta.dir, "..", "..");
const PAGE = join(ROOT, "docs", "failover.md");
const ENOUGH = 50;
/** Milliseconds of ordinary work before the next failure. */
const CALM = 2_000;
/** Three machines have three disks; here they would wait for one. */
const MEMORY = "/dev/shm";
const INSTALLED = "/usr/lib/postgresql";

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      failures: { type: "string", default: String(ENOUGH) },
      only: { type: "string", default: "" },
      page: { type: "string" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const count = Number(values.failures);
  if (!Number.isInteger(count) || count < 1) throw new Failed("--failures must be a number from 1");
  const kinds = failures.filter(({ name }) => name.includes(values.only));
  const page = values.page ?? (count >= ENOUGH ? PAGE : undefined);
  const programs = findPrograms();
  const user = findUser();
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "cadastre-failover-"));
  chmodSync(directory, 0o755);
  createMachines();
  try {
    return await run({ directory, user, programs, planned: sequence(count, kinds), page });
  } finally {
    endAll();
    await Bun.sleep(500);
    removeMachines();
    if (values.keep) console.log(`The logs are in ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  }
}

function findPrograms(): string {
  if (process.getuid?.() !== 0) throw new Failed("Run it as root: it makes network namespaces");
  const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
  const missing = ["patroni", "etcd", "haproxy", "ip"].filter((one) => !Bun.which(one, { PATH }));
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const programs = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, "bin"))
    .find((place) => existsSync(join(place, "initdb")));
  if (missing.length > 0 || !programs) {
    throw new Failed(`Install ${[...missing, ...(programs ? [] : ["postgresql"])].join(", ")}`);
  }
  return programs;
}

function findUser(): { uid: number; gid: number } {
  const [uid, gid] = ["-u", "-g"].map((which) => {
    const { status, stdout } = spawnSync("id", [which, "postgres"], { encoding: "utf8" });
    if (status !== 0) throw new Failed("There is no user postgres: install postgresql-common");
    return Number(stdout);
  });
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

interface Run {
  directory: string;
  user: { uid: number; gid: number };
  programs: string;
  planned: readonly Failure[];
  page: string | undefined;
}

async function run({ directory, user, programs, planned, page }: Run): Promise<number> {
  const cluster = await startCluster(directory, { user, programs });
  console.log("The cluster is up");
  const service = await startService(directory, cluster.url);
  await createNetworks(service);
  const load = startLoad(service);
  const started = performance.now();
  const results: FailureResult[] = [];
  const unplanned: string[] = [];
  try {
    for (const failure of planned) {
      const result = await fail(failure, { cluster, service, unplanned });
      results.push(result);
      const { reads, writes, untilPrimary, back } = costOf(result, load);
      console.log(
        `${results.length}. ${failure.name}: new primary after ${seconds(untilPrimary)}, ` +
          `reads failed ${seconds(reads)}, writes ${seconds(writes)}, back after ${seconds(back)}`,
      );
    }
  } finally {
    await load.stop();
    writeLogs(directory, { cluster, service });
  }
  const duration = (performance.now() - started) / 1_000;
  const primary = await waitFor("the primary", () => primaryOf(cluster));
  const url = cluster.url.replace(/@[^/]+/, `@${primary.address}:5432`).replace(/\?.*/, "");
  const verdict = await verify(url, load);
  const report = { results, load, verdict, duration, unplanned, versions: versionsOf(programs) };
  console.log(describeRun(report));
  if (page) writeFileSync(page, pageOf(report));
  const isGood = verdict.lost.length + verdict.twice.length + load.unexpected.length === 0;
  return isGood ? 0 : 1;
}

interface Setting {
  cluster: Cluster;
  service: Service;
  unplanned: string[];
}

/** One failure, from a whole cluster to a whole cluster. */
async function fail(
  failure: Failure,
  { cluster, service, unplanned }: Setting,
): Promise<FailureResult> {
  const primary = await waitFor("the primary", () => primaryOf(cluster));
  const { name, movesPrimary, lasts, cause } = failure;
  const began = performance.now();
  const watching = watchPrimary(cluster, primary.name);
  const repair = await cause({ cluster, service, primary });
  if (movesPrimary) await waitFor("a new primary", () => watching.replaced(), 90);
  await Bun.sleep(lasts);
  await repair();
  await waitFor("a whole cluster", () => isHealthy(cluster), 180);
  await Promise.all(service.instances.map((instance) => untilReady(instance)));
  await Bun.sleep(CALM);
  const replaced = watching.stop();
  if (replaced !== undefined && !movesPrimary) unplanned.push(name);
  return { name, movesPrimary, began, ended: performance.now(), replaced };
}

/** When a node other than this one is the primary. */
function watchPrimary(cluster: Cluster, former: string) {
  let at: number | undefined;
  let going = true;
  const watch = async () => {
    while (going && at === undefined) {
      const found = await primaryOf(cluster);
      if (found && found.name !== former) at = performance.now();
      await Bun.sleep(50);
    }
  };
  watch().catch((error) => console.error(String(error)));
  return {
    replaced: () => at,
    stop: () => {
      going = false;
      return at;
    },
  };
}

function writeLogs(directory: string, { cluster, service }: Omit<Setting, "unplanned">): void {
  for (const { name, etcd, patroni } of cluster.nodes) {
    writeFileSync(join(directory, `${name}-etcd.log`), etcd.said());
    writeFileSync(join(directory, `${name}-patroni.log`), patroni.said());
  }
  service.instances.forEach(({ process: one }, at) => {
    writeFileSync(join(directory, `instance${at + 1}.log`), one.said());
  });
}

function versionsOf(programs: string): string {
  const say = (command: string, pattern: RegExp) => {
    const [program = "", ...args] = command.split(" ");
    const { stdout } = spawnSync(program, args, { encoding: "utf8" });
    return pattern.exec(stdout)?.[1] ?? "?";
  };
  return [
    `PostgreSQL ${say(`${programs}/postgres --version`, /([\d.]+)/)}`,
    `Patroni ${say("patroni --version", /([\d.]+)/)}`,
    `etcd ${say("etcd --version", /([\d.]+)/)}`,
    `haproxy ${say("/usr/sbin/haproxy -v", /version ([\d.]+)/)}`,
  ].join(", ");
}

function seconds(value: number | undefined): string {
  return value === undefined ? "-" : `${value.toFixed(1)} s`;
}

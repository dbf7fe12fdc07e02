// The test bed: the databases, the servers, and the baseline.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchServer, Copy, Size } from "./data.ts";
import { headersFor } from "./measure.ts";
import { type BenchOperation, type Examples, operations } from "./operations.ts";
import { parentOf } from "./processes.ts";
import { fromJson, type RecordedStatement, toJson } from "./recorded.ts";
import { UserError } from "./report.ts";
import {
  type Credentials,
  createNetwork,
  credentials,
  type Served,
  serve,
  serveBare,
} from "./served.ts";

export interface Site {
  size: Size;
  url: string;
  served: Served;
  credentials: Credentials;
  operations: BenchOperation[];
}

export interface TestBed {
  server: BenchServer;
  /** From the smallest to the largest, which most operations are measured on. */
  sites: Site[];
  largest: Site;
  constant: Served;
  bare: Served;
  /** The statements that the service sends for each operation on the largest site. */
  statements: Map<string, RecordedStatement[]>;
  directory: string;
  close(): Promise<void>;
}

export interface TestBedOptions {
  sizes: Size[];
  /** A database of this size, for this test bed alone. */
  copy(size: Size): Promise<Copy>;
}

export async function build(server: BenchServer, options: TestBedOptions): Promise<TestBed> {
  const directory = await ownDirectory();
  const ends: Array<() => Promise<unknown>> = [() => rm(directory, { recursive: true })];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    return { ...(await setUp(options, { server, directory, ends })), directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A directory named by our pid; directories of killed runs are removed. */
async function ownDirectory(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const [, owner] = /^cadastre-bench-(\d+)-/.exec(name) ?? [];
    const isLeft = owner !== undefined && parentOf(Number(owner)) === undefined;
    if (isLeft) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
  return mkdtemp(join(tmpdir(), `cadastre-bench-${process.pid}-`));
}

interface SetupContext {
  server: BenchServer;
  directory: string;
  /** Stops what was started, in reverse order. */
  ends: Array<() => Promise<unknown>>;
}

async function setUp({ sizes, copy }: TestBedOptions, { server, directory, ends }: SetupContext) {
  const sites: Site[] = [];
  for (const size of sizes) {
    const { url, drop } = await copy(size);
    ends.push(drop);
    const served = await serve(url);
    ends.push(served.stop);
    sites.push(await prepare({ size, url, served }));
  }
  const largest = sites.at(-1);
  if (!largest) throw new UserError("Name a size");
  const statements = await recordStatements(largest);
  const file = join(directory, "statements.json");
  await Bun.write(file, toJson([...statements.values()]));
  const constant = await serveBare("constant");
  ends.push(constant.stop);
  const bare = await serveBare("statements", { STATEMENTS: file, DATABASE_URL: largest.url });
  ends.push(bare.stop);
  return { server, sites, largest, constant, bare, statements };
}

async function prepare(site: Pick<Site, "size" | "url" | "served">): Promise<Site> {
  const headers = await credentials(site.served);
  await createNetwork(site.served, headers);
  return { ...site, credentials: headers, operations: operations(await examples(site, headers)) };
}

/** Records that exist in data of every size, so that sizes can be compared. */
async function examples(
  { served, size }: Pick<Site, "served" | "size">,
  { admin: headers }: Credentials,
): Promise<Examples> {
  const place = Math.min(size.items, size.hosts, 1_000);
  const one = async (path: string) => {
    const url = `${served.origin}/api/v1${path}?per_page=1&page=${place}&sort=id`;
    const answer = await fetch(url, { headers });
    const [found] = (await answer.json()) as [never];
    return found;
  };
  return { item: await one("/inventory/items"), host: await one("/network/hosts") };
}

/** Records the statements of each operation; each is requested once, to check that it works. */
async function recordStatements(site: Site): Promise<Map<string, RecordedStatement[]>> {
  const compared = site.operations.filter((one) => one.compared);
  const requests = compared.map(({ path, as }) => ({ path, headers: site.credentials[as] }));
  const recorder = Bun.spawn([process.execPath, join(import.meta.dir, "record_statements.ts")], {
    env: { ...process.env, DATABASE_URL: site.url, LOG_LEVEL: "error" },
    stdin: Buffer.from(JSON.stringify(requests)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(recorder.stdout).text();
  if ((await recorder.exited) !== 0) throw new UserError("The statements cannot be recorded");
  const recorded = fromJson(text);
  return new Map(compared.map(({ name }, at) => [name, recorded[at] ?? []]));
}

/** Sends one request, and fails if the response is not the expected one. */
export async function requestOnce(
  operation: BenchOperation,
  { served, credentials }: Site,
): Promise<void> {
  const headers = await headersFor(operation, served, credentials);
  const answer = await fetch(served.origin + operation.path, { headers, redirect: "manual" });
  const text = await answer.text();
  if (answer.status === (operation.isConditional ? 304 : 200)) return;
  throw new UserError(`${operation.name} answers ${answer.status}: ${text.slice(0, 300)}`);
}

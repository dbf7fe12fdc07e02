// The stand that everything is measured on: the databases, what serves them, and what it is compared with.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as data from "./data.ts";
import { headersFor } from "./measure.ts";
import { type Examples, type Operation, operations } from "./operations.ts";
import type { Statement } from "./overheard.ts";
import { memoryOf } from "./processes.ts";
import { type Say, Trouble } from "./say.ts";
import { type Askers, askers, layGround, type Served, serve, serveBare } from "./served.ts";

export interface Site {
  size: data.Size;
  url: string;
  served: Served;
  askers: Askers;
  operations: Operation[];
}

export interface Stand {
  server: data.Server;
  /** From the smallest to the largest, which is the one that all is measured on. */
  sites: Site[];
  largest: Site;
  constant: Served;
  bare: Served;
  /** What the service asks of PostgreSQL for each operation of the largest. */
  statements: Map<string, Statement[]>;
  /** Megabytes of the service before anybody asks it for anything. */
  atRest: number;
  directory: string;
  close(): Promise<void>;
}

export interface Options {
  /** Of a PostgreSQL whose user may create databases; without it, an embedded one. */
  address: string | undefined;
  sizes: data.Size[];
  fresh: boolean;
  say: Say;
}

const CALM = 1_000;

export async function build(options: Options): Promise<Stand> {
  const directory = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
  const ends: Array<() => Promise<unknown>> = [() => rm(directory, { recursive: true })];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    return { ...(await raise(options, { directory, ends })), directory, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

interface Raising {
  directory: string;
  /** What has to be ended, in the order in which it began. */
  ends: Array<() => Promise<unknown>>;
}

async function raise({ address, sizes, fresh, say }: Options, { directory, ends }: Raising) {
  const server = await data.start(address, say);
  ends.push(server.stop);
  const sites: Site[] = [];
  let atRest = 0;
  for (const size of sizes) {
    const copy = await data.copyOf(server, size, { fresh, say });
    ends.push(copy.drop);
    const served = await serve(copy.url);
    ends.push(served.stop);
    await Bun.sleep(CALM);
    atRest = memoryOf(served.pid);
    sites.push(await settle({ size, url: copy.url, served }));
  }
  const largest = sites.at(-1);
  if (!largest) throw new Trouble("Name a size");
  const statements = await overhear(largest);
  const file = join(directory, "statements.json");
  await Bun.write(file, JSON.stringify([...statements.values()]));
  const constant = await serveBare("constant");
  ends.push(constant.stop);
  const bare = await serveBare("statements", { STATEMENTS: file, DATABASE_URL: largest.url });
  ends.push(bare.stop);
  return { server, sites, largest, constant, bare, statements, atRest };
}

async function settle(site: Pick<Site, "size" | "url" | "served">): Promise<Site> {
  const who = await askers(site.served);
  await layGround(site.served, who);
  return { ...site, askers: who, operations: operations(await examples(site.served, who)) };
}

async function examples({ origin }: Served, { admin: headers }: Askers): Promise<Examples> {
  const one = async (path: string) => {
    const answer = await fetch(`${origin}/api/v1${path}?per_page=1&page=30&sort=-id`, { headers });
    const [found] = (await answer.json()) as [never];
    return found;
  };
  return { item: await one("/inventory/items"), host: await one("/network/hosts") };
}

/** What is sent for each operation; each is also asked once, so that none has rotted. */
async function overhear(site: Site): Promise<Map<string, Statement[]>> {
  const compared = site.operations.filter((one) => one.compared);
  const askings = compared.map(({ path, as }) => ({ path, headers: site.askers[as] }));
  const listening = Bun.spawn([process.execPath, join(import.meta.dir, "overheard.ts")], {
    env: { ...process.env, DATABASE_URL: site.url, LOG_LEVEL: "error" },
    stdin: Buffer.from(JSON.stringify(askings)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const heard: Statement[][] = JSON.parse(await new Response(listening.stdout).text());
  return new Map(compared.map(({ name }, at) => [name, heard[at] ?? []]));
}

const WARM_UP = 200;
const LONG_ENOUGH = 500;

/** Asks until what is going to be measured has been compiled and read into memory. */
export async function warmUp(operation: Operation, site: Site): Promise<void> {
  const begun = performance.now();
  await tryOut(operation, site);
  for (let asked = 1; asked < WARM_UP && performance.now() - begun < LONG_ENOUGH; ) {
    const asking = Array.from({ length: operation.clients }, () => tryOut(operation, site));
    await Promise.all(asking);
    asked += operation.clients;
  }
}

/** Asks once, and refuses any answer but the one that is to be measured. */
export async function tryOut(operation: Operation, { served, askers }: Site): Promise<void> {
  const headers = await headersFor(operation, served, askers);
  const answer = await fetch(served.origin + operation.path, { headers, redirect: "manual" });
  const text = await answer.text();
  if (answer.status === (operation.known ? 304 : 200)) return;
  throw new Trouble(`${operation.name} answers ${answer.status}: ${text.slice(0, 300)}`);
}

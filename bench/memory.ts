// The memory of the service and its PostgreSQL together: at rest, after a minute of everything that is measured, and
// after many logins at once.
import { PASSWORD } from "./data.ts";
import { load } from "./load.ts";
import { headersFor, loadOf } from "./measure.ts";
import type { BenchOperation } from "./operations.ts";
import { treeMemoryOf } from "./processes.ts";
import type { Site } from "./test_bed.ts";

/** Megabytes, as the kernel counts them in proportion (PSS). */
export interface Memory {
  service: number;
  postgres: number;
}

export interface MemoryResult {
  atRest: Memory;
  afterLoad: Memory;
  afterLogins: Memory;
  /** Requests of the load that failed. */
  failed: number;
}

export interface MemoryOptions {
  postmaster: number;
  /** Of the load. */
  seconds?: number;
}

const MINUTE = 60;
/** Seconds of one operation. */
const TURN = 1;
const LOGINS = 200;
const LOGINS_AT_ONCE = 8;
/** Milliseconds in which nobody asks, before memory is read: a quiet service gives memory back. */
const CALM = 15_000;

export async function measureMemory(
  site: Site,
  { postmaster, seconds = MINUTE }: MemoryOptions,
): Promise<MemoryResult> {
  const reading = async (): Promise<Memory> => {
    await Bun.sleep(CALM);
    return { service: treeMemoryOf(site.served.pid), postgres: treeMemoryOf(postmaster) };
  };
  const atRest = await reading();
  const failed = await loadAll(site, seconds);
  const afterLoad = await reading();
  await logIn(site);
  return { atRest, afterLoad, afterLogins: await reading(), failed };
}

export function inAll({ service, postgres }: Memory): number {
  return service + postgres;
}

/** All operations in turn. */
async function loadAll(site: Site, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let failed = 0;
  while (performance.now() < until) {
    for (const operation of site.operations) {
      if (performance.now() > until) break;
      failed += await turnOf(operation, site);
    }
  }
  return failed;
}

async function turnOf(operation: BenchOperation, { served, credentials }: Site): Promise<number> {
  const headers = await headersFor(operation, served, credentials);
  const { refused, broken } = await load(loadOf({ ...operation, seconds: TURN }, served, headers));
  return refused + broken;
}

async function logIn({ served }: Site): Promise<void> {
  for (let at = 0; at < LOGINS; at += LOGINS_AT_ONCE) {
    await Promise.all(
      Array.from({ length: LOGINS_AT_ONCE }, async () => {
        const answer = await fetch(`${served.origin}/api/v1/user/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: "alice", password: PASSWORD }),
        });
        await answer.arrayBuffer();
      }),
    );
  }
}

// How much memory the embedded PostgreSQL uses. It shares a machine with the service, and the system caches its files
// anyway: pages in its own buffers are kept twice.
import { totalmem } from "node:os";

const MEGABYTE = 2 ** 20;
/** Its default is 128 MB, which a site of 100,000 items fills within a minute of reading, without being faster than 32. */
const BUFFERS = { least: 16, most: 32, share: 1 / 32 };
/** For the planner: what is probably cached by anybody. */
const CACHE = { least: 256, most: 4_096, share: 1 / 2 };

/** Set at every start, so that they follow the machine. */
export function memorySettings(bytes = totalmem()): string[] {
  return [
    `shared_buffers=${shareOf(bytes, BUFFERS)}MB`,
    `effective_cache_size=${shareOf(bytes, CACHE)}MB`,
  ];
}

/** Neither workers that read ahead, as the system reads files well enough, nor what starts logical replication: 10 MB. */
export function processSettings(major: number): string[] {
  return ["max_logical_replication_workers=0", ...(major >= 18 ? ["io_method=sync"] : [])];
}

function shareOf(bytes: number, { least, most, share }: typeof BUFFERS): number {
  return Math.min(most, Math.max(least, Math.floor((bytes / MEGABYTE) * share)));
}

// How much memory the embedded PostgreSQL uses. It shares a machine with the service, and the system caches its files
// anyway: pages in its own buffers are kept twice.
import { totalmem } from "node:os";

const MEGABYTE = 2 ** 20;
/** Its default is 128 MB, which a site of 100,000 items fills within a minute of reading, without being faster than 16. */
const BUFFERS = 16;
/** For the planner: what is probably cached by anybody. */
const LEAST_CACHE = 256;
const MOST_CACHE = 4_096;

/** Set at every start, so that they follow the machine. */
export function memorySettings(bytes = totalmem()): string[] {
  const half = Math.floor(bytes / 2 / MEGABYTE);
  const cache = Math.min(MOST_CACHE, Math.max(LEAST_CACHE, half));
  return [`shared_buffers=${BUFFERS}MB`, `effective_cache_size=${cache}MB`];
}

/** Neither workers that read ahead, as the system reads files well enough, nor what starts logical replication: 10 MB. */
export function processSettings(major: number): string[] {
  return ["max_logical_replication_workers=0", ...(major >= 18 ? ["io_method=sync"] : [])];
}

// On whose behalf the present work is done: read from the request under way, so that no work can
// forget it.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller } from "./auth.ts";

interface Visitor {
  /** The client's address. */
  address: string;
  /** Set once the request is authenticated. */
  caller?: Caller;
}

const current = new AsyncLocalStorage<Visitor>();

/** Everything that follows from this work is done for this visitor. */
export function during<T>(visit: Visitor, work: () => T): T {
  return current.run(visit, work);
}

/** The user, or the address of an unknown one; undefined for work that no request waits for. */
export function visitor(): string | undefined {
  const visit = current.getStore();
  return visit && (visit.caller?.username ?? visit.address);
}

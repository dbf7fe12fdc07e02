// The visitor for whom the current work is done, passed along implicitly.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller } from "./auth.ts";

interface Visitor {
  /** The client's address. */
  address: string;
  /** Set once the request is authenticated. */
  caller?: Caller;
}

const current = new AsyncLocalStorage<Visitor>();

/** Runs the work for this visitor. */
export function runAs<T>(visit: Visitor, work: () => T): T {
  return current.run(visit, work);
}

/** The username, or the address if not authenticated; undefined outside of requests. */
export function visitor(): string | undefined {
  const visit = current.getStore();
  return visit && (visit.caller?.username ?? visit.address);
}

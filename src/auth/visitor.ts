// The visitor for whom the current work is done, passed along implicitly.
import { AsyncLocalStorage } from "node:async_hooks";

interface Visitor {
  /** Of the request. */
  id: string;
  /** The client's address. */
  address: string;
  /** Set once the request is authenticated. */
  caller?: { username: string };
}

const current = new AsyncLocalStorage<Visitor>();

/** Runs the work for this visitor. */
export function runForVisitor<T>(visit: Visitor, work: () => T): T {
  return current.run(visit, work);
}

/** The username, or the address if not authenticated; undefined outside of requests. */
export function visitor(): string | undefined {
  const visit = current.getStore();
  return visit && (visit.caller?.username ?? visit.address);
}

/** The id of the current request and the address of its client; nulls outside of requests. */
export function origin(): { request_id: string | null; address: string | null } {
  const visit = current.getStore();
  return { request_id: visit?.id ?? null, address: visit?.address ?? null };
}

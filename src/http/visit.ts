// What the server knows of a request before anyone looks at its path.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller } from "../auth/auth.ts";

export interface Visit {
  id: string;
  /** The client's address, the proxy's word for it where a proxy is trusted. */
  address: string;
  /** Scheme, host and port under which the asker knows us. */
  origin: string;
  started: number;
  /** The route's pattern, for the log and the metrics: /inventory/items/:id_ */
  route?: string;
  caller?: Caller;
  /** Its body has been read to the end. */
  isRead?: boolean;
  /** Bytes of its body, where they are many: see request_body.ts. */
  held?: number;
}

const visits = new WeakMap<Request, Visit>();
const current = new AsyncLocalStorage<Visit>();

export function begin(request: Request, visit: Visit): void {
  visits.set(request, visit);
}

export function visitOf(request: Request): Visit {
  const visit = visits.get(request);
  if (!visit) throw new Error("A request came in by another door than the server's");
  return visit;
}

/** All that follows from this work is done for that visit. */
export function during<T>(visit: Visit, work: () => T): T {
  return current.run(visit, work);
}

/** Whom the present work is done for; undefined where nobody waits for it, as at the start. */
export function visitor(): string | undefined {
  const visit = current.getStore();
  return visit && (visit.caller?.username ?? visit.address);
}

/** Behind TLS, as far as the browser is concerned. */
export function isSecure(request: Request): boolean {
  return visitOf(request).origin.startsWith("https:");
}

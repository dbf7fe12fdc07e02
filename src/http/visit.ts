// What the server knows of a request before anyone looks at its path.
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

export function begin(request: Request, visit: Visit): void {
  visits.set(request, visit);
}

export function visitOf(request: Request): Visit {
  const visit = visits.get(request);
  if (!visit) throw new Error("A request came in by another door than the server's");
  return visit;
}

/** Behind TLS, as far as the browser is concerned. */
export function isSecure(request: Request): boolean {
  return visitOf(request).origin.startsWith("https:");
}

// What is known of a request before routing: its id, client, origin.
import type { Caller } from "../auth/auth.ts";

export interface Visit {
  id: string;
  /** The address of the client; from the proxy, if proxies are trusted. */
  address: string;
  /** Scheme, host and port of the service, as the client sees them. */
  origin: string;
  started: number;
  /** The route's pattern, for the log and the metrics: /inventory/items/:id_ */
  route?: string;
  caller?: Caller;
  /** What it has changed. */
  changeSet?: number;
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
  if (!visit) throw new Error("This request did not come through the server");
  return visit;
}

/** Whether the browser uses TLS. */
export function isSecure(request: Request): boolean {
  return visitOf(request).origin.startsWith("https:");
}

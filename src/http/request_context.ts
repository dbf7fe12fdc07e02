// The context of a request, which exists before routing: its id, client and origin.
import type { Caller, Visit } from "../auth/auth.ts";

export interface RequestContext {
  id: string;
  /** The address of the client; from the proxy, if proxies are trusted. */
  address: string;
  /** Scheme, host and port of the service, as the client sees them. */
  origin: string;
  /** The origin is that of PUBLIC_URL, not what the request says. */
  isOriginSet?: boolean;
  started: number;
  /** The route's pattern, for the log and the metrics: /inventory/items/:id_ */
  route?: string;
  caller?: Caller;
  /** The change set that it has written. */
  changeSet?: number;
  /** What the caller should know of a write that was not refused. */
  warning?: string;
  /** The body has been read to the end. */
  isRead?: boolean;
  /** Bytes of a large body: see request_body.ts. */
  held?: number;
  /** Sets after how many seconds without traffic the connection is closed, LONGEST_SILENCE by default; 0 for never. */
  setTimeout?: (seconds?: number) => void;
}

const contexts = new WeakMap<Request, RequestContext>();

export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("This request did not come through the server");
  return context;
}

/** Where the request came from, for what is done for it. */
export function visitOf(request: Request): Visit {
  const { address, id } = contextOf(request);
  return { address, request_id: id };
}

/** Whether the browser uses TLS. */
export function isSecure(request: Request): boolean {
  return contextOf(request).origin.startsWith("https:");
}

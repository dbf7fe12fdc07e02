// The way into the API: who asks, what they may, what they sent - in this order, before any shape or
// id is looked at. Elysia runs parse, then transform, then validates, then resolve.
import { Elysia } from "elysia";
import { type Allowed, type Caller, identify, permit, type Wishes } from "../auth.ts";
import { type Fault, invalid, refuse } from "../errors.ts";
import { LONGEST_IDEMPOTENCY_KEY } from "../limits.ts";
import { flag, onlyParams } from "../records.ts";
import { tidy } from "../text.ts";
import { visitOf } from "../visit.ts";
import { readJson, readRows } from "./body.ts";

interface Entering {
  request: Request;
  route: string;
  body: unknown;
  caller?: Caller;
}

/** Who may call a route, which parameters a write knows, and how its body is read. */
interface Entrance {
  allowed: Allowed;
  known: readonly string[];
  read: (request: Request) => Promise<unknown>;
}

export const door = new Elysia({ name: "api door" }).macro({
  /** Who may call this route. Each route says it. */
  allow: (allowed: Allowed) =>
    entrance({
      allowed,
      known: ["dry_run"],
      read: async (request) => tidy(await readJson(request)),
    }),
  /** The same of a route that takes rows. */
  allowRows: (allowed: Allowed) =>
    entrance({ allowed, known: ["dry_run", "apply"], read: readRows }),
});

function entrance(told: Entrance) {
  return {
    // Nobody reads the body before it is known who sent it.
    parse: () => null,
    transform: (entering: Entering) => enter(entering, told),
    resolve: seated,
    detail: { security: [{ bearer: [] }] },
  };
}

async function enter(entering: Entering, { allowed, known, read }: Entrance): Promise<void> {
  const { request, route } = entering;
  const visit = visitOf(request);
  visit.route = route;
  const writes = request.method !== "GET" && request.method !== "HEAD";
  const caller = await identify(request.headers.get("authorization"));
  visit.caller = caller;
  permit(caller, allowed, writes);
  if (writes) entering.body = await read(request);
  entering.caller = writes ? { ...caller, wishes: readWishes(entering, known) } : caller;
}

function seated(entering: Entering) {
  return {
    caller: entering.caller as Caller,
    search: new URL(entering.request.url).searchParams,
  };
}

function readWishes({ request, body }: Entering, known: readonly string[]): Wishes {
  const { searchParams, pathname } = new URL(request.url);
  const faults: Fault[] = [];
  onlyParams(searchParams, known);
  const dry_run = flag(searchParams, "dry_run", faults);
  if (faults.length > 0) throw refuse(faults);
  const wishes = {
    request_id: visitOf(request).id,
    dry_run,
    if_match: request.headers.get("if-match"),
  };
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return wishes;
  if (key.length === 0 || key.length > LONGEST_IDEMPOTENCY_KEY) {
    throw invalid("Idempotency-Key", `Use 1 to ${LONGEST_IDEMPOTENCY_KEY} characters`);
  }
  const fingerprint = Bun.hash(`${pathname} ${JSON.stringify(body, unlessSecret)}`).toString(36);
  return { ...wishes, idempotency: { key, fingerprint } };
}

// The fingerprint is kept for a day and quickly made: with a password in it, one could try many.
function unlessSecret(field: string, value: unknown): unknown {
  return /password$/.test(field) ? undefined : value;
}

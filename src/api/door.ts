// The way into the API: who asks, what they may, what they sent - in this order, before any shape or
// id is looked at. Elysia runs parse, then transform, then validates, then resolve.
import { Elysia } from "elysia";
import { type Allowed, type Caller, identify, permit, type Wishes } from "../auth.ts";
import { type Fault, invalid, Refusal, refuse } from "../errors.ts";
import { flag, onlyParams } from "../records.ts";
import { tidy } from "../text.ts";
import { visitOf } from "../visit.ts";
import { readJson, readRows } from "./body.ts";

interface Entering {
  request: Request;
  route: string;
  body: unknown;
  params?: { id?: string };
  caller?: Caller;
}

/** Who may call a route, which parameters a write knows, and how its body is made ready. */
interface Entrance {
  allowed: Allowed;
  known: readonly string[];
  ready: (body: unknown) => unknown;
  /** What a token may do to itself, also one that only reads. */
  ofToken?: boolean;
  /** It takes a body and changes nothing. */
  isQuery?: boolean;
}

export const door = new Elysia({ name: "api door" }).macro({
  /** Who may call this route. Each route says it. */
  allow: (allowed: Allowed) => ({
    parse: ({ request }: { request: Request }) => readJson(request),
    transform: (entering: Entering) =>
      enter(entering, { allowed, known: knownTo(entering.request), ready: tidy }),
    resolve: seated,
    detail: { security: [{ bearer: [] }] },
  }),
  /** The same of a route that ends or replaces the token that its path names. */
  allowToken: (allowed: Allowed) => ({
    parse: ({ request }: { request: Request }) => readJson(request),
    transform: (entering: Entering) =>
      enter(entering, { allowed, known: ["dry_run"], ready: tidy, ofToken: true }),
    resolve: seated,
    detail: { security: [{ bearer: [] }] },
  }),
  /** The same of a POST that only reads: its body stands for the parameters of a URL, and is taken as those are. */
  allowQuery: (allowed: Allowed) => ({
    parse: ({ request }: { request: Request }) => readJson(request),
    transform: (entering: Entering) =>
      enter(entering, { allowed, known: [], ready: (body) => body, isQuery: true }),
    resolve: seated,
    detail: { security: [{ bearer: [] }] },
  }),
  /** The same of a route that takes rows, of which nothing is read before it is known who sends them. */
  allowRows: (allowed: Allowed) => ({
    parse: async ({ request }: { request: Request }) =>
      (await mayEnter(request, allowed)) ? readRows(request) : "",
    transform: (entering: Entering) =>
      enter(entering, { allowed, known: ["dry_run", "apply"], ready: (text) => text }),
    resolve: seated,
    detail: { security: [{ bearer: [] }] },
  }),
});

/** The parameters of a write: what makes or changes a record answers with it. */
function knownTo({ method }: Request): readonly string[] {
  return method === "DELETE" ? ["dry_run"] : ["dry_run", "recursive", "force"];
}

async function enter(entering: Entering, entrance: Entrance): Promise<void> {
  const { request, route } = entering;
  const { allowed, known, ready, ofToken = false, isQuery = false } = entrance;
  const visit = visitOf(request);
  visit.route = route;
  const writes = request.method !== "GET" && request.method !== "HEAD" && !isQuery;
  const caller = await identify(request.headers.get("authorization"));
  visit.caller = caller;
  permit(caller, allowed, writes && !(ofToken && isItself(caller, entering.params)));
  if (entering.body instanceof Refusal) throw entering.body;
  if (isQuery) onlyParams(new URL(request.url).searchParams, known);
  entering.body = ready(entering.body);
  entering.caller = writes ? { ...caller, wishes: readWishes(entering, known) } : caller;
}

function isItself({ credential }: Caller, params: Entering["params"]): boolean {
  if (credential?.kind !== "personal" || params?.id === undefined) return false;
  return params.id === "self" || params.id === String(credential.id);
}

function seated(entering: Entering) {
  return {
    caller: entering.caller as Caller,
    search: new URL(entering.request.url).searchParams,
  };
}

/** Why not is said where the others say it, after the parsing. */
function mayEnter(request: Request, allowed: Allowed): Promise<boolean> {
  return identify(request.headers.get("authorization"))
    .then((caller) => permit(caller, allowed, true))
    .then(
      () => true,
      () => false,
    );
}

const LONGEST_KEY = 255;

function readWishes({ request, body }: Entering, known: readonly string[]): Wishes {
  const { searchParams, pathname } = new URL(request.url);
  const faults: Fault[] = [];
  onlyParams(searchParams, known);
  const dry_run = flag(searchParams, "dry_run", faults);
  const force = flag(searchParams, "force", faults);
  const recursive = flag(searchParams, "recursive", faults);
  if (faults.length > 0) throw refuse(faults);
  const wishes = {
    request_id: visitOf(request).id,
    dry_run,
    force,
    recursive,
    if_match: request.headers.get("if-match"),
  };
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return wishes;
  if (key.length === 0 || key.length > LONGEST_KEY) {
    throw invalid("Idempotency-Key", `Use 1 to ${LONGEST_KEY} characters`);
  }
  const fingerprint = Bun.hash(`${pathname} ${JSON.stringify(body, unlessSecret)}`).toString(36);
  return { ...wishes, idempotency: { key, fingerprint } };
}

// The fingerprint is kept for a day and quickly made: with a password in it, one could try many.
function unlessSecret(field: string, value: unknown): unknown {
  return /password$/.test(field) ? undefined : value;
}

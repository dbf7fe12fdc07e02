// Runs before every route of the API: authenticates the caller, checks the permission, and reads the query and the body,
// in this order, before any schema or id is checked. Elysia runs parse, transform, validation, resolve.
import type { Static, TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Allowed, type Caller, identify, permit, type WriteOptions } from "../auth/auth.ts";
import {
  type Reach,
  requireAddress,
  requireReach,
  requireReachOfBody,
} from "../auth/token_limits.ts";
import { contextOf, visitOf } from "../http/request_context.ts";
import { invalid } from "../input/errors.ts";
import { LONGEST_IDEMPOTENCY_KEY } from "../input/limits.ts";
import { NO_QUERY, readQuery } from "../input/query.ts";
import { isObject, normalizeInput } from "../input/text.ts";
import { dryRunQuery, importQuery, itemQuery, writeQuery } from "./answers.ts";
import { readJsonBody, readRows, readUpload } from "./body.ts";

interface Context {
  request: Request;
  route: string;
  body: unknown;
  params?: { id?: string };
  caller?: Caller;
}

/** Who may call a route, which parameters a write takes, and how its body is read. */
interface RouteRules {
  allowed: Allowed;
  query: (request: Request) => TObject;
  read: (request: Request) => Promise<unknown>;
  /** What a token may do to itself, also one that only reads. */
  ofToken?: boolean;
  /** It takes a body and changes nothing. */
  isQuery?: boolean;
  /** It shows whose token the request has, to every token. */
  ofCaller?: boolean;
}

/** The guard of routes with this reach, which is what a token that is limited to kinds of records needs. */
export function guardOf(reach: Reach) {
  const hooks = (rules: RouteRules) => hooksOf(reach, rules);
  return new Elysia({ name: "api guard", seed: reach }).macro({
    /** Who may call this route. Every route has to declare it. */
    allow: (allowed: Allowed) => hooks({ allowed, query: queryOf, read: readNormalized }),
    /** The same for a route that reads, ends or replaces the token in its path. */
    allowToken: (allowed: Allowed) =>
      hooks({ allowed, query: () => dryRunQuery, read: readNormalized, ofToken: true }),
    /** The same for a route that answers whose token the request has: limits of tokens do not matter. */
    allowCaller: (allowed: Allowed) =>
      hooks({ allowed, query: queryOf, read: readNormalized, ofCaller: true }),
    /** The same for a route that creates or changes an item. */
    allowItem: (allowed: Allowed) =>
      hooks({ allowed, query: () => itemQuery, read: readNormalized }),
    /**
     * The same for a POST that only reads: its body contains the parameters of a URL, for queries that are too long
     * for one, and is not normalized, like those. Clients do not support the method QUERY yet.
     */
    allowQuery: (allowed: Allowed) =>
      hooks({ allowed, query: () => NO_QUERY, read: readJsonBody, isQuery: true }),
    /** The same for a route that takes rows. */
    allowRows: (allowed: Allowed) => hooks({ allowed, query: () => importQuery, read: readRows }),
    /** The same for a route that takes a file. */
    allowFile: (allowed: Allowed) => hooks({ allowed, query: () => writeQuery, read: readUpload }),
  });
}

/** A write that creates or changes a record answers with it, so it takes more parameters. */
function queryOf({ method }: Request): TObject {
  return method === "DELETE" ? dryRunQuery : writeQuery;
}

async function readNormalized(request: Request): Promise<unknown> {
  return normalizeInput(await readJsonBody(request));
}

function hooksOf(reach: Reach, rules: RouteRules) {
  const { allowed, isQuery = false, ofCaller = false } = rules;
  const kinds = ofCaller ? [] : reach.kinds;
  const groups = allowed === "everyone" ? [] : [...allowed];
  return {
    // The body is read once the caller is known.
    parse: () => null,
    transform: (context: Context) => authenticate(context, reach, rules),
    resolve: callerAndSearch,
    // For openapi.ts.
    detail: {
      security: [{ groups, kinds: isQuery ? kinds.map((kind) => `${kind}:read`) : [...kinds] }],
    },
  };
}

async function authenticate(context: Context, reach: Reach, rules: RouteRules): Promise<void> {
  const { request, route } = context;
  const { allowed, query, read, ofToken = false, isQuery = false, ofCaller = false } = rules;
  const requestContext = contextOf(request);
  requestContext.route = route;
  const writes = request.method !== "GET" && request.method !== "HEAD" && !isQuery;
  const caller = await identify(request.headers.get("authorization"), visitOf(request));
  requestContext.caller = caller;
  requireAddress(caller);
  const isOfItself = ofToken && isItself(caller, context.params);
  if (!isOfItself && !ofCaller) requireReach(caller, reach, { writes, url: request.url });
  permit(caller, allowed, writes && !isOfItself);
  context.caller = caller;
  if (!writes && !isQuery) return;
  const parameters: WriteParameters = readQuery(query(request), new URL(request.url).searchParams);
  context.body = await read(request);
  requireReachOfBody(caller, reach, context.body);
  if (writes) context.caller = { ...caller, options: readWriteOptions(context, parameters) };
}

/** The caller of a request that has waited: with the present rights of the user, if the token is still valid. */
export async function presentCaller(request: Request, reach: Reach): Promise<Caller> {
  const caller = await identify(request.headers.get("authorization"), visitOf(request));
  requireAddress(caller);
  requireReach(caller, reach, { writes: false, url: request.url });
  return caller;
}

function isItself({ credential }: Caller, params: Context["params"]): boolean {
  if (credential?.kind !== "personal" || params?.id === undefined) return false;
  return params.id === "self" || params.id === String(credential.id);
}

function callerAndSearch(context: Context) {
  return {
    caller: context.caller as Caller,
    search: new URL(context.request.url).searchParams,
  };
}

type WriteParameters = Partial<Static<typeof itemQuery>>;

function readWriteOptions({ request, body }: Context, parameters: WriteParameters): WriteOptions {
  const { dry_run = false, force = false, recursive = false, unique_serial = false } = parameters;
  const options = {
    dry_run,
    force,
    recursive,
    unique_serial,
    onWarning: (message: string) => {
      contextOf(request).warning = message;
    },
    if_match: request.headers.get("if-match"),
    onCommit: (changeSet: number) => {
      contextOf(request).changeSet = changeSet;
    },
  };
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return options;
  if (key.length === 0 || key.length > LONGEST_IDEMPOTENCY_KEY) {
    throw invalid("Idempotency-Key", `Use 1 to ${LONGEST_IDEMPOTENCY_KEY} characters`);
  }
  const { pathname, search } = new URL(request.url);
  return {
    ...options,
    idempotency: { key, fingerprint: fingerprintOf(pathname + search, body) },
  };
}

/** Rows and files stay bytes and are hashed without a copy. */
function fingerprintOf(address: string, body: unknown): string {
  const isBytes = (one: unknown) => one instanceof Uint8Array;
  const { bytes, ...rest } = isObject(body) && isBytes(body.bytes) ? body : { bytes: body };
  const hash = isBytes(bytes)
    ? Bun.hash(bytes as Uint8Array, Bun.hash(`${address} ${JSON.stringify(rest)}`))
    : Bun.hash(`${address} ${JSON.stringify(body, unlessSecret)}`);
  return hash.toString(36);
}

// The fingerprint is stored for a day and fast to compute: a password in it could be guessed.
function unlessSecret(field: string, value: unknown): unknown {
  return /(password|secret|token)$/.test(field) ? undefined : value;
}

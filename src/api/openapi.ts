// The reference, made from the routes themselves: the shapes that validate are the shapes in the reference.
import { toOpenAPISchema } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { api } from "./mod.ts";

interface Parameter {
  name: string;
  in: string;
}

interface Answer {
  content?: object;
}

interface Operation {
  parameters?: Parameter[];
  responses?: Record<string, Answer>;
  security?: object[];
  requestBody?: object;
  [other: string]: unknown;
}

export interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
}

let made: Document | undefined;

/** OpenAPI 3.1, made once, at the first asking. */
export function document(): Document {
  made ??= make();
  return made;
}

export const openapi = new Elysia().get("/api/v1/openapi.json", () => Response.json(document()), {
  detail: { hide: true },
});

function make(): Document {
  const { paths, components } = toOpenAPISchema(api) as unknown as Pick<
    Document,
    "paths" | "components"
  >;
  return {
    openapi: "3.1.0",
    info: {
      title: "Cadastre",
      version: "1",
      description: "A register of equipment and of the network that it hangs on.",
    },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path.replace(/\/$/, ""),
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [
            method,
            complete({ method, path }, { ...operation, ...droppedFrom(operation, method, path) }),
          ]),
        ),
      ]),
    ),
    components: {
      ...components,
      schemas: { ...components.schemas, Problem: PROBLEM },
      responses: { Problem: problem("See the status and `detail`") },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A login or personal token" },
      },
    },
  };
}

const REFUSALS: Record<string, string> = {
  401: "No valid token",
  403: "A permission is missing",
  404: "No such record, or none that you may see",
  412: "Changed since it was read",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "Something in the request is wrong; `errors` says what",
  429: "Too many requests of this kind",
  503: "The database does not answer; try again shortly",
};

interface Place {
  method: string;
  path: string;
}

/** Adds what every operation may also answer, and the headers that say how to ask. */
function complete({ method, path }: Place, operation: Operation): Operation {
  const isOpen = operation.security?.length === 0;
  const isOfOne = operation.parameters?.some((one) => one.in === "path") ?? false;
  const applies: Record<string, boolean> = {
    403: !isOpen,
    404: isOfOne,
    412: method === "patch" || method === "delete",
    413: method !== "get",
    415: method !== "get",
    429: isOpen || operation.requestBody !== undefined,
  };
  const refusals = Object.entries(REFUSALS)
    .filter(([status]) => applies[status] ?? true)
    .map(([status, description]) => [status, problem(description, operation.responses?.[status])]);
  const known = method === "get" ? { 304: { description: "As you know it" } } : {};
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []), ...headersOf({ method, path })],
    responses: {
      ...(method === "get" ? answersOf(operation) : withChangeSet(answersOf(operation))),
      ...known,
      ...Object.fromEntries(refusals),
    },
  };
}

/** The header of a write that was committed. */
function withChangeSet(answers: Record<string, Answer>): Record<string, object> {
  const headers = {
    "Change-Set": {
      description: "The id of the change set, if anything was written: see /changes/{id}",
      schema: { type: "integer" },
    },
  };
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, { ...answer, headers }]),
  );
}

// @elysiajs/openapi 1.4.16 leaves the content out where a route reads its own body, and the query's
// parameters where the path has some.
function droppedFrom(operation: Operation, method: string, path: string): Partial<Operation> {
  const route = api.routes.find(
    (one) => one.method.toLowerCase() === method && one.path.replace(/:([^/]+)/g, "{$1}") === path,
  );
  const { body: schema, detail } = route?.hooks ?? {};
  const known = operation.parameters ?? [];
  const isMissing = (one: Parameter) => !known.some(({ name }) => name === one.name);
  const parameters = [...known, ...((detail?.parameters ?? []) as Parameter[]).filter(isMissing)];
  // A route that takes something other than JSON says so itself.
  const json = { required: true, content: { "application/json": { schema } } };
  return schema ? { parameters, requestBody: detail?.requestBody ?? json } : { parameters };
}

// A schema of nothing appears as content of a type "void"; nothing has no content.
function answersOf({ responses = {} }: Operation): Record<string, Answer> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, operation]) =>
      status === "204" ? [status, { description: "Gone" }] : [status, operation],
    ),
  );
}

/** What these give out is secret and shown once, or they make nothing: no answer of theirs is kept to be repeated. */
const NOT_REPEATED = [
  "/api/v1/user/login",
  "/api/v1/user/tokens",
  "/api/v1/user/tokens/{id}/rotate",
  "/api/v1/network/hosts/search",
];

function headersOf({ method, path }: Place) {
  if (method === "get") return [header("If-None-Match", "An ETag: answer 304 if it still holds")];
  if (method === "post" && NOT_REPEATED.includes(path)) return [];
  if (method === "post") return [header("Idempotency-Key", "Repeat a request safely for 24 hours")];
  return [header("If-Match", "An ETag: answer 412 if the record changed since")];
}

function header(name: string, description: string) {
  return { name, in: "header", required: false, schema: { type: "string" }, description };
}

/** A refusal may also say more, where its route says so. */
function problem(description: string, also: Answer = {}) {
  const schema = { $ref: "#/components/schemas/Problem" };
  return { description, content: { "application/problem+json": { schema }, ...also.content } };
}

const PROBLEM = {
  type: "object",
  required: ["status", "title", "detail", "message"],
  properties: {
    status: { type: "integer" },
    title: { type: "string" },
    detail: { type: "string" },
    message: { type: "string", description: "The same text as `detail`" },
    msg: { type: "string", description: "The same text, of a 401" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
    error: {
      type: "object",
      description: "Where `q` cannot be read",
      required: ["kind", "offset", "end", "column", "expected"],
      properties: {
        kind: { enum: ["unexpected", "unterminated", "number", "escape", "limit"] },
        offset: { type: "integer", description: "Where the fault begins, in UTF-16 code units" },
        end: { type: "integer", description: "Behind its last one" },
        column: { type: "integer", description: "The character at which it begins, from 1" },
        expected: { type: "array", items: { type: "string" } },
      },
    },
    hint: { type: "string", description: "How a `q` that cannot be read may be written instead" },
    request_id: { type: "string" },
  },
};

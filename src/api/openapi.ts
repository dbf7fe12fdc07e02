// The OpenAPI document, generated from the routes: the schemas that validate are the schemas in the document.
import { toOpenAPISchema } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { publicIdSchema } from "../input/change_ids.ts";
import { NOT_RESPONDING } from "../input/errors.ts";
import { api } from "./mod.ts";

interface OpenApiParameter {
  name: string;
  in: string;
}

interface OpenApiResponse {
  content?: object;
}

interface OpenApiOperation {
  parameters?: OpenApiParameter[];
  responses?: Record<string, OpenApiResponse>;
  security?: Array<Record<string, string[]>>;
  requestBody?: object;
  [other: string]: unknown;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Record<string, Record<string, object>>;
}

let cachedDocument: OpenApiDocument | undefined;

/** OpenAPI 3.1, generated at the first request. */
export function document(): OpenApiDocument {
  cachedDocument ??= build();
  return cachedDocument;
}

export const openapi = new Elysia().get("/api/v1/openapi.json", () => Response.json(document()), {
  detail: { hide: true },
});

function build(): OpenApiDocument {
  const { paths, components } = toOpenAPISchema(api) as unknown as Pick<
    OpenApiDocument,
    "paths" | "components"
  >;
  return {
    openapi: "3.1.0",
    info: {
      title: "Cadastre",
      version: "1",
      description: "A register of equipment and networks.",
    },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path.replace(/\/$/, ""),
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [
            method,
            complete({ method, path }, { ...operation, ...missingParts(operation, method, path) }),
          ]),
        ),
      ]),
    ),
    components: {
      ...components,
      schemas: { ...components.schemas, Problem: PROBLEM },
      responses: { Problem: problemAnswer("See the status and `detail`") },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A login or personal token. A token with limits needs the rights that the operation names; without limits it has them all",
        },
      },
    },
  };
}

const ERRORS: Record<string, string> = {
  401: "No valid token",
  403: "A permission is missing",
  404: "No such record, or not visible to you",
  412: "Changed since it was read",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "The request is invalid; `errors` lists the reasons",
  429: "Too many requests of this kind",
  503: NOT_RESPONDING,
};

interface MethodAndPath {
  method: string;
  path: string;
}

/** Adds the common error responses and request headers. */
function complete({ method, path }: MethodAndPath, operation: OpenApiOperation): OpenApiOperation {
  const isOpen = operation.security?.length === 0;
  const hasPathParameter = operation.parameters?.some((one) => one.in === "path") ?? false;
  const applies: Record<string, boolean> = {
    403: !isOpen,
    404: hasPathParameter,
    412: method === "patch" || method === "delete",
    413: method !== "get",
    415: method !== "get",
    429: isOpen || operation.requestBody !== undefined || "429" in (operation.responses ?? {}),
  };
  const errors = Object.entries(ERRORS)
    .filter(([status]) => applies[status] ?? true)
    .map(([status, description]) => [
      status,
      problemAnswer(description, operation.responses?.[status]),
    ]);
  const isStream = "text/event-stream" in (operation.responses?.[200]?.content ?? {});
  const isCached = method === "get" && !isStream;
  return {
    ...operation,
    ...(operation.security && { security: operation.security.map((one) => rightsIn(one, method)) }),
    parameters: [
      ...(operation.parameters ?? []),
      ...(isStream ? [LAST_EVENT_ID] : headersOf({ method, path })),
    ],
    responses: {
      ...(method === "get" ? answersOf(operation) : withChangeSet(answersOf(operation))),
      ...(isCached && { 304: { description: "As you know it" } }),
      ...Object.fromEntries(errors),
    },
  };
}

/** The rights that a token with limits needs, from the kinds that the guard of the route names. */
function rightsIn(
  { bearer = [] }: Record<string, string[]>,
  method: string,
): Record<string, string[]> {
  const verb = method === "get" ? "read" : "write";
  return { bearer: bearer.map((kind) => (kind.includes(":") ? kind : `${kind}:${verb}`)) };
}

/** The header of a write that was committed. */
function withChangeSet(answers: Record<string, OpenApiResponse>): Record<string, object> {
  const headers = {
    "Change-Set": {
      description: "The id of the change set, if anything was written: see /changes/{id}",
      schema: publicIdSchema,
    },
  };
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, { ...answer, headers }]),
  );
}

// @elysiajs/openapi 1.4.16 omits the content where a route reads its own body, and the query
// parameters where the path has parameters.
function missingParts(
  operation: OpenApiOperation,
  method: string,
  path: string,
): Partial<OpenApiOperation> {
  const route = api.routes.find(
    (one) => one.method.toLowerCase() === method && one.path.replace(/:([^/]+)/g, "{$1}") === path,
  );
  const { body: schema, detail } = route?.hooks ?? {};
  const notModified = operation.parameters ?? [];
  const isMissing = (one: OpenApiParameter) => !notModified.some(({ name }) => name === one.name);
  const parameters = [
    ...notModified,
    ...((detail?.parameters ?? []) as OpenApiParameter[]).filter(isMissing),
  ];
  // A route that takes another type than JSON declares it itself.
  const json = { required: true, content: { "application/json": { schema } } };
  return schema ? { parameters, requestBody: detail?.requestBody ?? json } : { parameters };
}

// The schema of an empty response would appear as content of type "void".
function answersOf({ responses = {} }: OpenApiOperation): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, operation]) =>
      status === "204" ? [status, { description: "Gone" }] : [status, operation],
    ),
  );
}

/** Their responses are secret and shown once, or they create nothing: no response is stored for repetition. */
const WITHOUT_IDEMPOTENCY_KEY = [
  "/api/v1/user/login",
  "/api/v1/user/tokens",
  "/api/v1/user/tokens/{id}/rotate",
  "/api/v1/user/service_accounts/{id}/tokens",
  "/api/v1/user/service_accounts/{id}/tokens/{token_id}/rotate",
  "/api/v1/network/hosts/search",
];

function headersOf({ method, path }: MethodAndPath) {
  if (method === "get")
    return [header("If-None-Match", "An ETag: answer 304 if it is still current")];
  if (method === "post" && WITHOUT_IDEMPOTENCY_KEY.includes(path)) return [];
  if (method === "post") return [header("Idempotency-Key", "Repeat a request safely for 24 hours")];
  return [header("If-Match", "An ETag: answer 412 if the record changed since")];
}

const LAST_EVENT_ID = header("Last-Event-ID", "The id of the last event: continue after it");

function header(name: string, description: string) {
  return { name, in: "header", required: false, schema: { type: "string" }, description };
}

/** An error response, with the additional content that the route declares for it. */
function problemAnswer(description: string, other: OpenApiResponse = {}) {
  const schema = { $ref: "#/components/schemas/Problem" };
  return { description, content: { "application/problem+json": { schema }, ...other.content } };
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
      description: "If `q` is invalid",
      required: ["kind", "offset", "end", "column", "expected"],
      properties: {
        kind: { enum: ["unexpected", "unterminated", "number", "escape", "limit"] },
        offset: { type: "integer", description: "The start of the error, in UTF-16 code units" },
        end: { type: "integer", description: "The end of the error" },
        column: { type: "integer", description: "The character at which the error starts, from 1" },
        expected: { type: "array", items: { type: "string" } },
      },
    },
    hint: { type: "string", description: "A suggested correction" },
    request_id: { type: "string" },
  },
};

// Compares every response that a test receives with the OpenAPI document of the service.
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Answer } from "./api.ts";

interface DocumentedResponse {
  headers?: object;
  content?: Record<string, { schema?: object }>;
}

interface ParameterSchema {
  type?: string;
  description?: string;
  items?: ParameterSchema;
}

interface Operation {
  operationId: string;
  summary?: string;
  tags?: string[];
  parameters: Array<{ name: string; in: string; example?: unknown; schema?: ParameterSchema }>;
  requestBody?: DocumentedResponse;
  responses: Record<string, DocumentedResponse>;
}

export interface Reference {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** A request and its response. */
export interface Exchange {
  method: string;
  url: URL;
  answer: Answer;
}

const FILES = [
  "text/csv",
  "application/x-ndjson",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];

/** Responses of any path: a foreign host name, an unknown path or method. */
const BEFORE_ANY_ROUTE = [404, 405, 421];

/** How a response differs from the reference; undefined if it does not. */
export function difference(reference: Reference, exchange: Exchange): string | undefined {
  const { method, url, answer } = exchange;
  const path = pathOf(reference, url);
  // The reference does not list HEAD: it is allowed where GET is.
  const named = method === "HEAD" ? "get" : method.toLowerCase();
  const operation = path && reference.paths[path]?.[named];
  const isOutside = !path || !operation || answer.status === 421;
  if (isOutside && BEFORE_ANY_ROUTE.includes(answer.status)) {
    return mismatch(reference, ["components", "schemas", "Problem"], answer.body);
  }
  if (isOutside) return "this method of this path is not documented";
  const status = operation.responses[answer.status] ? String(answer.status) : "default";
  const documented =
    answer.status < 400 && status === "default" ? undefined : operation.responses[status];
  if (!documented) return `the status ${answer.status} is not documented`;
  const strange = answer.status < 300 && strangeParameter(operation, url);
  if (strange) return `the parameter ${strange} is not documented`;
  if (!documented.content) return answer.text === "" ? undefined : "no body is documented";
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "none";
  // Generators make one type of all that a response may be, so that the reference has the JSON of lists alone.
  const isFile = FILES.includes(type) && "X-Total-Count" in (documented.headers ?? {});
  if (isFile && type !== "application/x-ndjson") return undefined;
  const documentedType = isFile ? "application/json" : type;
  if (!documented.content[documentedType]) return `the content type ${type} is not documented`;
  // It has no end, so it is not read: see visit().
  if (type === "text/event-stream") return undefined;
  if (method === "HEAD") return answer.text === "" ? undefined : "a head has no body";
  // The records have some of their fields.
  if (answer.status === 200 && url.searchParams.has("fields")) return undefined;
  const where = ["responses", status, "content", documentedType, "schema"];
  const body = type.includes("json") ? answer.body : answer.text;
  return mismatch(reference, ["paths", path, named, ...where], body);
}

interface Pattern {
  path: string;
  pattern: RegExp;
}

const patterns = new WeakMap<Reference, Pattern[]>();

/** A path with a fixed last word comes before one with a placeholder there. */
function pathOf(reference: Reference, { pathname }: URL): string | undefined {
  const asked = pathname.replace(/\/$/, "");
  const all = patterns.get(reference) ?? patternsOf(reference);
  patterns.set(reference, all);
  return all.find(({ pattern }) => pattern.test(asked))?.path;
}

function patternsOf({ paths }: Reference): Pattern[] {
  return Object.keys(paths)
    .toSorted((one, other) => one.split("{").length - other.split("{").length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`) }));
}

function strangeParameter({ parameters }: Operation, url: URL): string | undefined {
  const known = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const isKnown = (name: string) => {
    const [field = "", lookup] = name.split("__");
    // Fields of a site are in the document of those who know them.
    if (field.startsWith("site.") && known.includes("lookups")) return true;
    return known.includes(name) || (lookup && known.includes("lookups") && known.includes(field));
  };
  return [...url.searchParams.keys()].find((name) => !isKnown(name));
}

const compilers = new WeakMap<Reference, Ajv2020>();

function mismatch(reference: Reference, place: string[], body: unknown): string | undefined {
  const compiler = compilers.get(reference) ?? compilerOf(reference);
  compilers.set(reference, compiler);
  const pointer = place.map((one) => encodeURIComponent(one.replaceAll("/", "~1")));
  const validate = compiler.getSchema(`reference#/${pointer.join("/")}`);
  if (!validate) return `the reference has no ${place.join(" ")}`;
  return validate(body) ? undefined : (validate.errors ?? []).map(inWords).join(", ");
}

/** The document as one schema, so that its references can be resolved. */
function compilerOf(reference: Reference): Ajv2020 {
  const compiler = new Ajv2020({ strict: false });
  addFormats.default(compiler);
  compiler.addSchema({ ...(closed(reference) as object), $id: "reference" });
  return compiler;
}

/** Records have exactly the documented keys, because another one could be a secret. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const isRecord = "properties" in schema && "type" in schema && schema.type === "object";
  return { ...(isRecord ? { additionalProperties: false } : {}), ...Object.fromEntries(entries) };
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`;
}

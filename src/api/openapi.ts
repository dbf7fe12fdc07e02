// The OpenAPI document, made from the routes: the schemas that validate are the schemas in the document. What operations
// share, such as records, parameters and errors, has a name in `components` and is said once.
import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, identify } from "../auth/auth.ts";
import * as answer from "../http/answers.ts";
import { visitOf } from "../http/request_context.ts";
import { publicIdSchema } from "../input/change_ids.ts";
import { FIELD_CODES, REQUEST_CODES } from "../input/error_codes.ts";
import { KIND_RULES } from "../input/kinds.ts";
import { SITE_PARTS } from "../input/shape.ts";
import { capitalized, inPascalCase, isObject } from "../input/text.ts";
import { resources } from "../resources.ts";
import { siteVisibility } from "../store/site/definitions.ts";
import { siteSchemas } from "../store/site/field.ts";
import { EXAMPLES, PARAMETERS } from "./examples.ts";
import { api } from "./mod.ts";

/** Part of the document. */
type Part = Record<string, unknown>;

export interface OpenApiDocument {
  openapi: string;
  info: Part & { title: string; version: string; description: string };
  paths: Record<string, Record<string, Part>>;
  components: Record<string, Record<string, Part>>;
  [other: string]: unknown;
}

/** What a route says of itself. */
interface Detail {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  hide?: boolean;
  /** Of the query. */
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
  /** Of the guard: the groups that may call it, if not everybody may, and the kinds to which a token with limits needs the right. */
  security?: Array<Record<string, string[]>>;
}

type Content = Record<string, { schema: TSchema; example?: unknown }>;

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: TSchema;
}

interface Operation extends Detail {
  operationId: string;
  method: string;
  path: string;
  params?: TSchema | undefined;
  body?: TSchema | undefined;
  answers: Record<string, TSchema>;
}

let cachedDocument: OpenApiDocument | undefined;

/** OpenAPI 3.1, generated at the first request. */
export function document(): OpenApiDocument {
  cachedDocument ??= build();
  return cachedDocument;
}

export const openapi = new Elysia().get(
  "/api/v1/openapi.json",
  async ({ request }) => answer.record(request, { json: await textFor(request), version: 1 }),
  { detail: { hide: true } },
);

/** By what callers know of: with a token, the document has the fields of the site. */
const texts = new Map<string, string>();
const MOST_TEXTS = 20;

async function textFor(request: Request): Promise<string> {
  const header = request.headers.get("authorization");
  const caller = header ? await identify(header, visitOf(request)) : undefined;
  const key = caller ? siteVisibility(caller) : "";
  const text = texts.get(key) ?? JSON.stringify(caller ? documentFor(caller) : document());
  if (texts.size >= MOST_TEXTS) texts.clear();
  texts.set(key, text);
  return text;
}

function documentFor(caller: Caller): OpenApiDocument {
  const visit = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(visit);
    if (!isObject(part)) return part;
    const inside = Object.entries(part).map(([name, value]) => [name, visit(value)]);
    const table = part[SITE_PARTS];
    const properties = typeof table === "string" && siteSchemas(caller, table);
    return Object.fromEntries(properties ? [...inside, ["properties", properties]] : inside);
  };
  const made = visit(document()) as OpenApiDocument;
  for (const { name, path } of resources) {
    const list = made.paths[`/api/v1${path}`]?.get?.parameters;
    for (const [key, { title, description = title }] of Object.entries(siteSchemas(caller, name))) {
      const schema = { type: "array", items: { type: "string" } };
      if (Array.isArray(list))
        list.push({ name: `site.${key}`, in: "query", required: false, description, schema });
    }
  }
  return made;
}

/** The same with what is named in the place of its references, for readers of a single operation. */
export function resolved(whole: OpenApiDocument): OpenApiDocument {
  const known = new Map<string, unknown>();
  const named = (reference: string) => {
    const found = reference
      .split("/")
      .slice(1)
      .reduce((part: unknown, name) => (part as Part)[name], whole);
    if (!known.has(reference)) known.set(reference, visit(found));
    return known.get(reference);
  };
  const visit = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(visit);
    if (!isObject(part)) return part;
    if (typeof part.$ref === "string") return named(part.$ref);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, visit(value)]));
  };
  return { ...whole, paths: visit(whole.paths) as OpenApiDocument["paths"] };
}

const ABOUT = `A register of equipment and networks.

Filters of a list are its fields: \`name=a\` is equal, and repeated one of several; \`name__ne\` is not equal, \`__gte\` and \`__lte\` compare,
\`__contains\` and \`__startswith\` look into texts in any case, \`__isnull\` finds empty ones, and \`__under\` a record and those inside it.`;

function build(): OpenApiDocument {
  const operations = operationsOf();
  // Once to see which values come several times, and then to name these.
  const counting = new SharedParts();
  for (const one of operations) counting.operation(one);
  const shared = new SharedParts(counting.counts);
  const paths: OpenApiDocument["paths"] = {};
  for (const one of operations) {
    paths[one.path] ??= {};
    (paths[one.path] ?? {})[one.method] = shared.operation(one);
  }
  const tags = [...new Set(operations.flatMap(({ tags = [] }) => tags))].toSorted();
  return {
    openapi: "3.1.0",
    info: {
      title: "Cadastre",
      version: "1",
      description: ABOUT,
      contact: { name: "The administrators of this installation" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that this document is from" }],
    tags: tags.map((name) => ({ name, description: `Operations at ${placeOf(name, operations)}` })),
    security: [{ bearer: [] }],
    paths,
    components: shared.components(),
  };
}

/** The first path of a heading, without what stands for a record. */
function placeOf(tag: string, operations: Operation[]): string {
  const { path = "" } = operations.find(({ tags = [] }) => tags.includes(tag)) ?? {};
  return path.split("/{")[0] ?? path;
}

function operationsOf(): Operation[] {
  return api.routes.flatMap(({ method, path, hooks }) => {
    const detail: Detail = hooks.detail ?? {};
    if (detail.hide || detail.operationId === undefined) return [];
    return {
      ...detail,
      operationId: detail.operationId,
      method: method.toLowerCase(),
      path: path.replaceAll(/:([^/]+)/g, "{$1}").replace(/\/$/, ""),
      params: hooks.params,
      body: hooks.body,
      answers: hooks.response ?? {},
    };
  });
}

/** Nearly each operation can be answered with nearly each of these, so that they are said once. */
const REFUSED = [
  "401 without a valid token, 403 without the right, 404 for no such record or a hidden one, 412 if it changed since it was read",
  "413 for a body that is too large, 415 for one of another type, 422 with `errors`, a reason for each field, 429 for too many requests, 503 if the database does not respond",
].join(", ");

const HEADERS: Record<string, [description: string, schema: TSchema]> = {
  "Change-Set": [
    "The id of the change set, if anything was written: see /changes/{id}",
    publicIdSchema,
  ],
  ETag: ["The version of what is answered, for If-None-Match and If-Match", Type.String()],
  Link: ["The other pages, as in RFC 8288", Type.String()],
  "X-Total-Count": ["How many records match, on all pages", Type.Integer()],
  Location: ["The address of the new record", Type.String()],
};

/** Their responses are secret and shown once, or they create nothing: no response is stored for repetition. */
const WITHOUT_IDEMPOTENCY_KEY = [
  "logIn",
  "createToken",
  "rotateToken",
  "createServiceAccountToken",
  "rotateServiceAccountToken",
  "searchHostsByBody",
];

const LOOKUPS: Parameter & { style: string; explode: boolean } = {
  name: "lookups",
  in: "query",
  required: false,
  description:
    "Further filters, each by its own name, such as name__contains=ioc or site.price__gte=10: a field, two underscores, and a lookup of its kind",
  style: "form",
  explode: true,
  schema: Type.Object(
    {},
    {
      additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())]),
      title: "Lookups",
    },
  ),
};

/** Collects what operations share while they are described. */
class SharedParts {
  /** How often each value of a field comes, by its text. */
  readonly counts = new Map<string, number>();
  private readonly schemas = new Map<string, NamedPart>();
  private readonly parameters = new Map<string, NamedPart>();
  /** The names of schemas that are shared although they have no title, by their text. */
  private readonly values = new Map(
    Object.entries(KIND_RULES).map(([kind, { schema }]) => [
      JSON.stringify(schema),
      `${capitalized(kind)}Filter`,
    ]),
  );

  constructor(private readonly known = new Map<string, number>()) {}

  operation(one: Operation): Part {
    const { operationId, method, summary = "", description = "", tags = [] } = one;
    const isOpen = one.security?.length === 0;
    const content = one.requestBody?.content ?? (one.body && json(one.body));
    return {
      operationId,
      summary,
      description: description ? `${description}. ${callersOf(one)}` : callersOf(one),
      tags,
      "x-rights": rightsOf(one),
      ...(isOpen && { security: [] }),
      parameters: [
        ...this.pathParameters(one),
        ...this.queryParameters(one),
        ...this.requestHeaders(one),
      ],
      ...(content && {
        requestBody: { required: true, content: this.bodyOf(operationId, content) },
      }),
      responses: {
        ...this.answersOf(one),
        ...(method === "get" && !isStream(one) && { 304: { $ref: "#/components/responses/Same" } }),
        ...this.errorsOf(one),
      },
    };
  }

  /** What was named, once everything is described. */
  components(): OpenApiDocument["components"] {
    const content = { [PROBLEM_TYPE]: { schema: ref("schemas", "Problem") } };
    const named = (parts: Map<string, NamedPart>) =>
      Object.fromEntries([...parts].map(([name, { part }]) => [name, part]));
    const headers = Object.entries(HEADERS).map(([name, [description, schema]]) => [
      name,
      { description, schema: this.schema(schema) },
    ]);
    return {
      schemas: { ...named(this.schemas), Problem: PROBLEM },
      parameters: named(this.parameters),
      headers: Object.fromEntries(headers),
      responses: {
        Same: { description: "As you know it" },
        Refused: { description: REFUSED, content },
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A login or personal token. A token with limits needs the rights that the operation names; without limits it has them all",
        },
      },
    };
  }

  private pathParameters({ params }: Operation): Part[] {
    return Object.entries(params?.properties ?? {}).map(([name, schema]) => {
      const { description, ...value } = schema as TSchema;
      return this.parameter({
        name,
        in: "path",
        required: true,
        description,
        schema: value as TSchema,
      });
    });
  }

  private bodyOf(operationId: string, content: Content): Part {
    const bodies = this.content(content, bodyName(operationId));
    const example = EXAMPLES[operationId];
    const first = Object.keys(bodies)[0] ?? "";
    return { ...bodies, [first]: { ...(bodies[first] as Part), ...(example && { example }) } };
  }

  /** Each field has several lookups: to name each of them with each field would take more than all the rest. */
  private queryParameters({ parameters = [] }: Operation): Part[] {
    const isLookup = ({ name }: Parameter) => name.includes("__");
    const named = parameters.filter((one) => !isLookup(one)).map((one) => this.parameter(one));
    return parameters.some(isLookup) ? [...named, this.parameter(LOOKUPS)] : named;
  }

  private requestHeaders({ operationId, method, ...one }: Operation): Part[] {
    const header = (name: string, description: string) =>
      this.parameter({ name, in: "header", required: false, description, schema: Type.String() });
    if (isStream(one))
      return [header("Last-Event-ID", "The id of the last event: continue after it")];
    if (method === "get")
      return [header("If-None-Match", "An ETag: answer 304 if it is still current")];
    if (method !== "post")
      return [header("If-Match", "An ETag: answer 412 if the record changed since")];
    if (WITHOUT_IDEMPOTENCY_KEY.includes(operationId)) return [];
    return [header("Idempotency-Key", "Repeat a request safely for 24 hours")];
  }

  private answersOf({ operationId, method, ...one }: Operation): Record<string, Part> {
    const name = `${capitalized(operationId)}Answer`;
    const own = Object.entries(one.answers).map(([status, schema]) => {
      const { description = "" } = schema;
      const isList = schema.type === "array";
      const headers =
        method === "get"
          ? ["ETag", ...(isList ? ["Link", "X-Total-Count"] : [])]
          : ["Change-Set", ...(status === "201" ? ["Location"] : [])];
      return [
        status,
        {
          description: description || (status === "201" ? "The new record" : "The record"),
          headers: Object.fromEntries(headers.map((header) => [header, ref("headers", header)])),
          ...(status !== "204" && { content: this.content(json(schema), name) }),
        },
      ];
    });
    const others = Object.entries(one.responses ?? {})
      .filter(([status]) => status < "400")
      .map(([status, { description, content = {} }]) => [
        status,
        { description, content: this.content(content, name) },
      ]);
    return Object.fromEntries([...own, ...others]);
  }

  private errorsOf({ operationId, responses = {} }: Operation): Record<string, Part> {
    const own = Object.entries(responses).filter(([status]) => status >= "400");
    const special = own.map(([status, { description, content = {} }]) => {
      const problem = { [PROBLEM_TYPE]: { schema: ref("schemas", "Problem") } };
      const all = { ...problem, ...this.content(content, `${capitalized(operationId)}Refusal`) };
      return [status, { description, content: all }];
    });
    return {
      ...Object.fromEntries(special),
      // Generators name what a range of statuses answers by a number, which is none.
      ...(!("422" in responses) && { 422: ref("responses", "Refused") }),
      default: ref("responses", "Refused"),
    };
  }

  private content(content: Content, name: string): Part {
    return Object.fromEntries(
      Object.entries(content).map(([type, { schema, ...others }]) => [
        type,
        { schema: this.named(schema, name), ...others },
      ]),
    );
  }

  private parameter({ schema, ...others }: Parameter): Part {
    const { required, ...told } = others;
    const example = PARAMETERS[others.in]?.[others.name];
    const parameter = {
      ...told,
      ...(required && { required }),
      schema: this.schema(schema),
      ...(example !== undefined && {
        example: schema.type === "array" ? [example].flat() : example,
      }),
    };
    return ref("parameters", keep(this.parameters, others.name, parameter));
  }

  /** A schema that has a title or is an object has a name; of a list, its elements have. */
  private named(schema: TSchema, name: string): Part {
    if (schema.type === "array" && schema.items) {
      const { items, ...list } = schema as TSchema;
      const element = this.named(items, name);
      const called = String(element.$ref ?? "")
        .split("/")
        .at(-1);
      const whole = { ...this.schema(list as TSchema), items: element };
      return called ? ref("schemas", keep(this.schemas, `${called}List`, whole)) : whole;
    }
    if (schema.type !== "object") return this.schema(schema);
    const { title = name, ...untitled } = schema;
    const called = title.includes(" ") ? inPascalCase(title) : title;
    return ref("schemas", keep(this.schemas, called, this.plain(untitled as TSchema)));
  }

  private schema(schema: TSchema): Part {
    const value = this.values.get(JSON.stringify(schema));
    if (value) return ref("schemas", keep(this.schemas, value, this.plain(schema)));
    if (schema.type === "object" && schema.title) return this.named(schema, schema.title);
    return this.plain(schema);
  }

  /** As JSON, with references to schemas that have names. */
  private plain(schema: TSchema): Part {
    const parts = JSON.parse(JSON.stringify(schema)) as Part;
    const { anyOf, items, properties, additionalProperties, ...others } = schema;
    if (items) parts.items = this.schema(items);
    if (properties) parts.properties = this.each(properties);
    if (typeof additionalProperties === "object")
      parts.additionalProperties = this.schema(additionalProperties);
    if (!anyOf) return parts;
    const { anyOf: _, ...rest } = parts;
    return { ...others, ...rest, ...this.oneOf(anyOf) };
  }

  private each(properties: Record<string, TSchema>): Record<string, Part> {
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.value(name, schema)]),
    );
  }

  /** A long one that several fields have has a name. */
  private value(name: string, schema: TSchema): Part {
    const text = JSON.stringify(schema);
    this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
    const part = this.schema(schema);
    const again = (this.known.get(text) ?? 0) - 1;
    const { length } = JSON.stringify(part);
    const isShared = length > LONG && again * length > MUCH;
    return isShared ? ref("schemas", keep(this.schemas, `${inPascalCase(name)}Field`, part)) : part;
  }

  /** Words are an enumeration, and a value that may be null has two types. */
  private oneOf(schemas: TSchema[]): Part {
    const others = schemas.filter(({ type }) => type !== "null");
    const isNullable = others.length < schemas.length;
    const orNull = (type: unknown) => (isNullable ? [type, "null"] : type);
    if (others.every((one) => typeof one.const === "string")) {
      const words = others.map((one) => one.const as unknown);
      return { type: orNull("string"), enum: isNullable ? [...words, null] : words };
    }
    const [only] = others;
    const simple = others.length === 1 && only ? this.schema(only) : undefined;
    if (simple && typeof simple.type === "string" && simple.enum === undefined)
      return { ...simple, type: orNull(simple.type) };
    return { anyOf: schemas.map((one) => this.schema(one)) };
  }
}

/** Characters of a value that is worth a name, and those that the name saves. */
const LONG = 90;
const MUCH = 250;

const PROBLEM_TYPE = "application/problem+json";

interface NamedPart {
  text: string;
  part: Part;
}

/** Keeps a part under this name, or under this name and a number if another part has it; returns the name. */
function keep(parts: Map<string, NamedPart>, name: string, part: Part): string {
  const text = JSON.stringify(part);
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}${number}`;
    const found = parts.get(free);
    if (found?.text === text) return free;
    if (found) continue;
    parts.set(free, { text, part });
    return free;
  }
}

function ref(kind: string, name: string): Part {
  return { $ref: `#/components/${kind}/${name}` };
}

function json(schema: TSchema): Content {
  return { "application/json": { schema } };
}

function isStream({ responses }: Pick<Operation, "responses">): boolean {
  return "text/event-stream" in (responses?.[200]?.content ?? {});
}

/** Who may call the operation, in words. */
function callersOf({ security: [needs] = [] }: Operation): string {
  if (!needs) return "Needs no token.";
  const { groups = [] } = needs;
  if (groups.length === 0) return "For every user.";
  const whole = groups.filter((group) => !group.includes(" "));
  const inPlaces = groups.filter((group) => group.includes(" by "));
  const rights = inPlaces.map((right) => `the right ${right.replace(" by ", " in a ")}`);
  return `For the groups ${[whole.join(" and "), ...rights].join(", and with ")}.`;
}

/** The rights that a token with limits needs. */
function rightsOf({ security: [needs] = [], method }: Operation): string[] {
  const verb = method === "get" ? "read" : "write";
  return (needs?.kinds ?? []).map((kind) => (kind.includes(":") ? kind : `${kind}:${verb}`));
}

/** The name of a body that has none of its own: NewHost, HostChange, RotateTokenBody. */
function bodyName(operationId: string): string {
  const [, verb, noun = ""] = /^(create|add|update)(.*)$/.exec(operationId) ?? [];
  if (verb === "update") return `${noun}Change`;
  return verb ? `New${noun}` : `${capitalized(operationId)}Body`;
}

const PROBLEM = {
  type: "object",
  required: ["status", "title", "detail", "message", "code"],
  properties: {
    status: { type: "integer" },
    title: { type: "string" },
    detail: { type: "string" },
    message: { type: "string", description: "The same text as `detail`" },
    msg: { type: "string", description: "The same text, of a 401" },
    code: {
      type: "string",
      description: "What it is called for programs; that of the errors, if they have one code",
      enum: [
        ...new Set([
          ...Object.values(REQUEST_CODES).map(([code]) => code),
          ...Object.keys(FIELD_CODES),
        ]),
      ],
    },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "message", "code"],
        properties: {
          field: { type: "string" },
          message: { type: "string" },
          code: { type: "string", enum: Object.keys(FIELD_CODES) },
        },
      },
    },
    error: {
      type: "object",
      description: "If `q` is invalid",
      required: ["kind", "offset", "end", "column", "expected"],
      properties: {
        kind: {
          type: "string",
          enum: ["unexpected", "unterminated", "number", "escape", "limit"],
        },
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

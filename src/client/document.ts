// The OpenAPI document of the service, from which the commands are made. It is cached, and revalidated by its ETag.
import { homedir } from "node:os";
import { join } from "node:path";
import { writePrivately } from "./account.ts";
import * as service from "./service.ts";

export interface ValueSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: ValueSchema[];
  items?: ValueSchema;
  properties?: Record<string, ValueSchema>;
  required?: string[];
  description?: string;
}

interface NamedValue {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  schema: ValueSchema;
}

type TypedContent = Record<string, { schema: ValueSchema }>;

export interface ServiceDocument {
  paths: Record<string, Record<string, RemoteOperation>>;
  components: Record<string, Record<string, object>>;
}

export interface RemoteOperation {
  operationId: string;
  summary: string;
  description: string;
  parameters: NamedValue[];
  requestBody?: { content: TypedContent };
  responses: Record<string, { content?: TypedContent }>;
  method: string;
  path: string;
}

/** Records of one kind. */
interface RemoteResource {
  /** Its name in fields of others: device_type. */
  singular: string;
  /** The field that names a record, if one does. */
  key: string | undefined;
  verbs: Record<string, RemoteOperation>;
}

export interface RemoteCommands {
  document: ServiceDocument;
  operations: RemoteOperation[];
  /** By the names of their commands: hosts, device-types. */
  resources: Map<string, RemoteResource>;
}

/** With a patience, what is cached serves if the service is slow or away. */
export async function readCommands(
  access: service.ServiceAccess,
  patience?: number,
): Promise<RemoteCommands> {
  const directory = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const file = join(directory, "cadastre", `${Bun.hash(access.origin).toString(36)}.json`);
  const cached: { etag: string; document: ServiceDocument } | undefined = await Bun.file(file)
    .json()
    .catch(() => undefined);
  const request = {
    path: "/api/v1/openapi.json",
    headers: { ...(cached && { "if-none-match": cached.etag }) },
    ...(patience && { patience }),
  };
  try {
    const answer = await service.send(access, request);
    if (cached && answer.status === 304) return commandsOf(cached.document);
    const document = await service.jsonOf<ServiceDocument>(answer);
    const etag = answer.headers.get("etag");
    // Of a disk that is full or read-only, it is read again the next time.
    if (etag) await writePrivately(file, JSON.stringify({ etag, document })).catch(() => {});
    return commandsOf(document);
  } catch (error) {
    if (patience && cached) return commandsOf(cached.document);
    throw error;
  }
}

function resolve<T extends { $ref?: string }>({ components }: ServiceDocument, part: T): T {
  const [, , kind = "", name = ""] = part.$ref?.split("/") ?? [];
  return part.$ref ? ((components[kind]?.[name] ?? {}) as T) : part;
}

/** The schemas of which a value fits one. */
export function alternatives(document: ServiceDocument, schema: ValueSchema): ValueSchema[] {
  const whole = resolve(document, schema);
  return whole.anyOf?.flatMap((one) => alternatives(document, one)) ?? [whole];
}

function commandsOf(document: ServiceDocument): RemoteCommands {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => {
      const parameters = one.parameters.map((parameter) => resolve(document, parameter));
      return { ...one, path, method: method.toUpperCase(), parameters };
    }),
  );
  return { document, operations, resources: resourcesOf(document, operations) };
}

/** Of JSON. */
export function bodyOf(document: ServiceDocument, { requestBody }: RemoteOperation) {
  return schemaIn(document, requestBody?.content);
}

/** Of JSON. */
export function answerOf(document: ServiceDocument, { responses }: RemoteOperation) {
  return schemaIn(document, (responses[200] ?? responses[201])?.content);
}

function schemaIn(document: ServiceDocument, content: TypedContent = {}): ValueSchema | undefined {
  const { schema } = content["application/json"] ?? {};
  return schema && alternatives(document, schema)[0];
}

export function takes({ parameters }: RemoteOperation, name: string): boolean {
  return parameters.some((one) => one.name.toLowerCase() === name);
}

/** What names a record where no address by it says so. */
const KEYS = ["name", "username"];
const VERBS: Record<string, string> = {
  GET: "list",
  POST: "create",
  "GET /{}": "get",
  "PATCH /{}": "set",
  "PUT /by-{}": "put",
  "DELETE /{}": "delete",
  "POST /import": "import",
};

/** By the last parts of their addresses. */
function resourcesOf(
  document: ServiceDocument,
  operations: RemoteOperation[],
): Map<string, RemoteResource> {
  const resources = new Map<string, RemoteResource>();
  for (const operation of operations) {
    const [, base = "", rest = "", key] =
      /^([^{]+?)(\/\{\w+\}|\/import|\/by-(\w+)\/\{\w+\})?$/.exec(operation.path) ?? [];
    const place = key ? "/by-{}" : rest.replace(/\w+(?=\})/, "");
    const verb = VERBS[`${operation.method} ${place}`.trim()];
    const name = base.split("/").at(-1)?.replaceAll("_", "-") ?? "";
    const isFurther = base === "" || base.includes("/export") || name === "search";
    const isRecord = verb === "list" && answerOf(document, operation)?.type !== "array";
    if (!verb || isFurther || isRecord) continue;
    const resource = resources.get(name) ?? { singular: "", key: undefined, verbs: {} };
    resource.verbs[verb] = operation;
    if (verb === "get") resource.singular = withHyphens(operation.operationId.slice(3), "_");
    const listed = KEYS.find((one) => verb === "list" && takes(operation, one));
    resource.key = key ?? resource.key ?? listed;
    resources.set(name, resource);
  }
  return new Map([...resources].filter(([, { verbs }]) => verbs.list ?? verbs.get));
}

function withHyphens(name: string, hyphen = "-"): string {
  return name.replace(/(?<=.)(?=[A-Z])/g, hyphen).toLowerCase();
}

/** The feeds, by the names of their operations: ansible, hosts-file. */
export function feedsOf(operations: RemoteOperation[]): Map<string, RemoteOperation> {
  const feeds = operations.filter(({ path }) => path.includes("/export/"));
  return new Map(feeds.map((one) => [withHyphens(one.operationId.replace(/^[a-z]+/, "")), one]));
}

// The routes of a resource: its list, one of its records, and how they are changed. Further routes of a resource
// are in its own file.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Allowed, type Caller, consoleCaller } from "../auth/auth.ts";
import { type Reach, reachOf } from "../auth/token_limits.ts";
import { type Settable, settableFields } from "../import/make_so.ts";
import { recordImporter, rowSchemaOf } from "../import/records.ts";
import { closed } from "../input/shape.ts";
import { inPascalCase, withArticle } from "../input/text.ts";
import { resources, standardArea } from "../resources.ts";
import { listQuery } from "../store/list_query.ts";
import type { ListJson, RecordJson } from "../store/records.ts";
import { type Resource, recordOf, recordQuery } from "../store/resource.ts";
import {
  byId,
  createdResponse,
  dryRunQuery,
  listResponse,
  nestingQuery,
  parametersOf,
  pastQuery,
  recordResponse,
  removedResponse,
  sameResponse,
  writeQuery,
} from "./answers.ts";
import { guardOf } from "./guard.ts";
import * as handlers from "./handlers.ts";
import { importRoute } from "./import.ts";

type FindNested = (caller: Caller, id: number, isRecursive?: boolean) => Promise<RecordJson>;
type FindFlat = (caller: Caller, id: number) => Promise<RecordJson>;

/** Without functions of its own, the area lists and finds records as their description says. */
interface AreaFunctions<New, Changed> {
  list?: (caller: Caller, params: URLSearchParams) => Promise<ListJson>;
  find?: FindNested | FindFlat;
  create?: (caller: Caller, input: New) => Promise<RecordJson>;
  update?: (caller: Caller, id: number, input: Changed) => Promise<RecordJson>;
  remove?: (caller: Caller, id: number) => Promise<unknown>;
}

type Verb = "list" | "create" | "find" | "update" | "remove";
type Summaries = Record<Verb, string>;

interface ResourceRoutes<New extends TSchema, Changed extends TSchema> {
  area: AreaFunctions<Static<New>, Static<Changed>>;
  /** For resources with a past. */
  findAt?: handlers.ReadPastRecord;
  created?: New;
  changed?: Changed;
  /** The heading in the reference, if it is not "Network: networks". */
  tag?: string;
  /** Summaries that differ from the usual ones. */
  summaries?: Partial<Summaries>;
  /** Who may call all of them, if not: everyone reads, and editors write. */
  allow?: Allowed;
  /** What a token needs, if not the right to the area in the path. */
  reach?: Reach;
  /** Records that are not nested. */
  isFlat?: boolean;
  /** The answer to a creation, if it shows more than the record. */
  createdRecord?: TSchema;
  /** Of PUT by its name and of imports, what is not as for POST and PATCH. */
  settable?: Partial<Settable>;
  /** It has an import of its own. */
  hasImport?: boolean;
}

/** The routes of a resource that is described: see store/resource.ts. */
export function routesOf<New extends TSchema, Changed extends TSchema>(
  resource: Resource,
  { area, findAt, created, changed, ...own }: ResourceRoutes<New, Changed>,
) {
  const { path, editors, removers = editors } = resource;
  const usual = standardArea(resource);
  const { list = usual.list, find = usual.find } = area;
  const { allow, reach = reachOf(resource), isFlat = false } = own;
  const record = recordOf(resource);
  const { createdRecord = record } = own;
  const summaries = { ...summariesOf(resource), ...own.summaries };
  const ids = operationIdsOf(resource);
  const tags = [own.tag ?? tagOf(resource)];
  const of = (verb: Verb) => ({ operationId: ids[verb], summary: summaries[verb], tags });
  const routes = new Elysia({ prefix: path, normalize: false })
    .use(guardOf(reach))
    .get("", handlers.list(list), {
      allow: allow ?? "everyone",
      response: listResponse(record),
      detail: {
        ...of("list"),
        ...parametersOf(listQuery(recordQuery(resource, consoleCaller).fields)),
      },
    })
    .get("/:id", isFlat ? handlers.find(find) : handlers.findRecord(find, findAt), {
      allow: allow ?? "everyone",
      params: byId,
      response: recordResponse(record),
      detail: {
        ...of("find"),
        ...(!isFlat && parametersOf(findAt ? pastQuery : nestingQuery)),
      },
    });
  if (area.create && created) {
    routes.post("", handlers.create(area.create), {
      allow: allow ?? editors,
      body: created,
      response: createdResponse(createdRecord),
      detail: { ...of("create"), ...parametersOf(writeQuery) },
    });
  }
  if (area.update && changed) {
    routes.patch("/:id", handlers.update(area.update), {
      allow: allow ?? editors,
      params: byId,
      body: changed,
      response: recordResponse(record),
      detail: { ...of("update"), ...parametersOf(writeQuery) },
    });
  }
  // Without its name in the body of a new record, a record has none of its own.
  if (area.create && created && resource.key in created.properties) {
    const settable = settableOf(resource, { area, created, changed, ...own });
    const { by, handler, told, detail } = putRoute(settable, tags, createdRecord);
    routes.put(by, handler, { allow: allow ?? editors, ...told, detail });
    if (!own.hasImport) {
      const { handler: imports, ...shape } = importRoute(importOf(settable, tags));
      routes.post("/import", imports, { allowRows: allow ?? editors, ...shape });
    }
  }
  if (area.remove) {
    routes.delete("/:id", handlers.remove(area.remove), {
      allow: allow ?? removers,
      params: byId,
      response: removedResponse,
      detail: { ...of("remove"), ...parametersOf(dryRunQuery) },
    });
  }
  return routes;
}

function settableOf<New extends TSchema, Changed extends TSchema>(
  resource: Resource,
  { area, created, changed, settable }: ResourceRoutes<New, Changed>,
): Settable {
  const { create, update } = area;
  return { resource, created, changed, create, update, ...settable } as unknown as Settable;
}

/** Makes the record with this name so: `PUT /network/hosts/by-name/{name}`. */
export function putRoute(
  of: Settable,
  tags: string[],
  createdRecord: TSchema = recordOf(of.resource),
) {
  const { key, noun } = of.resource;
  const record = recordOf(of.resource);
  return {
    by: `/by-${key}/:${key}`,
    handler: handlers.put(of),
    told: {
      params: Type.Object({
        [key]: Type.String({ description: `The ${key} of ${withArticle(noun)}` }),
      }),
      body: Type.Partial(closed(settableFields(of))),
      response: { ...recordResponse(record), ...createdResponse(createdRecord), ...sameResponse },
    },
    detail: {
      operationId: `put${inPascalCase(noun)}`,
      summary: `Make ${withArticle(noun)} so: add it, change what is different, or leave it`,
      tags,
      ...parametersOf(writeQuery),
    },
  };
}

function importOf(of: Settable, [tag = ""]: string[]) {
  const { key, noun } = of.resource;
  return {
    importer: recordImporter(of),
    tag,
    noun: withArticle(noun),
    row: rowSchemaOf(of),
    named: { [key]: Type.Union([Type.String(), Type.Null()]) },
    hasNoHistory: !resources.includes(of.resource),
  };
}

function tagOf({ path, plural }: Resource): string {
  const [, room = ""] = path.split("/");
  return `${room.charAt(0).toUpperCase()}${room.slice(1)}: ${plural}`;
}

function summariesOf({ noun, plural }: Resource): Summaries {
  const one = withArticle(noun);
  return {
    list: `List ${plural}`,
    create: `Add ${one}`,
    find: `One ${noun}`,
    update: `Change ${one}`,
    remove: `Delete ${one}`,
  };
}

function operationIdsOf({ noun, plural }: Resource): Record<Verb, string> {
  const one = inPascalCase(noun);
  return {
    list: `list${inPascalCase(plural)}`,
    create: `create${one}`,
    find: `get${one}`,
    update: `update${one}`,
    remove: `delete${one}`,
  };
}

/** The routes of a resource that has no rules of its own. */
export function standardRoutes(resource: Resource) {
  const { created, changed, update, findAt, ...area } = standardArea(resource);
  return routesOf(resource, {
    area: changed ? { ...area, update } : area,
    findAt,
    created,
    ...(changed && { changed }),
  });
}

// The routes of a resource: its list, one of its records, and how they are changed. Further routes of a resource
// are in its own file.
import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Allowed, type Caller, consoleCaller } from "../auth/auth.ts";
import { type Reach, reachOf } from "../auth/token_limits.ts";
import { withArticle } from "../input/text.ts";
import { standardArea } from "../resources.ts";
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
  writeQuery,
} from "./answers.ts";
import { guardOf } from "./guard.ts";
import * as handlers from "./handlers.ts";

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

interface Summaries {
  list: string;
  create: string;
  find: string;
  update: string;
  remove: string;
}

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
  const tags = [own.tag ?? tagOf(resource)];
  const routes = new Elysia({ prefix: path, normalize: false })
    .use(guardOf(reach))
    .get("", handlers.list(list), {
      allow: allow ?? "everyone",
      response: listResponse(record),
      detail: {
        summary: summaries.list,
        tags,
        ...parametersOf(listQuery(recordQuery(resource, consoleCaller).fields)),
      },
    })
    .get("/:id", isFlat ? handlers.find(find) : handlers.findRecord(find, findAt), {
      allow: allow ?? "everyone",
      params: byId,
      response: recordResponse(record),
      detail: {
        summary: summaries.find,
        tags,
        ...(!isFlat && parametersOf(findAt ? pastQuery : nestingQuery)),
      },
    });
  if (area.create && created) {
    routes.post("", handlers.create(area.create), {
      allow: allow ?? editors,
      body: created,
      response: createdResponse(createdRecord),
      detail: { summary: summaries.create, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.update && changed) {
    routes.patch("/:id", handlers.update(area.update), {
      allow: allow ?? editors,
      params: byId,
      body: changed,
      response: recordResponse(record),
      detail: { summary: summaries.update, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.remove) {
    routes.delete("/:id", handlers.remove(area.remove), {
      allow: allow ?? removers,
      params: byId,
      response: removedResponse,
      detail: { summary: summaries.remove, tags, ...parametersOf(dryRunQuery) },
    });
  }
  return routes;
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

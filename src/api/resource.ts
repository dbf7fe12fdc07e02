// The routes of a resource: its list, one of its records, and how they are changed. Further routes of a resource
// are in its own file.
import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, consoleCaller } from "../auth/auth.ts";
import { reachOf } from "../auth/token_limits.ts";
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

interface AreaFunctions<New, Changed> {
  list: (caller: Caller, params: URLSearchParams) => Promise<ListJson>;
  find: (caller: Caller, id: number, isRecursive?: boolean) => Promise<RecordJson>;
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
}

/** The routes of a resource that is described: see store/resource.ts. */
export function routesOf<New extends TSchema, Changed extends TSchema>(
  resource: Resource,
  { area, findAt, created, changed, ...named }: ResourceRoutes<New, Changed>,
) {
  const { path, editors, removers = editors } = resource;
  const record = recordOf(resource);
  const summaries = { ...summariesOf(resource), ...named.summaries };
  const tags = [named.tag ?? tagOf(resource)];
  const routes = new Elysia({ prefix: path, normalize: false })
    .use(guardOf(reachOf(resource)))
    .get("", handlers.list(area.list), {
      allow: "everyone",
      response: listResponse(record),
      detail: {
        summary: summaries.list,
        tags,
        ...parametersOf(listQuery(recordQuery(resource, consoleCaller).fields)),
      },
    })
    .get("/:id", handlers.findRecord(area.find, findAt), {
      allow: "everyone",
      params: byId,
      response: recordResponse(record),
      detail: { summary: summaries.find, tags, ...parametersOf(findAt ? pastQuery : nestingQuery) },
    });
  if (area.create && created) {
    routes.post("", handlers.create(area.create), {
      allow: editors,
      body: created,
      response: createdResponse(record),
      detail: { summary: summaries.create, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.update && changed) {
    routes.patch("/:id", handlers.update(area.update), {
      allow: editors,
      params: byId,
      body: changed,
      response: recordResponse(record),
      detail: { summary: summaries.update, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.remove) {
    routes.delete("/:id", handlers.remove(area.remove), {
      allow: removers,
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
  const one = `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
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
  const { created, changed, update, ...area } = standardArea(resource);
  return routesOf(resource, {
    area: changed ? { ...area, update } : area,
    created,
    ...(changed && { changed }),
  });
}

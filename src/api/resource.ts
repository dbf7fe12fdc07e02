// The routes of a resource: its list, one of its records, and how they are changed. Further routes of a resource
// are in its own file.
import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Allowed, type Caller, machine } from "../auth/auth.ts";
import { standardArea } from "../resources.ts";
import type { FieldsSql } from "../store/filters.ts";
import { listQuery } from "../store/list_query.ts";
import type { Listed, RecordJson } from "../store/records.ts";
import { type Resource, recordOf, recordQuery } from "../store/resource.ts";
import {
  byId,
  dryRunQuery,
  listOf,
  made,
  nestingQuery,
  parametersOf,
  pastQuery,
  removed,
  shown,
  writeQuery,
} from "./answers.ts";
import { guard } from "./guard.ts";
import * as handlers from "./handlers.ts";

interface Area<New, Changed> {
  list: (caller: Caller, params: URLSearchParams) => Promise<Listed>;
  find: (caller: Caller, id: number, isRecursive?: boolean) => Promise<RecordJson>;
  create?: (caller: Caller, input: New) => Promise<RecordJson>;
  update?: (caller: Caller, id: number, input: Changed) => Promise<RecordJson>;
  remove?: (caller: Caller, id: number) => Promise<unknown>;
}

interface RouteOptions<New extends TSchema, Changed extends TSchema> {
  /** Such as /network/hosts. */
  path: string;
  tag: string;
  editors: Allowed;
  /** If not all editors may delete. */
  removers?: Allowed;
  area: Area<Static<New>, Static<Changed>>;
  /** For resources with a past. */
  findAt?: handlers.ReadingPast;
  fields: FieldsSql;
  shapes: { shown: TSchema; created?: New; changed?: Changed };
  summaries: { list: string; create: string; find: string; update?: string; remove: string };
}

interface ResourceRoutes<New extends TSchema, Changed extends TSchema> {
  area: Area<Static<New>, Static<Changed>>;
  findAt?: handlers.ReadingPast;
  created?: New;
  changed?: Changed;
  /** The heading in the reference, if it is not "Network: networks". */
  tag?: string;
  /** Summaries that differ from the usual ones. */
  summaries?: Partial<RouteOptions<New, Changed>["summaries"]>;
}

/** The routes of a resource that is described: see store/resource.ts. */
export function routesOf<New extends TSchema, Changed extends TSchema>(
  resource: Resource,
  { area, findAt, created, changed, tag, summaries }: ResourceRoutes<New, Changed>,
) {
  const { noun, plural, path, editors, removers = editors } = resource;
  const [, room = ""] = path.split("/");
  const one = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
  return resourceRoutes({
    path,
    tag: tag ?? `${room.charAt(0).toUpperCase()}${room.slice(1)}: ${plural}`,
    editors,
    removers,
    area,
    ...(findAt && { findAt }),
    fields: recordQuery(resource, machine).fields,
    shapes: {
      shown: recordOf(resource),
      ...(created && { created }),
      ...(changed && { changed }),
    },
    summaries: {
      list: `List ${plural}`,
      create: `Add ${one}`,
      find: `One ${noun}`,
      update: `Change ${one}`,
      remove: `Delete ${one}`,
      ...summaries,
    },
  });
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

export function resourceRoutes<New extends TSchema, Changed extends TSchema>(
  options: RouteOptions<New, Changed>,
) {
  const { area, findAt, editors, removers = editors, shapes, summaries } = options;
  const tags = [options.tag];
  const routes = new Elysia({ prefix: options.path, normalize: false })
    .use(guard)
    .get("", handlers.list(area.list), {
      allow: "everyone",
      response: listOf(shapes.shown),
      detail: { summary: summaries.list, tags, ...parametersOf(listQuery(options.fields)) },
    })
    .get("/:id", handlers.look(area.find, findAt), {
      allow: "everyone",
      params: byId,
      response: shown(shapes.shown),
      detail: { summary: summaries.find, tags, ...parametersOf(findAt ? pastQuery : nestingQuery) },
    });
  if (area.create && shapes.created) {
    routes.post("", handlers.create(area.create), {
      allow: editors,
      body: shapes.created,
      response: made(shapes.shown),
      detail: { summary: summaries.create, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.update && shapes.changed) {
    routes.patch("/:id", handlers.update(area.update), {
      allow: editors,
      params: byId,
      body: shapes.changed,
      response: shown(shapes.shown),
      detail: { summary: summaries.update, tags, ...parametersOf(writeQuery) },
    });
  }
  if (area.remove) {
    routes.delete("/:id", handlers.remove(area.remove), {
      allow: removers,
      params: byId,
      response: removed,
      detail: { summary: summaries.remove, tags, ...parametersOf(dryRunQuery) },
    });
  }
  return routes;
}

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import { type Caller, machine } from "../../auth.ts";
import type { Fault } from "../../errors.ts";
import { invalid, refuse } from "../../errors.ts";
import * as comments from "../../inventory/comments.ts";
import { itemResource } from "../../inventory/item_record.ts";
import * as items from "../../inventory/items.ts";
import { findAt } from "../../inventory/items_past.ts";
import { readMoment } from "../../past.ts";
import { type Found, flag, onlyParams } from "../../records.ts";
import { byId, listOf, listParameters, made, removed, shown, writeParameters } from "../answers.ts";
import { door } from "../door.ts";
import { create, find, list, remove, update } from "../handlers.ts";

const tags = ["Inventory: items"];
const EDITORS = ["inventory", "admin"] as const;
const { item, newItem, changedItem } = items;
const { comment, newComment } = comments;

const READING = [
  ...listParameters({}).parameters.filter(({ name }) => name === "recursive"),
  {
    name: "at",
    in: "query" as const,
    required: false,
    schema: { type: "string" },
    description: "The item as it was then, such as 2026-01-31 14:05, in UTC",
  },
];

/** Items are named by their primary key, which is all digits, or by the id on their label. */
const byEitherId = Type.Object({
  id: Type.String({ description: "The primary key or the ICS id" }),
});

export const itemRoutes = new Elysia({ prefix: "/inventory/items", normalize: false })
  .use(door)
  .get("", list(items.list), {
    allow: "everyone",
    response: listOf(item),
    detail: { summary: "List items", tags, ...listParameters(itemResource(machine).fields) },
  })
  .post("", create(items.create), {
    allow: EDITORS,
    body: newItem,
    response: made(item),
    detail: { summary: "Register an item", tags, ...writeParameters },
  })
  .get(
    "/:id",
    async ({ request, caller, search, params }) => {
      onlyParams(search, ["recursive", "at"]);
      return answer.record(request, await read(caller, params.id, search));
    },
    {
      allow: "everyone",
      params: byEitherId,
      response: shown(item),
      detail: { summary: "One item, as it is or as it was", tags, parameters: READING },
    },
  )
  .patch(
    "/:id",
    async ({ caller, params, body }) => answer.changed(await items.update(caller, params.id, body)),
    {
      allow: EDITORS,
      params: byEitherId,
      body: changedItem,
      response: shown(item),
      detail: { summary: "Change or move an item", tags, ...writeParameters },
    },
  )
  .delete("/:id", remove(items.remove), {
    allow: ["admin"],
    params: byId,
    response: removed,
    detail: { summary: "Delete an item and its comments", tags, ...writeParameters },
  })
  .get(
    "/:id/comments",
    async ({ request, caller, search, params }) =>
      answer.list(request, await comments.list(caller, params.id, search)),
    {
      allow: "everyone",
      params: byEitherId,
      response: listOf(comment),
      detail: {
        summary: "List the comments of an item",
        tags,
        ...listParameters(comments.resource.fields),
      },
    },
  )
  .post(
    "/:id/comments",
    async ({ caller, params, body }) =>
      answer.created(await comments.create(caller, params.id, body)),
    {
      allow: EDITORS,
      params: byEitherId,
      body: newComment,
      response: made(comment),
      detail: { summary: "Comment on an item", tags, ...writeParameters },
    },
  )
  .get("/comments/:id", find(comments.find), {
    allow: "everyone",
    params: byId,
    response: shown(comment),
    detail: { summary: "One comment", tags },
  })
  .patch("/comments/:id", update(comments.update), {
    allow: EDITORS,
    params: byId,
    body: newComment,
    response: shown(comment),
    detail: { summary: "Change a comment of yours", tags, ...writeParameters },
  })
  .delete("/comments/:id", remove(comments.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a comment of yours", tags, ...writeParameters },
  });

function read(caller: Caller, id: string, search: URLSearchParams): Promise<Found> {
  const wantsRecords = isRecursive(search);
  if (!search.has("at")) return items.find(caller, id, wantsRecords);
  if (wantsRecords) throw invalid("recursive", "The past is told by names; leave this out");
  return findAt(caller, id, readMoment(search.getAll("at")));
}

function isRecursive(search: URLSearchParams): boolean {
  const faults: Fault[] = [];
  const wanted = flag(search, "recursive", faults);
  if (faults.length > 0) throw refuse(faults);
  return wanted;
}

import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, consoleCaller } from "../../auth/auth.ts";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import { reachOf } from "../../auth/token_limits.ts";
import * as answer from "../../http/answers.ts";
import { comment } from "../../inventory/comments/comment.ts";
import * as comments from "../../inventory/comments/comments.ts";
import { item } from "../../inventory/items/item.ts";
import * as items from "../../inventory/items/items.ts";
import { findAt } from "../../inventory/items/past.ts";
import { listQuery } from "../../store/list_query.ts";
import type { RecordJson } from "../../store/records.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import {
  byId,
  createdResponse,
  dryRunQuery,
  itemQuery,
  listResponse,
  nestingQuery,
  parametersOf,
  pastQuery,
  recordResponse,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { guardOf } from "../guard.ts";
import {
  create,
  createdAnswer,
  findRecord,
  list,
  readPastQuery,
  remove,
  update,
} from "../handlers.ts";
import { putRoute } from "../resource.ts";

const tags = ["Inventory: items"];
const EDITORS = INVENTORY_EDITORS;
const { newItem, changedItem } = items;
const shownItem = recordOf(item);
const { newComment } = comments;
const shownComment = recordOf(comment);

const {
  by,
  detail: putDetail,
  ...put
} = putRoute(
  {
    resource: item,
    created: newItem,
    changed: changedItem,
    create: items.create,
    update: (caller: Caller, id: number, input: Static<typeof changedItem>) =>
      items.update(caller, String(id), input),
  },
  tags,
);

/** Items are named by their primary key, which is all digits, or by the id on their label. */
const byEitherId = Type.Object({
  id: Type.String({ description: "The primary key or the ICS id" }),
});

export const itemRoutes = new Elysia({ prefix: "/inventory/items", normalize: false })
  .use(guardOf(reachOf(item)))
  .get("", list(items.list), {
    allow: "everyone",
    response: listResponse(shownItem),
    detail: {
      operationId: "listItems",
      summary: "List items",
      tags,
      ...parametersOf(listQuery(recordQuery(item, consoleCaller).fields)),
    },
  })
  .post("", create(items.create), {
    allowItem: EDITORS,
    body: newItem,
    response: createdResponse(shownItem),
    detail: { operationId: "createItem", summary: "Add an item", tags, ...parametersOf(itemQuery) },
  })
  .get(
    "/:id",
    async ({ request, caller, search, params }) =>
      answer.record(request, await read(caller, params.id, search)),
    {
      allow: "everyone",
      params: byEitherId,
      response: recordResponse(shownItem),
      detail: {
        operationId: "getItem",
        summary: "One item, as it is or as it was",
        tags,
        ...parametersOf(pastQuery),
      },
    },
  )
  .patch(
    "/:id",
    async ({ caller, params, body }) => answer.changed(await items.update(caller, params.id, body)),
    {
      allowItem: EDITORS,
      params: byEitherId,
      body: changedItem,
      response: recordResponse(shownItem),
      detail: {
        operationId: "updateItem",
        summary: "Change or move an item",
        tags,
        ...parametersOf(itemQuery),
      },
    },
  )
  .put(by, put.handler, {
    allowItem: EDITORS,
    ...put.told,
    detail: { ...putDetail, ...parametersOf(itemQuery) },
  })
  .delete("/:id", remove(items.remove), {
    allow: ["admin"],
    params: byId,
    response: removedResponse,
    detail: {
      operationId: "deleteItem",
      summary: "Delete an item and its comments",
      tags,
      ...parametersOf(dryRunQuery),
    },
  })
  .get(
    "/:id/comments",
    async ({ request, caller, search, params }) =>
      answer.list(request, await comments.list(caller, params.id, search)),
    {
      allow: "everyone",
      params: byEitherId,
      response: listResponse(shownComment),
      detail: {
        operationId: "listItemComments",
        summary: "List the comments of an item",
        tags,
        ...parametersOf(listQuery(recordQuery(comment, consoleCaller).fields)),
      },
    },
  )
  .post(
    "/:id/comments",
    async ({ request, caller, params, body }) =>
      createdAnswer(
        { request, caller, path: "/inventory/items/comments" },
        await comments.create(caller, params.id, body),
      ),
    {
      allow: EDITORS,
      params: byEitherId,
      body: newComment,
      response: createdResponse(shownComment),
      detail: {
        operationId: "addItemComment",
        summary: "Comment on an item",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .get("/comments/:id", findRecord(comments.find), {
    allow: "everyone",
    params: byId,
    response: recordResponse(shownComment),
    detail: {
      operationId: "getComment",
      summary: "One comment",
      tags,
      ...parametersOf(nestingQuery),
    },
  })
  .patch("/comments/:id", update(comments.update), {
    allow: EDITORS,
    params: byId,
    body: newComment,
    response: recordResponse(shownComment),
    detail: {
      operationId: "updateComment",
      summary: "Change your own comment",
      tags,
      ...parametersOf(writeQuery),
    },
  })
  .delete("/comments/:id", remove(comments.remove), {
    allow: EDITORS,
    params: byId,
    response: removedResponse,
    detail: {
      operationId: "deleteComment",
      summary: "Delete your own comment",
      tags,
      ...parametersOf(dryRunQuery),
    },
  });

function read(caller: Caller, id: string, search: URLSearchParams): Promise<RecordJson> {
  const { at, isRecursive } = readPastQuery(search);
  return at ? findAt(caller, id, at) : items.find(caller, id, isRecursive);
}

import { Elysia } from "elysia";
import { consoleCaller } from "../../auth/auth.ts";
import * as settings from "../../events/notices/settings.ts";
import { changedWatch, newWatch, watch } from "../../events/notices/watch.ts";
import * as watches from "../../events/notices/watches.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { listQuery } from "../../store/list_query.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import {
  byId,
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  recordResponse,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { guardOf } from "../guard.ts";
import { create, find, list, remove, update } from "../handlers.ts";

const tags = ["User: watches"];
const allow = "everyone";
const record = recordOf(watch);

export const watchRoutes = new Elysia({ prefix: "/user/watches", normalize: false })
  // Watches name records of every kind, and mails tell of their changes.
  .use(guardOf({ kinds: ["user", "network", "inventory"] }))
  .get("", list(watches.list), {
    allow,
    response: listResponse(record),
    detail: {
      summary: "List your watches",
      tags,
      ...parametersOf(listQuery(recordQuery(watch, consoleCaller).fields)),
    },
  })
  .post("", create(watches.create), {
    allow,
    body: newWatch,
    response: createdResponse(record),
    detail: {
      summary: "Watch a record or a saved search",
      tags,
      ...parametersOf(writeQuery),
    },
  })
  .get(
    "/settings",
    async ({ caller, search }) => {
      readQuery(NO_QUERY, search);
      return Response.json(await settings.settingsOf(caller));
    },
    {
      allow,
      response: { 200: settings.noticeSettings },
      detail: { summary: "How you learn of changes of what you watch", tags },
    },
  )
  .patch(
    "/settings",
    async ({ caller, body }) => Response.json(await settings.change(caller, body)),
    {
      allow,
      body: settings.changedSettings,
      response: { 200: settings.noticeSettings },
      detail: {
        summary: "Change how you learn of changes of what you watch",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .get("/:id", find(watches.find), {
    allow,
    params: byId,
    response: recordResponse(record),
    detail: { summary: "One of your watches", tags },
  })
  .patch("/:id", update(watches.update), {
    allow,
    params: byId,
    body: changedWatch,
    response: recordResponse(record),
    detail: { summary: "Change when a watch sends mails", tags, ...parametersOf(writeQuery) },
  })
  .delete("/:id", remove(watches.remove), {
    allow,
    params: byId,
    response: removedResponse,
    detail: { summary: "Delete a watch", tags, ...parametersOf(dryRunQuery) },
  });

import * as settings from "../../events/notices/settings.ts";
import { changedWatch, newWatch, watch } from "../../events/notices/watch.ts";
import * as watches from "../../events/notices/watches.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { parametersOf, writeQuery } from "../answers.ts";
import { routesOf } from "../resource.ts";

const tag = "User: watches";
const tags = [tag];
const allow = "everyone";

export const watchRoutes = routesOf(watch, {
  area: watches,
  created: newWatch,
  changed: changedWatch,
  tag,
  allow,
  // Watches name records of every kind, and mails tell of their changes.
  reach: { kinds: ["user", "network", "inventory"] },
  isFlat: true,
  summaries: {
    list: "List your watches",
    create: "Watch a record or a saved search",
    find: "One of your watches",
    update: "Change when a watch sends mails",
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
      detail: {
        operationId: "getWatchSettings",
        summary: "How you learn of changes of what you watch",
        tags,
      },
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
        operationId: "updateWatchSettings",
        summary: "Change how you learn of changes of what you watch",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

import { Elysia } from "elysia";
import { reachOf } from "../../auth/token_limits.ts";
import * as effect from "../../network/groups/effective_vars.ts";
import { group } from "../../network/groups/group.ts";
import * as groups from "../../network/groups/groups.ts";
import { groupPreview, previewSchema } from "../../network/groups/preview.ts";
import { host } from "../../network/hosts/host.ts";
import * as past from "../../network/past.ts";
import { byId, parametersOf, recordResponse, writeQuery } from "../answers.ts";
import { guardOf } from "../guard.ts";
import { find } from "../handlers.ts";
import { routesOf } from "../resource.ts";

export const groupRoutes = routesOf(group, {
  area: groups,
  findAt: past.findGroup,
  created: groups.newGroup,
  changed: groups.changedGroup,
  summaries: { create: "Add a group", remove: "Delete a group; its hosts and children stay" },
}).post("/preview", async ({ caller, body }) => Response.json(await groupPreview(caller, body)), {
  allow: group.editors,
  body: groups.groupDraft,
  response: recordResponse(previewSchema),
  detail: {
    operationId: "previewGroup",
    summary: "Preview the hosts that a new group, or with `id` a changed group, affects",
    tags: ["Network: groups"],
    ...parametersOf(writeQuery),
  },
});

export const hostVarsRoutes = new Elysia({ prefix: "/network/hosts", normalize: false })
  .use(guardOf(reachOf(host)))
  .get("/:id/vars", find(effect.varsOf), {
    allow: "everyone",
    params: byId,
    response: recordResponse(effect.hostVars),
    detail: {
      operationId: "getHostVariables",
      summary: "The variables of a host as Ansible merges them, with their sources",
      tags: ["Network: hosts"],
    },
  });

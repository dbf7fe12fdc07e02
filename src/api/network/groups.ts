import { Elysia } from "elysia";
import { machine } from "../../auth/auth.ts";
import * as effect from "../../network/groups/effective_vars.ts";
import * as groups from "../../network/groups/groups.ts";
import { preview, previewOf } from "../../network/groups/preview.ts";
import * as past from "../../network/past.ts";
import { byId, parametersOf, shown, writeQuery } from "../answers.ts";
import { door } from "../guard.ts";
import { find } from "../handlers.ts";
import { resourceRoutes } from "../resource.ts";

const tag = "Network: groups";
const EDITORS = ["network", "admin"] as const;

export const groupRoutes = resourceRoutes({
  path: "/network/groups",
  tag,
  editors: EDITORS,
  area: groups,
  findAt: past.findGroup,
  fields: groups.groupResource(machine).fields,
  shapes: { shown: groups.group, created: groups.newGroup, changed: groups.changedGroup },
  summaries: {
    list: "List groups",
    create: "Make a group",
    find: "One group",
    update: "Change a group",
    remove: "Delete a group; its hosts and children stay",
  },
}).post("/preview", async ({ caller, body }) => Response.json(await previewOf(caller, body)), {
  allow: EDITORS,
  body: groups.sketch,
  response: shown(preview),
  detail: {
    summary: "Whom a new group, or with an `id` a change of one, would touch; nothing is changed",
    tags: [tag],
    ...parametersOf(writeQuery),
  },
});

export const hostVarsRoutes = new Elysia({ prefix: "/network/hosts", normalize: false })
  .use(door)
  .get("/:id/vars", find(effect.varsOf), {
    allow: "everyone",
    params: byId,
    response: shown(effect.hostVars),
    detail: {
      summary: "The variables of a host as Ansible merges them, and where each comes from",
      tags: ["Network: hosts"],
    },
  });

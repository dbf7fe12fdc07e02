import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as effect from "../../network/group_effect.ts";
import { preview, previewOf } from "../../network/group_preview.ts";
import * as groups from "../../network/groups.ts";
import * as past from "../../network/past.ts";
import {
  byId,
  listOf,
  listParameters,
  made,
  readParameters,
  removed,
  shown,
  writeParameters,
} from "../answers.ts";
import { door } from "../door.ts";
import { create, find, list, look, remove, update } from "../handlers.ts";

const tags = ["Network: groups"];
const EDITORS = ["network", "admin"] as const;
const { group, newGroup, changedGroup, sketch } = groups;

export const groupRoutes = new Elysia({ prefix: "/network/groups", normalize: false })
  .use(door)
  .get("", list(groups.list), {
    allow: "everyone",
    response: listOf(group),
    detail: {
      summary: "List groups",
      tags,
      ...listParameters(groups.groupResource(machine).fields),
    },
  })
  .post("", create(groups.create), {
    allow: EDITORS,
    body: newGroup,
    response: made(group),
    detail: { summary: "Make a group", tags, ...writeParameters },
  })
  .post("/preview", async ({ caller, body }) => Response.json(await previewOf(caller, body)), {
    allow: EDITORS,
    body: sketch,
    response: shown(preview),
    detail: {
      summary: "Whom a new group, or with an `id` a change of one, would touch; nothing is changed",
      tags,
      ...writeParameters,
    },
  })
  .get("/:id", look(groups.find, past.findGroup), {
    allow: "everyone",
    params: byId,
    response: shown(group),
    detail: { summary: "One group", tags, ...readParameters },
  })
  .patch("/:id", update(groups.update), {
    allow: EDITORS,
    params: byId,
    body: changedGroup,
    response: shown(group),
    detail: { summary: "Change a group", tags, ...writeParameters },
  })
  .delete("/:id", remove(groups.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a group; its hosts and children stay", tags, ...writeParameters },
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

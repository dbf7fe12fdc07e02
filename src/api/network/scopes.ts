import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as past from "../../network/past.ts";
import * as scopes from "../../network/scopes.ts";
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
import { create, list, look, remove, update } from "../handlers.ts";

const tags = ["Network: scopes"];
const EDITORS = ["admin"] as const;
const { scope, newScope, changedScope } = scopes;

export const scopeRoutes = new Elysia({ prefix: "/network/scopes", normalize: false })
  .use(door)
  .get("", list(scopes.list), {
    allow: "everyone",
    response: listOf(scope),
    detail: {
      summary: "List scopes",
      tags,
      ...listParameters(scopes.scopeResource(machine).fields),
    },
  })
  .post("", create(scopes.create), {
    allow: EDITORS,
    body: newScope,
    response: made(scope),
    detail: { summary: "Add a scope", tags, ...writeParameters },
  })
  .get("/:id", look(scopes.find, past.findScope), {
    allow: "everyone",
    params: byId,
    response: shown(scope),
    detail: { summary: "One scope", tags, ...readParameters },
  })
  .patch("/:id", update(scopes.update), {
    allow: EDITORS,
    params: byId,
    body: changedScope,
    response: shown(scope),
    detail: { summary: "Change a scope", tags, ...writeParameters },
  })
  .delete("/:id", remove(scopes.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a scope", tags, ...writeParameters },
  });

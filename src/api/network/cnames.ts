import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as cnames from "../../network/cnames.ts";
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
import { create, list, look, remove } from "../handlers.ts";

const tags = ["Network: cnames"];
const EDITORS = ["network", "admin"] as const;
const { cname, newCname } = cnames;

export const cnameRoutes = new Elysia({ prefix: "/network/cnames", normalize: false })
  .use(door)
  .get("", list(cnames.list), {
    allow: "everyone",
    response: listOf(cname),
    detail: {
      summary: "List cnames",
      tags,
      ...listParameters(cnames.cnameResource(machine).fields),
    },
  })
  .post("", create(cnames.create), {
    allow: EDITORS,
    body: newCname,
    response: made(cname),
    detail: { summary: "Add a cname to an interface", tags, ...writeParameters },
  })
  .get("/:id", look(cnames.find, past.findCname), {
    allow: "everyone",
    params: byId,
    response: shown(cname),
    detail: { summary: "One cname", tags, ...readParameters },
  })
  .delete("/:id", remove(cnames.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a cname", tags, ...writeParameters },
  });

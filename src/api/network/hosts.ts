import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as hosts from "../../network/hosts.ts";
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
import { create, list, look, remove, update } from "../handlers.ts";

const tags = ["Network: hosts"];
const EDITORS = ["network", "admin"] as const;
const { host, newHost, changedHost } = hosts;

export const hostRoutes = new Elysia({ prefix: "/network/hosts", normalize: false })
  .use(door)
  .get("", list(hosts.list), {
    allow: "everyone",
    response: listOf(host),
    detail: { summary: "List hosts", tags, ...listParameters(hosts.hostResource(machine).fields) },
  })
  .post("", create(hosts.create), {
    allow: EDITORS,
    body: newHost,
    response: made(host),
    detail: {
      summary: "Register a host, with its first interface if a network is named",
      tags,
      ...writeParameters,
    },
  })
  .get("/:id", look(hosts.find, past.findHost), {
    allow: "everyone",
    params: byId,
    response: shown(host),
    detail: { summary: "One host", tags, ...readParameters },
  })
  .patch("/:id", update(hosts.update), {
    allow: EDITORS,
    params: byId,
    body: changedHost,
    response: shown(host),
    detail: { summary: "Change a host", tags, ...writeParameters },
  })
  .delete("/:id", remove(hosts.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a host, its interfaces and their cnames", tags, ...writeParameters },
  });

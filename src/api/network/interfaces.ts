import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as interfaces from "../../network/interfaces.ts";
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

const tags = ["Network: interfaces"];
const EDITORS = ["network", "admin"] as const;
const { networkInterface, newInterface, changedInterface } = interfaces;

export const interfaceRoutes = new Elysia({ prefix: "/network/interfaces", normalize: false })
  .use(door)
  .get("", list(interfaces.list), {
    allow: "everyone",
    response: listOf(networkInterface),
    detail: {
      summary: "List interfaces",
      tags,
      ...listParameters(interfaces.interfaceResource(machine).fields),
    },
  })
  .post("", create(interfaces.create), {
    allow: EDITORS,
    body: newInterface,
    response: made(networkInterface),
    detail: {
      summary: "Add an interface to a host; without an address it gets the first free one",
      tags,
      ...writeParameters,
    },
  })
  .get("/:id", look(interfaces.find, past.findInterface), {
    allow: "everyone",
    params: byId,
    response: shown(networkInterface),
    detail: { summary: "One interface", tags, ...readParameters },
  })
  .patch("/:id", update(interfaces.update), {
    allow: EDITORS,
    params: byId,
    body: changedInterface,
    response: shown(networkInterface),
    detail: { summary: "Change an interface", tags, ...writeParameters },
  })
  .delete("/:id", remove(interfaces.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete an interface and its cnames", tags, ...writeParameters },
  });

import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as networks from "../../network/networks.ts";
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

const tags = ["Network: networks"];
const EDITORS = ["admin"] as const;
const { network, newNetwork, changedNetwork } = networks;

export const networkRoutes = new Elysia({ prefix: "/network/networks", normalize: false })
  .use(door)
  .get("", list(networks.list), {
    allow: "everyone",
    response: listOf(network),
    detail: {
      summary: "List networks",
      tags,
      ...listParameters(networks.networkResource(machine).fields),
    },
  })
  .post("", create(networks.create), {
    allow: EDITORS,
    body: newNetwork,
    response: made(network),
    detail: { summary: "Add a network", tags, ...writeParameters },
  })
  .get("/:id", look(networks.find, past.findNetwork), {
    allow: "everyone",
    params: byId,
    response: shown(network),
    detail: { summary: "One network", tags, ...readParameters },
  })
  .patch("/:id", update(networks.update), {
    allow: EDITORS,
    params: byId,
    body: changedNetwork,
    response: shown(network),
    detail: { summary: "Change a network", tags, ...writeParameters },
  })
  .delete("/:id", remove(networks.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a network", tags, ...writeParameters },
  });

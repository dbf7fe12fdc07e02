import { Elysia } from "elysia";
import * as macs from "../../inventory/macs.ts";
import { byId, listOf, listParameters, made, removed, shown, writeParameters } from "../answers.ts";
import { door } from "../door.ts";
import { create, find, list, remove, update } from "../handlers.ts";

const tags = ["Inventory: MAC addresses"];
const EDITORS = ["inventory", "admin"] as const;
const { mac, newMac, changedMac } = macs;

export const macRoutes = new Elysia({ prefix: "/inventory/macs", normalize: false })
  .use(door)
  .get("", list(macs.list), {
    allow: "everyone",
    response: listOf(mac),
    detail: { summary: "List MAC addresses", tags, ...listParameters(macs.resource.fields) },
  })
  .post("", create(macs.create), {
    allow: EDITORS,
    body: newMac,
    response: made(mac),
    detail: { summary: "Register a MAC address", tags, ...writeParameters },
  })
  .get("/:id", find(macs.find), {
    allow: "everyone",
    params: byId,
    response: shown(mac),
    detail: { summary: "One MAC address", tags },
  })
  .patch("/:id", update(macs.update), {
    allow: EDITORS,
    params: byId,
    body: changedMac,
    response: shown(mac),
    detail: { summary: "Change a MAC address or the item that it is on", tags, ...writeParameters },
  })
  .delete("/:id", remove(macs.remove), {
    allow: ["admin"],
    params: byId,
    response: removed,
    detail: { summary: "Delete a MAC address", tags, ...writeParameters },
  });

import { Elysia } from "elysia";
import * as deviceTypes from "../../network/device_types.ts";
import { byId, listOf, listParameters, made, removed, shown, writeParameters } from "../answers.ts";
import { door } from "../door.ts";
import { create, find, list, remove } from "../handlers.ts";

const tags = ["Network: device types"];
const EDITORS = ["admin"] as const;
const { deviceType, newDeviceType } = deviceTypes;

export const deviceTypeRoutes = new Elysia({ prefix: "/network/device_types", normalize: false })
  .use(door)
  .get("", list(deviceTypes.list), {
    allow: "everyone",
    response: listOf(deviceType),
    detail: { summary: "List device types", tags, ...listParameters(deviceTypes.resource.fields) },
  })
  .post("", create(deviceTypes.create), {
    allow: EDITORS,
    body: newDeviceType,
    response: made(deviceType),
    detail: { summary: "Add a device type", tags, ...writeParameters },
  })
  .get("/:id", find(deviceTypes.find), {
    allow: "everyone",
    params: byId,
    response: shown(deviceType),
    detail: { summary: "One device type", tags },
  })
  .delete("/:id", remove(deviceTypes.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a device type", tags, ...writeParameters },
  });

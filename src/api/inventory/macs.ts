import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import * as macs from "../../inventory/macs.ts";
import { onlyParams } from "../../records.ts";
import {
  byId,
  idOf,
  listOf,
  listParameters,
  made,
  removed,
  shown,
  writeParameters,
} from "../answers.ts";
import { door } from "../door.ts";

const tags = ["Inventory: MAC addresses"];
const EDITORS = ["inventory", "admin"] as const;
const { mac, newMac, changedMac } = macs;

export const macRoutes = new Elysia({ prefix: "/inventory/macs", normalize: false })
  .use(door)
  .get(
    "",
    async ({ request, caller, search }) => answer.list(request, await macs.list(caller, search)),
    {
      allow: "everyone",
      response: listOf(mac),
      detail: { summary: "List MAC addresses", tags, ...listParameters(macs.resource.fields) },
    },
  )
  .post("", async ({ caller, body }) => answer.created(await macs.create(caller, body)), {
    allow: EDITORS,
    body: newMac,
    response: made(mac),
    detail: { summary: "Register a MAC address", tags, ...writeParameters },
  })
  .get(
    "/:id",
    async ({ request, caller, search, params }) => {
      onlyParams(search, []);
      return answer.record(request, await macs.find(caller, idOf(params.id)));
    },
    {
      allow: "everyone",
      params: byId,
      response: shown(mac),
      detail: { summary: "One MAC address", tags },
    },
  )
  .patch(
    "/:id",
    async ({ caller, params, body }) =>
      answer.changed(await macs.update(caller, idOf(params.id), body)),
    {
      allow: EDITORS,
      params: byId,
      body: changedMac,
      response: shown(mac),
      detail: {
        summary: "Change a MAC address or the item that it is on",
        tags,
        ...writeParameters,
      },
    },
  )
  .delete(
    "/:id",
    async ({ caller, params }) => {
      await macs.remove(caller, idOf(params.id));
      return answer.gone();
    },
    {
      allow: ["admin"],
      params: byId,
      response: removed,
      detail: { summary: "Delete a MAC address", tags, ...writeParameters },
    },
  );

import { Type } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import * as answer from "../../http/answers.ts";
import { keyNamed } from "../../input/keys.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { firstFree } from "../../network/networks/form_proposals.ts";
import { network } from "../../network/networks/network.ts";
import * as networks from "../../network/networks/networks.ts";
import * as past from "../../network/past.ts";
import { byId, recordResponse } from "../answers.ts";
import { routesOf } from "../resource.ts";

const freeAddress = Type.Object(
  { ip: Type.Union([Type.String(), Type.Null()], { description: "Null if the network is full" }) },
  { title: "FreeAddress" },
);

export const networkRoutes = routesOf(network, {
  area: networks,
  findAt: past.findNetwork,
  created: networks.newNetwork,
  changed: networks.changedNetwork,
}).get(
  "/:id/free_address",
  async ({ request, caller, params, search }) => {
    readQuery(NO_QUERY, search);
    return answer.record(request, await freeAddressOf(caller, keyNamed(params.id)));
  },
  {
    allow: "everyone",
    params: byId,
    response: recordResponse(freeAddress),
    detail: {
      operationId: "getFreeAddress",
      summary:
        "The first address of a network that is free, as far as you see; nothing reserves it",
      tags: ["Network: networks"],
    },
  },
);

async function freeAddressOf(caller: Caller, id: number) {
  const ip = (await firstFree(caller, id)) || null;
  return { json: JSON.stringify({ ip }), version: 0 };
}

import { machine } from "../../auth/auth.ts";
import * as networks from "../../network/networks/networks.ts";
import * as past from "../../network/past.ts";
import { resourceRoutes } from "../resource.ts";

const { network, newNetwork, changedNetwork } = networks;

export const networkRoutes = resourceRoutes({
  path: "/network/networks",
  tag: "Network: networks",
  editors: ["admin"],
  area: networks,
  findAt: past.findNetwork,
  fields: networks.networkResource(machine).fields,
  shapes: { shown: network, created: newNetwork, changed: changedNetwork },
  summaries: {
    list: "List networks",
    create: "Add a network",
    find: "One network",
    update: "Change a network",
    remove: "Delete a network",
  },
});

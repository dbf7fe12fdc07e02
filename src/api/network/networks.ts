import { network } from "../../network/networks/network.ts";
import * as networks from "../../network/networks/networks.ts";
import * as past from "../../network/past.ts";
import { routesOf } from "../resource.ts";

export const networkRoutes = routesOf(network, {
  area: networks,
  findAt: past.findNetwork,
  created: networks.newNetwork,
  changed: networks.changedNetwork,
});

import { mac } from "../../inventory/macs/mac.ts";
import * as macs from "../../inventory/macs/macs.ts";
import { routesOf } from "../resource.ts";

export const macRoutes = routesOf(mac, {
  area: macs,
  created: macs.newMac,
  changed: macs.changedMac,
  summaries: {
    create: "Add a MAC address",
    update: "Change a MAC address or the item that it is on",
  },
});

import * as macs from "../../inventory/macs/macs.ts";
import { resourceRoutes } from "../resource.ts";

export const macRoutes = resourceRoutes({
  path: "/inventory/macs",
  tag: "Inventory: MAC addresses",
  editors: ["inventory", "admin"],
  removers: ["admin"],
  area: macs,
  fields: macs.resource.fields,
  shapes: { shown: macs.mac, created: macs.newMac, changed: macs.changedMac },
  summaries: {
    list: "List MAC addresses",
    create: "Register a MAC address",
    find: "One MAC address",
    update: "Change a MAC address or the item that it is on",
    remove: "Delete a MAC address",
  },
});

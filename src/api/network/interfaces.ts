import { machine } from "../../auth/auth.ts";
import * as interfaces from "../../network/interfaces/interfaces.ts";
import * as past from "../../network/past.ts";
import { resourceRoutes } from "../resource.ts";

const { networkInterface, newInterface, changedInterface } = interfaces;

export const interfaceRoutes = resourceRoutes({
  path: "/network/interfaces",
  tag: "Network: interfaces",
  editors: ["network", "admin"],
  area: interfaces,
  findAt: past.findInterface,
  fields: interfaces.interfaceResource(machine).fields,
  shapes: { shown: networkInterface, created: newInterface, changed: changedInterface },
  summaries: {
    list: "List interfaces",
    create: "Add an interface to a host; without an address it gets the first free one",
    find: "One interface",
    update: "Change an interface",
    remove: "Delete an interface and its cnames",
  },
});

import { networkInterface } from "../../network/interfaces/interface.ts";
import * as interfaces from "../../network/interfaces/interfaces.ts";
import * as past from "../../network/past.ts";
import { routesOf } from "../resource.ts";

export const interfaceRoutes = routesOf(networkInterface, {
  area: interfaces,
  findAt: past.findInterface,
  created: interfaces.newInterface,
  changed: interfaces.changedInterface,
  summaries: {
    create: "Add an interface to a host; without an address it gets the first free one",
    remove: "Delete an interface and its cnames",
  },
});

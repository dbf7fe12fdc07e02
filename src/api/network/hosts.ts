import { machine } from "../../auth/auth.ts";
import * as hosts from "../../network/hosts/hosts.ts";
import * as past from "../../network/past.ts";
import { resourceRoutes } from "../resource.ts";

export const hostRoutes = resourceRoutes({
  path: "/network/hosts",
  tag: "Network: hosts",
  editors: ["network", "admin"],
  area: hosts,
  findAt: past.findHost,
  fields: hosts.hostResource(machine).fields,
  shapes: { shown: hosts.host, created: hosts.newHost, changed: hosts.changedHost },
  summaries: {
    list: "List hosts",
    create: "Register a host, with its first interface if a network is named",
    find: "One host",
    update: "Change a host",
    remove: "Delete a host, its interfaces and their cnames",
  },
});

import { host } from "../../network/hosts/host.ts";
import * as hosts from "../../network/hosts/hosts.ts";
import * as past from "../../network/past.ts";
import { routesOf } from "../resource.ts";

export const hostRoutes = routesOf(host, {
  area: hosts,
  findAt: past.findHost,
  created: hosts.newHost,
  changed: hosts.changedHost,
  settable: { shownOnce: hosts.mainInterface },
  hasImport: true,
  summaries: {
    create: "Add a host, with its first interface if a network is given",
    remove: "Delete a host, its interfaces and their cnames",
  },
});

import { machine } from "../../auth/auth.ts";
import * as cnames from "../../network/cnames/cnames.ts";
import * as past from "../../network/past.ts";
import { resourceRoutes } from "../resource.ts";

export const cnameRoutes = resourceRoutes({
  path: "/network/cnames",
  tag: "Network: cnames",
  editors: ["network", "admin"],
  area: cnames,
  findAt: past.findCname,
  fields: cnames.cnameResource(machine).fields,
  shapes: { shown: cnames.cname, created: cnames.newCname },
  summaries: {
    list: "List cnames",
    create: "Add a cname to an interface",
    find: "One cname",
    remove: "Delete a cname",
  },
});

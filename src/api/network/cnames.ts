import { cname } from "../../network/cnames/cname.ts";
import * as cnames from "../../network/cnames/cnames.ts";
import * as past from "../../network/past.ts";
import { routesOf } from "../resource.ts";

export const cnameRoutes = routesOf(cname, {
  area: cnames,
  findAt: past.findCname,
  created: cnames.newCname,
  summaries: { create: "Add a cname to an interface" },
});

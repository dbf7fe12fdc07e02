import { domain } from "../../network/domains/domain.ts";
import * as domains from "../../network/domains/domains.ts";
import * as past from "../../network/past.ts";
import { routesOf } from "../resource.ts";

export const domainRoutes = routesOf(domain, {
  area: domains,
  findAt: past.findDomain,
  created: domains.newDomain,
});

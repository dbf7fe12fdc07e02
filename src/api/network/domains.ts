import { machine } from "../../auth/auth.ts";
import * as domains from "../../network/domains/domains.ts";
import * as past from "../../network/past.ts";
import { resourceRoutes } from "../resource.ts";

export const domainRoutes = resourceRoutes({
  path: "/network/domains",
  tag: "Network: domains",
  editors: ["admin"],
  area: domains,
  findAt: past.findDomain,
  fields: domains.domainResource(machine).fields,
  shapes: { shown: domains.domain, created: domains.newDomain },
  summaries: {
    list: "List domains",
    create: "Add a domain",
    find: "One domain",
    remove: "Delete a domain",
  },
});

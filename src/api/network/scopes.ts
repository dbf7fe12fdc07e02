import { machine } from "../../auth/auth.ts";
import * as past from "../../network/past.ts";
import * as scopes from "../../network/scopes/scopes.ts";
import { resourceRoutes } from "../resource.ts";

export const scopeRoutes = resourceRoutes({
  path: "/network/scopes",
  tag: "Network: scopes",
  editors: ["admin"],
  area: scopes,
  findAt: past.findScope,
  fields: scopes.scopeResource(machine).fields,
  shapes: { shown: scopes.scope, created: scopes.newScope, changed: scopes.changedScope },
  summaries: {
    list: "List scopes",
    create: "Add a scope",
    find: "One scope",
    update: "Change a scope",
    remove: "Delete a scope",
  },
});

import * as past from "../../network/past.ts";
import { scope } from "../../network/scopes/scope.ts";
import * as scopes from "../../network/scopes/scopes.ts";
import { routesOf } from "../resource.ts";

export const scopeRoutes = routesOf(scope, {
  area: scopes,
  findAt: past.findScope,
  created: scopes.newScope,
  changed: scopes.changedScope,
});

import { Elysia } from "elysia";
import { kinds } from "../inventory/attributes/attribute.ts";
import { standardResources } from "../resources.ts";
import { auditRoutes } from "./audit.ts";
import { changeRoutes } from "./changes.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { attributeRoutes } from "./inventory/attributes.ts";
import { itemRoutes } from "./inventory/items.ts";
import { itemImportRoutes } from "./inventory/items_import.ts";
import { macRoutes } from "./inventory/macs.ts";
import { cnameRoutes } from "./network/cnames.ts";
import { domainRoutes } from "./network/domains.ts";
import { exportRoutes } from "./network/export.ts";
import { groupRoutes, hostVarsRoutes } from "./network/groups.ts";
import { hostRoutes } from "./network/hosts.ts";
import { hostImportRoutes } from "./network/hosts_import.ts";
import { interfaceRoutes } from "./network/interfaces.ts";
import { networkRoutes } from "./network/networks.ts";
import { scopeRoutes } from "./network/scopes.ts";
import { hostSearchRoutes } from "./network/search.ts";
import { standardRoutes } from "./resource.ts";
import { triggerRoutes } from "./triggers.ts";
import { loginRoutes } from "./user/login.ts";
import { rightRoutes } from "./user/rights.ts";
import { serviceAccountRoutes } from "./user/service_accounts.ts";
import { tokenRoutes } from "./user/tokens.ts";
import { profileRoutes, userRoutes } from "./user/users.ts";
import { watchRoutes } from "./user/watches.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Everything under /api/v1. */
export const api = new Elysia({ prefix: "/api/v1", normalize: false })
  .use(loginRoutes)
  .use(profileRoutes)
  .use(userRoutes)
  .use(rightRoutes)
  .use(tokenRoutes)
  .use(watchRoutes)
  .use(serviceAccountRoutes)
  .use(standardResources.map(standardRoutes))
  .use(kinds.map(attributeRoutes))
  .use(itemRoutes)
  .use(itemImportRoutes)
  .use(macRoutes)
  .use(domainRoutes)
  .use(scopeRoutes)
  .use(networkRoutes)
  .use(hostSearchRoutes)
  .use(hostRoutes)
  .use(hostImportRoutes)
  .use(interfaceRoutes)
  .use(cnameRoutes)
  .use(groupRoutes)
  .use(hostVarsRoutes)
  .use(exportRoutes)
  .use(changeRoutes)
  .use(triggerRoutes)
  .use(webhookRoutes)
  .use(eventRoutes)
  .use(fileRoutes)
  .use(auditRoutes);

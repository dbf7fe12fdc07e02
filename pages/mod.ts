import { Elysia } from "elysia";
import { changePages } from "./changes.tsx";
import { homePages } from "./home.tsx";
import { attributePages } from "./inventory/attributes.tsx";
import { commentPages } from "./inventory/comments.tsx";
import { exportPages } from "./inventory/export.tsx";
import { favoritePages } from "./inventory/favorites.tsx";
import { importPages } from "./inventory/import.tsx";
import { itemPages } from "./inventory/items.tsx";
import { itemBulkPages } from "./inventory/items_bulk.tsx";
import { itemEditPages } from "./inventory/items_edit.tsx";
import { itemViewPages } from "./inventory/items_view.tsx";
import { labelPages } from "./inventory/labels.tsx";
import { scannerPages } from "./inventory/scanner.tsx";
import { checkPages } from "./network/checks.tsx";
import { domainPages } from "./network/domains.tsx";
import { groupPages } from "./network/groups.tsx";
import { groupEditPages } from "./network/groups_edit.tsx";
import { groupViewPages } from "./network/groups_view.tsx";
import { hostPages } from "./network/hosts.tsx";
import { hostDeletePages } from "./network/hosts_delete.tsx";
import { hostEditPages } from "./network/hosts_edit.tsx";
import { hostGatherPages } from "./network/hosts_gather.tsx";
import { hostViewPages } from "./network/hosts_view.tsx";
import { interfacePages } from "./network/interfaces.tsx";
import { interfaceListPages } from "./network/interfaces_index.tsx";
import { networkPages } from "./network/networks.tsx";
import { networkCreatePages } from "./network/networks_create.tsx";
import { networkEditPages } from "./network/networks_edit.tsx";
import { groundData } from "./network/retrieve_ground.tsx";
import { scopePages } from "./network/scopes.tsx";
import { scopeEditPages } from "./network/scopes_edit.tsx";
import { searchPages } from "./search_saved.tsx";
import { staticFiles } from "./static.ts";
import { statusPages } from "./status.tsx";
import { loginPages } from "./user/login.tsx";
import { profilePages } from "./user/profile.tsx";

/** Everything that people see. */
export const pages = new Elysia({ normalize: false, detail: { hide: true } })
  .use(staticFiles)
  .use(loginPages)
  .use(profilePages)
  .use(homePages)
  .use(searchPages)
  .use(changePages)
  .use(statusPages)
  .use(favoritePages)
  .use(attributePages)
  .use(exportPages)
  .use(importPages)
  .use(itemPages)
  .use(itemViewPages)
  .use(itemEditPages)
  .use(itemBulkPages)
  .use(commentPages)
  .use(scannerPages)
  .use(labelPages)
  .use(hostPages)
  .use(hostViewPages)
  .use(hostEditPages)
  .use(hostDeletePages)
  .use(hostGatherPages)
  .use(interfaceListPages)
  .use(interfacePages)
  .use(checkPages)
  .use(networkPages)
  .use(networkCreatePages)
  .use(networkEditPages)
  .use(scopePages)
  .use(scopeEditPages)
  .use(domainPages)
  .use(groupPages)
  .use(groupEditPages)
  .use(groupViewPages)
  .use(groundData);

import { Elysia } from "elysia";
import { auditPages } from "./admin/audit.tsx";
import { adminPages } from "./admin/home.tsx";
import { jobPages } from "./admin/jobs.tsx";
import { passkeyAdminPages } from "./admin/passkeys.tsx";
import { providerPages } from "./admin/provider.tsx";
import { serviceAccountPages } from "./admin/service_accounts.tsx";
import { signInAdminPages } from "./admin/sign_in.tsx";
import { systemPages } from "./admin/system.tsx";
import { tokenPages } from "./admin/tokens.tsx";
import { userPages } from "./admin/users.tsx";
import { changeListPages } from "./changes/changes.tsx";
import { changePages } from "./changes/set.tsx";
import { noticePages } from "./events/notices.tsx";
import { openNoticePages } from "./events/notices_open.tsx";
import { triggerPages } from "./events/triggers.tsx";
import { webhookPages } from "./events/webhooks.tsx";
import { filePages } from "./files/files.tsx";
import { helpPages } from "./help/help.tsx";
import { startPages } from "./home/start.tsx";
import { tourPages } from "./home/tour.tsx";
import { attributePages } from "./inventory/attributes/attributes.tsx";
import { favoritePages } from "./inventory/attributes/favorites.tsx";
import { commentPages } from "./inventory/comments/comments.tsx";
import { inventoryPages } from "./inventory/home.tsx";
import { itemImportPages } from "./inventory/import/import.tsx";
import { itemPages } from "./inventory/items/items.tsx";
import { labelPages } from "./inventory/labels/labels.tsx";
import { scannerPages } from "./inventory/scan/scanner.tsx";
import { statusPages } from "./jobs/status.tsx";
import { listBulkPages } from "./lists/bulk.tsx";
import { listExportPages } from "./lists/export.tsx";
import { viewPages } from "./lists/views.tsx";
import { livePages } from "./live.ts";
import { domainPages } from "./network/domains/domains.tsx";
import { checkPages } from "./network/form_checks.tsx";
import { proposalPages } from "./network/form_proposals.tsx";
import { groupPages } from "./network/groups/groups.tsx";
import { networkRoomPages } from "./network/home.tsx";
import { hostPages } from "./network/hosts/hosts.tsx";
import { hostImportPages } from "./network/import/import.tsx";
import { interfacePages } from "./network/interfaces/interfaces.tsx";
import { networkPages } from "./network/networks/networks.tsx";
import { scopePages } from "./network/scopes/scopes.tsx";
import { vlanPages } from "./network/vlans/vlans.tsx";
import { homePages } from "./omnibox/home.tsx";
import { meanwhilePages } from "./records/meanwhile.tsx";
import { namePages } from "./resource/names.ts";
import { standardPages } from "./resource/standard.tsx";
import { siteFieldPages } from "./site/fields.tsx";
import { staticFiles } from "./static.ts";
import { tagPages } from "./tags.tsx";
import { loginPages } from "./user/login.tsx";
import { passkeyPages } from "./user/passkeys.tsx";
import { passkeyLoginPages } from "./user/passkeys_login.tsx";
import { personPages } from "./user/person.tsx";
import { profilePages } from "./user/profile.tsx";
import { signInPages } from "./user/sign_in.tsx";

/** All pages. */
export const pages = new Elysia({ normalize: false, detail: { hide: true } })
  .use(staticFiles)
  .use(loginPages)
  .use(filePages)
  .use(signInPages)
  .use(passkeyLoginPages)
  .use(profilePages)
  .use(noticePages)
  .use(openNoticePages)
  .use(passkeyPages)
  .use(personPages)
  .use(homePages)
  .use(startPages)
  .use(tourPages)
  .use(livePages)
  .use(viewPages)
  .use(listExportPages)
  .use(listBulkPages)
  .use(adminPages)
  .use(userPages)
  .use(serviceAccountPages)
  .use(tokenPages)
  .use(jobPages)
  .use(auditPages)
  .use(signInAdminPages)
  .use(passkeyAdminPages)
  .use(providerPages)
  .use(triggerPages)
  .use(webhookPages)
  .use(systemPages)
  .use(helpPages)
  .use(inventoryPages)
  .use(networkRoomPages)
  .use(standardPages)
  .use(siteFieldPages)
  .use(namePages)
  .use(tagPages)
  .use(meanwhilePages)
  .use(changeListPages)
  .use(changePages)
  .use(statusPages)
  .use(favoritePages)
  .use(attributePages)
  .use(itemImportPages)
  .use(itemPages)
  .use(commentPages)
  .use(scannerPages)
  .use(labelPages)
  .use(hostPages)
  .use(hostImportPages)
  .use(interfacePages)
  .use(checkPages)
  .use(networkPages)
  .use(vlanPages)
  .use(scopePages)
  .use(domainPages)
  .use(groupPages)
  .use(proposalPages);

import { Elysia } from "elysia";
import { changePages } from "./changes.tsx";
import { homePages } from "./home.tsx";
import { attributePages } from "./inventory/attributes.tsx";
import { commentPages } from "./inventory/comments.tsx";
import { exportPages } from "./inventory/export.tsx";
import { favoritePages } from "./inventory/favorites.tsx";
import { itemPages } from "./inventory/items.tsx";
import { itemBulkPages } from "./inventory/items_bulk.tsx";
import { itemEditPages } from "./inventory/items_edit.tsx";
import { itemViewPages } from "./inventory/items_view.tsx";
import { labelPages } from "./inventory/labels.tsx";
import { scannerPages } from "./inventory/scanner.tsx";
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
  .use(changePages)
  .use(statusPages)
  .use(favoritePages)
  .use(attributePages)
  .use(exportPages)
  .use(itemPages)
  .use(itemViewPages)
  .use(itemEditPages)
  .use(itemBulkPages)
  .use(commentPages)
  .use(scannerPages)
  .use(labelPages);

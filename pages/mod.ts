import { Elysia } from "elysia";
import { homePages } from "./home.tsx";
import { attributePages } from "./inventory/attributes.tsx";
import { favoritePages } from "./inventory/favorites.tsx";
import { staticFiles } from "./static.ts";
import { loginPages } from "./user/login.tsx";
import { profilePages } from "./user/profile.tsx";

/** Everything that people see. */
export const pages = new Elysia({ normalize: false, detail: { hide: true } })
  .use(staticFiles)
  .use(loginPages)
  .use(profilePages)
  .use(homePages)
  .use(favoritePages)
  .use(attributePages);

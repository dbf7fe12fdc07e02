import { Elysia } from "elysia";
import { kinds } from "../inventory/attributes.ts";
import { changeRoutes } from "./changes.ts";
import { attributeRoutes } from "./inventory/attributes.ts";
import { itemRoutes } from "./inventory/items.ts";
import { macRoutes } from "./inventory/macs.ts";
import { loginRoutes } from "./user/login.ts";
import { tokenRoutes } from "./user/tokens.ts";
import { userRoutes } from "./user/users.ts";

/** Everything under /api/v1. */
export const api = new Elysia({ prefix: "/api/v1", normalize: false })
  .use(loginRoutes)
  .use(userRoutes)
  .use(tokenRoutes)
  .use(kinds.map(attributeRoutes))
  .use(itemRoutes)
  .use(macRoutes)
  .use(changeRoutes);

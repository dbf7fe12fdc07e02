import { Elysia } from "elysia";
import * as hosts from "../../network/hosts.ts";
import { listOf, searchParameters } from "../answers.ts";
import { door } from "../door.ts";
import { list } from "../handlers.ts";

export const hostSearchRoutes = new Elysia({ prefix: "/network/hosts", normalize: false })
  .use(door)
  .get("/search", list(hosts.search), {
    allow: "everyone",
    response: listOf(hosts.foundHost),
    detail: { summary: "Search hosts", tags: ["Network: hosts"], ...searchParameters },
  });

import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import * as tokens from "../../user/tokens.ts";
import {
  byId,
  dryRunParameters,
  listOf,
  listParameters,
  made,
  removed,
  writeParameters,
} from "../answers.ts";
import { door } from "../door.ts";
import { list, remove } from "../handlers.ts";

const tags = ["User"];

export const tokenRoutes = new Elysia({ prefix: "/user/tokens", normalize: false })
  .use(door)
  .get("", list(tokens.list), {
    allow: "everyone",
    response: listOf(tokens.token),
    detail: {
      summary: "List your personal tokens",
      tags,
      ...listParameters(tokens.resource.fields),
    },
  })
  .post("", async ({ caller, body }) => answer.created(await tokens.create(caller, body)), {
    allow: "everyone",
    body: tokens.newToken,
    response: made(tokens.shownToken),
    detail: { summary: "Make a personal token, shown once", tags, ...writeParameters },
  })
  .delete(
    "/:id",
    remove((caller, id) => tokens.revoke(caller, { id })),
    {
      allow: "everyone",
      params: byId,
      response: removed,
      detail: { summary: "Revoke one of your tokens", tags, ...dryRunParameters },
    },
  );

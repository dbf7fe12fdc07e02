import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import { keyNamed } from "../../keys.ts";
import { closed } from "../../shape.ts";
import * as tokens from "../../user/tokens.ts";
import { byId, listOf, listParameters, made, removed, writeParameters } from "../answers.ts";
import { door } from "../door.ts";
import { create, list, remove } from "../handlers.ts";

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
  .post("", create(tokens.create), {
    allow: "everyone",
    body: tokens.newToken,
    response: made(tokens.shownToken),
    detail: { summary: "Make a personal token, shown once", tags, ...writeParameters },
  })
  .post(
    "/:id/rotate",
    async ({ caller, params }) => answer.created(await tokens.rotate(caller, keyNamed(params.id))),
    {
      allowToken: "everyone",
      params: byId,
      body: closed({}),
      response: made(tokens.shownToken),
      detail: {
        summary: "Replace one of your tokens by a new one, shown once",
        tags,
        ...writeParameters,
      },
    },
  )
  .delete(
    "/:id",
    remove((caller, id) => tokens.revoke(caller, { id })),
    {
      allowToken: "everyone",
      params: byId,
      response: removed,
      detail: { summary: "Revoke one of your tokens", tags, ...writeParameters },
    },
  );

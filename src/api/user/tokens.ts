import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import * as tokens from "../../user/tokens.ts";
import { byId, idOf, listOf, listParameters, made, removed, writeParameters } from "../answers.ts";
import { door } from "../door.ts";

const tags = ["User"];

export const tokenRoutes = new Elysia({ prefix: "/user/tokens", normalize: false })
  .use(door)
  .get(
    "",
    async ({ request, caller, search }) => answer.list(request, await tokens.list(caller, search)),
    {
      allow: "everyone",
      response: listOf(tokens.token),
      detail: {
        summary: "List your personal tokens",
        tags,
        ...listParameters(tokens.resource.fields),
      },
    },
  )
  .post("", async ({ caller, body }) => answer.created(await tokens.create(caller, body)), {
    allow: "everyone",
    body: tokens.newToken,
    response: made(tokens.shownToken),
    detail: { summary: "Make a personal token, shown once", tags, ...writeParameters },
  })
  .delete(
    "/:id",
    async ({ caller, params }) => {
      await tokens.revoke(caller, { id: idOf(params.id) });
      return answer.gone();
    },
    {
      allow: "everyone",
      params: byId,
      response: removed,
      detail: { summary: "Revoke one of your tokens", tags, ...writeParameters },
    },
  );

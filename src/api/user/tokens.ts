import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, consoleCaller } from "../../auth/auth.ts";
import * as answer from "../../http/answers.ts";
import { keyNamed } from "../../input/keys.ts";
import { closed } from "../../input/shape.ts";
import { listQuery } from "../../store/list_query.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import { token } from "../../user/token.ts";
import * as tokens from "../../user/tokens.ts";
import {
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { guard } from "../guard.ts";
import { list } from "../handlers.ts";

const tags = ["User"];

const shownToken = Type.Object({
  ...recordOf(token).properties,
  token: Type.String({ description: "Shown this once" }),
});

const tokenId = Type.Object({
  id: Type.String({
    description: "The token's primary key, or `self` for the token of the request",
  }),
});

export const tokenRoutes = new Elysia({ prefix: "/user/tokens", normalize: false })
  .use(guard)
  .get("", list(tokens.list), {
    allow: "everyone",
    response: listResponse(recordOf(token)),
    detail: {
      summary: "List your personal tokens",
      tags,
      ...parametersOf(listQuery(recordQuery(token, consoleCaller).fields)),
    },
  })
  .post("", async ({ caller, body }) => answer.created(await tokens.create(caller, body)), {
    allow: "everyone",
    body: tokens.newToken,
    response: createdResponse(shownToken),
    detail: { summary: "Create a personal token, shown once", tags, ...parametersOf(writeQuery) },
  })
  .post(
    "/:id/rotate",
    async ({ caller, params }) =>
      answer.created(await tokens.rotate(caller, tokenNamed(caller, params.id))),
    {
      allowToken: "everyone",
      params: tokenId,
      body: closed({}),
      response: createdResponse(shownToken),
      detail: {
        summary: "Replace one of your tokens by a new one, shown once",
        tags,
        ...parametersOf(dryRunQuery),
      },
    },
  )
  .delete(
    "/:id",
    async ({ caller, params }) => {
      await tokens.revoke(caller, { id: tokenNamed(caller, params.id) });
      return answer.gone();
    },
    {
      allowToken: "everyone",
      params: tokenId,
      response: removedResponse,
      detail: { summary: "Revoke one of your tokens", tags, ...parametersOf(dryRunQuery) },
    },
  );

function tokenNamed({ credential }: Caller, id: string): number {
  return id === "self" && credential?.kind === "personal" ? credential.id : keyNamed(id);
}

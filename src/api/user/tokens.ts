import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, consoleCaller } from "../../auth/auth.ts";
import { reachOf } from "../../auth/token_limits.ts";
import * as answer from "../../http/answers.ts";
import { keyNamed } from "../../input/keys.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { listQuery } from "../../store/list_query.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import { token } from "../../user/token.ts";
import * as tokens from "../../user/tokens.ts";
import {
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  recordResponse,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { guardOf } from "../guard.ts";
import { list } from "../handlers.ts";

const tags = ["User"];

export const shownToken = Type.Object({
  ...recordOf(token).properties,
  token: Type.String({ description: "Shown this once" }),
});

const tokenId = Type.Object({
  id: Type.String({
    description: "The token's primary key, or `self` for the token of the request",
  }),
});

export const tokenRoutes = new Elysia({ prefix: "/user/tokens", normalize: false })
  .use(guardOf(reachOf(token)))
  .get("", list(tokens.list), {
    allow: "everyone",
    response: listResponse(recordOf(token)),
    detail: {
      operationId: "listTokens",
      summary: "List your personal tokens",
      tags,
      ...parametersOf(listQuery(recordQuery(token, consoleCaller).fields)),
    },
  })
  .post("", async ({ caller, body }) => answer.created(await tokens.create(caller, body)), {
    allow: "everyone",
    body: tokens.newToken,
    response: createdResponse(shownToken),
    detail: {
      operationId: "createToken",
      summary: "Create a personal token, shown once",
      tags,
      ...parametersOf(writeQuery),
    },
  })
  .get(
    "/:id",
    async ({ request, caller, params, search }) => {
      readQuery(NO_QUERY, search);
      return answer.record(request, await tokens.find(caller, tokenNamed(caller, params.id)));
    },
    {
      allowToken: "everyone",
      params: tokenId,
      response: recordResponse(recordOf(token)),
      detail: { operationId: "getToken", summary: "One of your tokens, with what it may do", tags },
    },
  )
  .post(
    "/:id/rotate",
    async ({ caller, params, body }) =>
      answer.created(await tokens.rotate(caller, tokenNamed(caller, params.id), body)),
    {
      allowToken: "everyone",
      params: tokenId,
      body: tokens.rotation,
      response: createdResponse(shownToken),
      detail: {
        operationId: "rotateToken",
        summary: "Give one of your tokens a new secret, shown once",
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
      detail: {
        operationId: "revokeToken",
        summary: "Revoke one of your tokens",
        tags,
        ...parametersOf(dryRunQuery),
      },
    },
  );

function tokenNamed({ credential }: Caller, id: string): number {
  return id === "self" && credential?.kind === "personal" ? credential.id : keyNamed(id);
}

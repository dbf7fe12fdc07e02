import { Type } from "@sinclair/typebox";
import { consoleCaller } from "../../auth/auth.ts";
import * as answer from "../../http/answers.ts";
import { keyNamed } from "../../input/keys.ts";
import { listQuery } from "../../store/list_query.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import { heldToken } from "../../user/held_token.ts";
import * as accounts from "../../user/service_accounts.ts";
import { newToken, rotation } from "../../user/tokens.ts";
import {
  byId,
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { routesOf } from "../resource.ts";
import { shownToken } from "./tokens.ts";

const { serviceAccount } = accounts;
const tag = "User: service accounts";
const tags = [tag];
const allow = ["admin"] as const;

const tokenOfAccount = Type.Object({
  ...byId.properties,
  token_id: Type.String({ description: "The token's primary key" }),
});

export const serviceAccountRoutes = routesOf(serviceAccount, {
  area: accounts,
  created: accounts.newServiceAccount,
  changed: accounts.changedServiceAccount,
  tag,
  allow,
  isFlat: true,
  settable: { query: accounts.serviceAccountQuery },
  summaries: { remove: "Deactivate a service account and end its tokens" },
})
  .get(
    "/:id/tokens",
    async ({ request, caller, params, search }) =>
      answer.list(request, await accounts.tokensOf(caller, keyNamed(params.id), search)),
    {
      allow,
      params: byId,
      response: listResponse(recordOf(heldToken)),
      detail: {
        operationId: "listServiceAccountTokens",
        summary: "List the tokens of a service account",
        tags,
        ...parametersOf(listQuery(recordQuery(heldToken, consoleCaller).fields)),
      },
    },
  )
  .post(
    "/:id/tokens",
    async ({ caller, params, body }) =>
      answer.created(await accounts.createToken(caller, keyNamed(params.id), body)),
    {
      allow,
      params: byId,
      body: newToken,
      response: createdResponse(shownToken),
      detail: {
        operationId: "createServiceAccountToken",
        summary: "Create a token of a service account, shown once",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .post(
    "/:id/tokens/:token_id/rotate",
    async ({ caller, params, body }) =>
      answer.created(await accounts.rotateToken(caller, namedToken(params), body)),
    {
      allow,
      params: tokenOfAccount,
      body: rotation,
      response: createdResponse(shownToken),
      detail: {
        operationId: "rotateServiceAccountToken",
        summary: "Give a token of a service account a new secret, shown once",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .delete(
    "/:id/tokens/:token_id",
    async ({ caller, params }) => {
      await accounts.revokeToken(caller, namedToken(params));
      return answer.gone();
    },
    {
      allow,
      params: tokenOfAccount,
      response: removedResponse,
      detail: {
        operationId: "revokeServiceAccountToken",
        summary: "Revoke a token of a service account",
        tags,
        ...parametersOf(dryRunQuery),
      },
    },
  );

function namedToken({ id, token_id }: { id: string; token_id: string }) {
  return { account: keyNamed(id), token: keyNamed(token_id) };
}

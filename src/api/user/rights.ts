// What a user may do, and why; and the rights by scope that admins give.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import * as answer from "../../http/answers.ts";
import { keyNamed } from "../../input/keys.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { explain, explanation } from "../../user/rights/explanation.ts";
import * as rights from "../../user/rights/rights.ts";
import {
  byId,
  dryRunQuery,
  parametersOf,
  recordResponse,
  removedResponse,
  writeQuery,
} from "../answers.ts";
import { guardOf } from "../guard.ts";

const tags = ["User"];
const ADMINS = ["admin"] as const;

export const rightRoutes = new Elysia({ prefix: "/user/users", normalize: false })
  .use(guardOf({ kinds: ["user"] }))
  .get(
    "/:id/rights",
    async ({ caller, params, search }) => {
      readQuery(NO_QUERY, search);
      return Response.json(await explain(caller, keyNamed(params.id)));
    },
    {
      allow: ADMINS,
      params: byId,
      response: recordResponse(explanation),
      detail: { operationId: "getUserRights", summary: "What a user may do, and why", tags },
    },
  )
  .post(
    "/:id/rights",
    async ({ caller, params, body }) =>
      Response.json(await rights.give(caller, keyNamed(params.id), body)),
    {
      allow: ADMINS,
      params: byId,
      body: rights.newRight,
      response: recordResponse(rights.heldRight),
      detail: {
        operationId: "addUserRight",
        summary: "Give a right in one place",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .delete(
    "/:id/rights/:right",
    async ({ caller, params }) => {
      await rights.take(caller, keyNamed(params.id), keyNamed(params.right));
      return answer.gone();
    },
    {
      allow: ADMINS,
      params: Type.Object({ ...byId.properties, right: Type.String() }),
      response: removedResponse,
      detail: {
        operationId: "removeUserRight",
        summary: "Take a right in one place",
        tags,
        ...parametersOf(dryRunQuery),
      },
    },
  );

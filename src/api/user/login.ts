import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { contextOf, visitOf } from "../../http/request_context.ts";
import { LARGEST_LOGIN } from "../../input/limits.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { normalizeInput } from "../../input/text.ts";
import * as login from "../../user/login.ts";
import { readJsonBody } from "../body.ts";

const accessToken = Type.Object({
  access_token: Type.String({ description: "A JWT that lives for 12 hours" }),
});

/** The one route of the API that a stranger may call. */
export const loginRoutes = new Elysia({ prefix: "/user", normalize: false }).post(
  "/login",
  async ({ request, body }) => {
    const access_token = await login.token({ ...body, ...visitOf(request) });
    return Response.json({ access_token });
  },
  {
    parse: () => null,
    transform: async (entering) => {
      contextOf(entering.request).route = entering.route;
      readQuery(NO_QUERY, new URL(entering.request.url).searchParams);
      const body = await readJsonBody(entering.request, LARGEST_LOGIN);
      entering.body = normalizeInput(body) as typeof entering.body;
    },
    body: login.credentials,
    response: { 200: accessToken },
    detail: { operationId: "logIn", summary: "Log in for a token", tags: ["User"], security: [] },
  },
);

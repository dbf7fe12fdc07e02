import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { consoleCaller } from "../../auth/auth.ts";
import * as answer from "../../http/answers.ts";
import { MOST_PARAMETERS } from "../../input/limits.ts";
import { closed } from "../../input/shape.ts";
import { host } from "../../network/hosts/host.ts";
import * as hosts from "../../network/hosts/hosts.ts";
import { MOST_BYTES } from "../../search/language/parser.ts";
import { listQuery } from "../../store/list_query.ts";
import { recordQuery } from "../../store/resource.ts";
import { listResponse, parametersOf } from "../answers.ts";
import { guardOf } from "../guard.ts";
import { list } from "../handlers.ts";

const { fields } = recordQuery(host, consoleCaller);
const tags = ["Network: hosts"];

const value = Type.Union([Type.String({ maxLength: MOST_BYTES }), Type.Number(), Type.Boolean()]);
const parameter = Type.Optional(
  Type.Union([value, Type.Array(value, { maxItems: MOST_PARAMETERS })], {
    description: "Use a text, a number or a boolean as in the URL; a list for a repeated parameter",
  }),
);
/** The parameters of the list, as they stand in a URL. */
const body = closed(
  Object.fromEntries(Object.keys(listQuery(fields).properties).map((name) => [name, parameter])),
);

const shownBody = {
  "application/json": {
    schema: Type.Object(
      Object.fromEntries(Object.entries(body.properties).filter(([name]) => !name.includes("__"))),
      {
        patternProperties: { "^[a-z_]+__[a-z]+$": parameter },
        additionalProperties: false,
        maxProperties: MOST_PARAMETERS,
      },
    ),
  },
} as Record<string, object>;

export const hostSearchRoutes = new Elysia({ prefix: "/network/hosts", normalize: false })
  // The records contain items.
  .use(guardOf({ kinds: ["network", "inventory"] }))
  .get("/search", list(hosts.search), {
    allow: "everyone",
    response: listResponse(hosts.foundHost),
    detail: {
      operationId: "searchHosts",
      summary: "Search hosts",
      tags,
      ...parametersOf(listQuery(fields)),
    },
  })
  .post(
    "/search",
    async ({ request, caller, body }) =>
      answer.list(request, await hosts.search(caller, urlParameters(body))),
    {
      allowQuery: "everyone",
      body,
      response: listResponse(hosts.foundHost),
      detail: {
        operationId: "searchHostsByBody",
        summary: "Search hosts by a query that is too long for a URL",
        tags,
        // The names of lookups are said once, for all lists.
        requestBody: { required: true, content: shownBody },
      },
    },
  );

type ParameterValue = string | number | boolean;

function urlParameters(
  body: Record<string, ParameterValue | ParameterValue[] | undefined>,
): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(body)) {
    for (const one of [values ?? []].flat()) params.append(name, String(one));
  }
  return params;
}

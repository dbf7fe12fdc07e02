// GET /events: the changes as they happen, as Server-Sent Events.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { forPrograms } from "../events/stream/changes.ts";
import { openChanges, readStreamRequest, streamQuery } from "../events/stream/open.ts";
import { EXAMPLE_ID } from "../input/change_ids.ts";
import { parametersOf } from "./answers.ts";
import { guardOf } from "./guard.ts";

const EXAMPLE = `retry: 2000
id: hq3vw6mzk5taxd2o7rnjyb4csu

id: ${EXAMPLE_ID}
event: change
data: {"id":"${EXAMPLE_ID}","at":"2026-01-31 14:05","user":"bob","kind":"update",...}

`;

export const eventRoutes = new Elysia({ prefix: "/events", normalize: false })
  // A change set can contain changes of every kind.
  .use(guardOf({ kinds: ["network", "inventory"] }))
  .get(
    "",
    ({ request, caller, search }) => {
      const { filters, after } = readStreamRequest(request, search);
      return openChanges(request, { caller, filters, format: forPrograms }, after);
    },
    {
      allow: "everyone",
      detail: {
        operationId: "followEvents",
        summary: "Follow changes as Server-Sent Events",
        description:
          "An event `change` for each change set, as the list of changes has it, with its id. Begins after `Last-Event-ID` or `after`, without them now. Ends when the token becomes invalid, or its user sees other records",
        tags: ["Changes"],
        ...parametersOf(streamQuery),
        responses: {
          200: {
            description: "The stream",
            content: { "text/event-stream": { schema: Type.String(), example: EXAMPLE } },
          },
          429: { description: "Too many streams of this user are open" },
        },
      },
    },
  );

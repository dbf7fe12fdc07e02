import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../auth/auth.ts";
import type { Reach } from "../auth/token_limits.ts";
import { countChanges, latestChanges, type ReadRequest, readRequest } from "../history/feed.ts";
import { changesQuery } from "../history/filters.ts";
import {
  type ChangeSet,
  changeSetInListSchema,
  changeSetSchema,
  EVENTS_OF_ONE,
  type StoredSet,
  shownSet,
  storedSet,
} from "../history/sets.ts";
import * as answer from "../http/answers.ts";
import { changeNamed, cursorOf, EXAMPLE_ID, publicId } from "../input/change_ids.ts";
import { query, readQuery } from "../input/query.ts";
import { closed } from "../input/shape.ts";
import { pageOf, pageParameters } from "../store/paging.ts";
import type { RecordJson } from "../store/records.ts";
import { UNDOERS, undo } from "../undo/undo.ts";
import { createdResponse, parametersOf, recordResponse, writeQuery } from "./answers.ts";
import { guardOf } from "./guard.ts";
import { createdAnswer } from "./handlers.ts";
import { changesWithin } from "./long_polling.ts";

const tags = ["Changes"];

const EXAMPLE: ChangeSet = {
  id: EXAMPLE_ID,
  at: "2026-01-31 14:05",
  user: "bob",
  kind: "update",
  undoes: null,
  undone_by: null,
  events: [
    {
      change_set: EXAMPLE_ID,
      at: "2026-01-31 14:05",
      user: "bob",
      table_name: "items",
      row_id: 7,
      action: "update",
      name: "AAA001",
      differences: [{ field: "location", old: "Hall A", now: "Hall B" }],
    },
  ],
  total: 1,
};

const setQuery = query({
  page: { ...pageParameters.page, title: `Which ${EVENTS_OF_ONE} of its events` },
});

const byChange = Type.Object({ id: Type.String({ description: "The id of the change" }) });

/** A change set can contain changes of every kind. */
const REACH: Reach = { kinds: ["network", "inventory"] };

export const changeRoutes = new Elysia({ prefix: "/changes", normalize: false })
  .use(guardOf(REACH))
  .get("", ({ request, caller, search }) => list(request, caller, search), {
    allow: "everyone",
    response: {
      200: Type.Array(changeSetInListSchema, {
        description:
          "The newest first; with `after` the oldest first. `link` has `next`. `x-total-count` is left out with `after`, with `query`, `scope` and `group`, and above 10,000",
        examples: [[EXAMPLE]],
      }),
    },
    detail: {
      operationId: "listChanges",
      summary: "List changes, or follow them with `after`",
      tags,
      ...parametersOf(changesQuery),
      responses: { 429: { description: "Too many requests of this user wait" } },
    },
  })
  .get(
    "/:id",
    async ({ request, caller, params, search }) => {
      const { page } = pageOf({ ...readQuery(setQuery, search), per_page: EVENTS_OF_ONE });
      const id = changeNamed(params.id);
      const events = { most: EVENTS_OF_ONE, from: (page - 1) * EVENTS_OF_ONE };
      return answer.record(request, recordOf(shownSet(await storedSet(caller, id, { events }))));
    },
    {
      allow: "everyone",
      params: byChange,
      response: recordResponse(changeSetSchema),
      detail: {
        operationId: "getChange",
        summary: "A change, field by field",
        tags,
        ...parametersOf(setQuery),
      },
    },
  )
  .post(
    "/:id/undo",
    async ({ request, caller, params }) =>
      createdAnswer(
        { request, caller, path: "/changes" },
        recordOf(await undo(caller, changeNamed(params.id))),
      ),
    {
      allow: UNDOERS,
      params: byChange,
      body: closed({}),
      response: createdResponse(changeSetSchema),
      detail: {
        operationId: "undoChange",
        summary: "Undo a change, unless later changes conflict with it",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

async function list(request: Request, caller: Caller, search: URLSearchParams): Promise<Response> {
  const wanted = readRequest(search);
  return wanted.after === undefined
    ? newestFirst(request, caller, wanted)
    : oldestFirst(request, caller, { ...wanted, after: wanted.after });
}

async function newestFirst(
  request: Request,
  caller: Caller,
  wanted: ReadRequest,
): Promise<Response> {
  const [{ sets, before }, total] = await Promise.all([
    latestChanges(caller, wanted),
    countChanges(caller, wanted.filters),
  ]);
  return answer.feed(request, {
    json: jsonOf(sets),
    total,
    links: {
      first: { before: null },
      ...(before !== undefined && { next: { before: publicId(before) } }),
    },
  });
}

/** There is always a next one: what will have happened since. */
async function oldestFirst(
  request: Request,
  caller: Caller,
  wanted: ReadRequest & { after: number },
): Promise<Response> {
  const { sets, cursor } = await changesWithin(request, caller, { reach: REACH, wanted });
  return answer.feed(request, {
    json: jsonOf(sets),
    links: { next: { after: cursorOf(cursor) } },
  });
}

function jsonOf(sets: StoredSet[]): string {
  return JSON.stringify(sets.map(shownSet));
}

/** A change set changes once: when it is undone. */
function recordOf(set: ChangeSet): RecordJson {
  return { json: JSON.stringify(set), version: set.undone_by === null ? 1 : 2 };
}

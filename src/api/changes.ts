import { Elysia } from "elysia";
import { type ChangeSet, change, changeSet } from "../history/history.ts";
import { keyNamed } from "../input/keys.ts";
import { closed } from "../input/shape.ts";
import type { RecordJson } from "../store/records.ts";
import { UNDOERS, undo } from "../undo/undo.ts";
import { byId, createdResponse, parametersOf, recordResponse, writeQuery } from "./answers.ts";
import { guard } from "./guard.ts";
import { createdAnswer, find } from "./handlers.ts";

const tags = ["Changes"];

export const changeRoutes = new Elysia({ prefix: "/changes", normalize: false })
  .use(guard)
  .get(
    "/:id",
    find(async (caller, id) => recordOf(await changeSet(caller, id))),
    {
      allow: "everyone",
      params: byId,
      response: recordResponse(change),
      detail: { summary: "What was changed at once, field by field", tags },
    },
  )
  .post(
    "/:id/undo",
    async ({ request, caller, params }) =>
      createdAnswer(
        { request, caller, path: "/changes" },
        recordOf(await undo(caller, keyNamed(params.id))),
      ),
    {
      allow: UNDOERS,
      params: byId,
      body: closed({}),
      response: createdResponse(change),
      detail: {
        summary: "Take a change back, if nothing that happened later contradicts it",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

/** A change set changes once: when it is undone. */
function recordOf(set: ChangeSet): RecordJson {
  return { json: JSON.stringify(set), version: set.undone_by === null ? 1 : 2 };
}

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { consoleCaller } from "../auth/auth.ts";
import * as runs from "../events/triggers/runs.ts";
import { changedTrigger, newTrigger } from "../events/triggers/trigger.ts";
import * as triggers from "../events/triggers/triggers.ts";
import * as answer from "../http/answers.ts";
import { keyNamed } from "../input/keys.ts";
import { NO_QUERY, readQuery } from "../input/query.ts";
import { closed } from "../input/shape.ts";
import { listQuery } from "../store/list_query.ts";
import { recordOf, recordQuery } from "../store/resource.ts";
import {
  byId,
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  recordResponse,
  removedResponse,
  writeQuery,
} from "./answers.ts";
import { guardOf } from "./guard.ts";
import { create, createdAnswer, find, list, remove, update } from "./handlers.ts";

const tags = ["Triggers"];
const allow = ["admin"] as const;
const { trigger } = triggers;
const { triggerRun } = runs;
const record = recordOf(trigger);
const run = recordOf(triggerRun);

const runOfTrigger = Type.Object({
  ...byId.properties,
  run_id: Type.String({ description: "The run's primary key" }),
});

export const triggerRoutes = new Elysia({ prefix: "/triggers", normalize: false })
  .use(guardOf({ kinds: ["user", "network", "inventory"] }))
  .get("", list(triggers.list), {
    allow,
    response: listResponse(record),
    detail: {
      summary: "List triggers",
      tags,
      ...parametersOf(listQuery(recordQuery(trigger, consoleCaller).fields)),
    },
  })
  .post("", create(triggers.create), {
    allow,
    body: newTrigger,
    response: createdResponse(record),
    detail: { summary: "Add a trigger", tags, ...parametersOf(writeQuery) },
  })
  .get("/:id", find(triggers.find), {
    allow,
    params: byId,
    response: recordResponse(record),
    detail: { summary: "One trigger", tags },
  })
  .patch("/:id", update(triggers.update), {
    allow,
    params: byId,
    body: changedTrigger,
    response: recordResponse(record),
    detail: {
      summary: "Change a trigger; If-Match compares its revision",
      tags,
      ...parametersOf(writeQuery),
    },
  })
  .delete("/:id", remove(triggers.remove), {
    allow,
    params: byId,
    response: removedResponse,
    detail: { summary: "Delete a trigger with its runs", tags, ...parametersOf(dryRunQuery) },
  })
  .get(
    "/:id/preview",
    async ({ request, caller, params, search }) => {
      readQuery(NO_QUERY, search);
      const found = await runs.preview(caller, keyNamed(params.id));
      return answer.record(request, { json: JSON.stringify(found), version: 1 });
    },
    {
      allow,
      params: byId,
      response: recordResponse(runs.previewRecord),
      detail: { summary: "The request for example values; nothing is sent", tags },
    },
  )
  .post(
    "/:id/test",
    async ({ request, caller, params }) => {
      const id = keyNamed(params.id);
      const path = `/triggers/${id}/runs`;
      return createdAnswer({ request, caller, path }, await runs.test(caller, id));
    },
    {
      allow,
      params: byId,
      body: closed({}),
      response: createdResponse(run),
      detail: {
        summary: "Launch the job now with example values, also of a trigger that is switched off",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .get(
    "/:id/runs",
    async ({ request, caller, params, search }) =>
      answer.list(request, await runs.listRuns(caller, keyNamed(params.id), search)),
    {
      allow,
      params: byId,
      response: listResponse(run),
      detail: {
        summary: "List the runs of a trigger, the newest first; kept for 90 days",
        tags,
        ...parametersOf(listQuery(recordQuery(triggerRun, consoleCaller).fields)),
      },
    },
  )
  .get(
    "/:id/runs/:run_id",
    async ({ request, caller, params, search }) => {
      readQuery(NO_QUERY, search);
      return answer.record(request, await runs.findRun(caller, namedRun(params)));
    },
    {
      allow,
      params: runOfTrigger,
      response: recordResponse(run),
      detail: { summary: "One run of a trigger", tags },
    },
  )
  .post(
    "/:id/runs/:run_id/again",
    async ({ request, caller, params }) => {
      const path = `/triggers/${keyNamed(params.id)}/runs`;
      return createdAnswer(
        { request, caller, path },
        await runs.runAgain(caller, namedRun(params)),
      );
    },
    {
      allow,
      params: runOfTrigger,
      body: closed({}),
      response: createdResponse(run),
      detail: {
        summary: "Launch the job of a run that has ended again, with the same changes",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

function namedRun({ id, run_id }: { id: string; run_id: string }) {
  return { trigger: keyNamed(id), run: keyNamed(run_id) };
}

import { Type } from "@sinclair/typebox";
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
  listResponse,
  parametersOf,
  recordResponse,
  writeQuery,
} from "./answers.ts";
import { createdAnswer } from "./handlers.ts";
import { routesOf } from "./resource.ts";

const tag = "Triggers";
const tags = [tag];
const allow = ["admin"] as const;
const { trigger } = triggers;
const { triggerRun } = runs;
const run = recordOf(triggerRun);

const runOfTrigger = Type.Object({
  ...byId.properties,
  run_id: Type.String({ description: "The run's primary key" }),
});

export const triggerRoutes = routesOf(trigger, {
  area: triggers,
  created: newTrigger,
  changed: changedTrigger,
  tag,
  allow,
  // What a job is told can be of every kind, and a trigger acts for its owner.
  reach: { kinds: ["user", "network", "inventory"] },
  isFlat: true,
  settable: {
    secrets: ["secret", "read_token"],
    query: () => ({ visible: triggers.IS_TRIGGER }),
  },
  summaries: {
    update: "Change a trigger; If-Match compares its revision",
    remove: "Delete a trigger with its runs",
  },
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
      detail: {
        operationId: "previewTrigger",
        summary: "The request for example values; nothing is sent",
        tags,
      },
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
        operationId: "testTrigger",
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
        operationId: "listTriggerRuns",
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
      detail: { operationId: "getTriggerRun", summary: "One run of a trigger", tags },
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
        operationId: "repeatTriggerRun",
        summary: "Launch the job of a run that has ended again, with the same changes",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

function namedRun({ id, run_id }: { id: string; run_id: string }) {
  return { trigger: keyNamed(id), run: keyNamed(run_id) };
}

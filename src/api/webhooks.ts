import { Type } from "@sinclair/typebox";
import { consoleCaller } from "../auth/auth.ts";
import * as deliveries from "../events/webhooks/deliveries.ts";
import { delivery, deliveryAttempt } from "../events/webhooks/delivery.ts";
import { changedWebhook, newWebhook, webhook } from "../events/webhooks/webhook.ts";
import * as webhooks from "../events/webhooks/webhooks.ts";
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

const tag = "Webhooks";
const tags = [tag];
const allow = ["admin"] as const;
const record = recordOf(webhook);
const shown = Type.Object({
  ...record.properties,
  secret: Type.String({ description: "Shown this once: messages are signed with it" }),
});
const deliveryRecord = recordOf(delivery);

const ofWebhook = Type.Object({
  ...byId.properties,
  delivery: Type.String({ description: "The delivery's primary key" }),
});

export const webhookRoutes = routesOf(webhook, {
  area: webhooks,
  created: newWebhook,
  changed: changedWebhook,
  tag,
  allow,
  // A message can contain records of every kind, and a webhook acts for its owner.
  reach: { kinds: ["user", "network", "inventory"] },
  isFlat: true,
  createdRecord: shown,
  settable: { query: () => ({ visible: webhooks.isWebhook }) },
  summaries: {
    create: "Add a webhook; its secret is shown once",
    remove: "Delete a webhook and its log",
  },
})
  .post(
    "/:id/rotate",
    async ({ caller, params }) =>
      answer.changed(await webhooks.rotate(caller, keyNamed(params.id))),
    {
      allow,
      params: byId,
      body: closed({}),
      response: recordResponse(shown),
      detail: {
        operationId: "rotateWebhookSecret",
        summary: `Replace the secret; for ${webhooks.SECRET_OVERLAP} hours messages are signed with both`,
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .post(
    "/:id/test",
    async ({ request, caller, params }) => {
      const id = keyNamed(params.id);
      const delivery = await deliveries.sendTest(caller, id);
      return createdAnswer({ request, caller, path: `/webhooks/${id}/deliveries` }, delivery);
    },
    {
      allow,
      params: byId,
      body: closed({}),
      response: createdResponse(deliveryRecord),
      detail: {
        operationId: "testWebhook",
        summary: "Send a test message",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .post(
    "/:id/replay",
    async ({ caller, params, body }) =>
      Response.json(await deliveries.replay(caller, keyNamed(params.id), body)),
    {
      allow,
      params: byId,
      body: deliveries.replayRange,
      response: recordResponse(deliveries.replayed),
      detail: {
        operationId: "replayWebhook",
        summary: "Send the changes of a range again, as new messages",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  )
  .get(
    "/:id/deliveries",
    async ({ request, caller, params, search }) =>
      answer.list(request, await deliveries.list(caller, keyNamed(params.id), search)),
    {
      allow,
      params: byId,
      response: listResponse(deliveryRecord),
      detail: {
        operationId: "listWebhookDeliveries",
        summary: "List the messages of a webhook, the newest first",
        tags,
        ...parametersOf(listQuery(recordQuery(delivery, consoleCaller).fields)),
      },
    },
  )
  .get(
    "/:id/deliveries/:delivery",
    async ({ request, caller, params, search }) => {
      readQuery(NO_QUERY, search);
      return answer.record(request, await deliveries.find(caller, keyOf(params)));
    },
    {
      allow,
      params: ofWebhook,
      response: recordResponse(deliveryRecord),
      detail: { operationId: "getWebhookDelivery", summary: "One message of a webhook", tags },
    },
  )
  .get(
    "/:id/deliveries/:delivery/attempts",
    async ({ caller, params, search }) => {
      readQuery(NO_QUERY, search);
      return Response.json(await deliveries.attempts(caller, keyOf(params)));
    },
    {
      allow,
      params: ofWebhook,
      response: { 200: Type.Array(deliveryAttempt, { description: "The newest first" }) },
      detail: {
        operationId: "listWebhookAttempts",
        summary: "The attempts to deliver a message: requests and answers",
        tags,
      },
    },
  )
  .post(
    "/:id/deliveries/:delivery/send",
    async ({ caller, params }) => answer.changed(await deliveries.sendAgain(caller, keyOf(params))),
    {
      allow,
      params: ofWebhook,
      body: closed({}),
      response: recordResponse(deliveryRecord),
      detail: {
        operationId: "sendWebhookDelivery",
        summary: "Send a message again, with the same id",
        tags,
        ...parametersOf(writeQuery),
      },
    },
  );

function keyOf({ id, delivery: key }: { id: string; delivery: string }) {
  return { webhook: keyNamed(id), id: keyNamed(key) };
}

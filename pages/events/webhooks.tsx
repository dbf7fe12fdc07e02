// The pages of webhooks. Besides: POST /admin/webhooks/action/(id) and …/replay/(id), GET …/delivery/(id)/(delivery),
// POST …/send/(id)/(delivery).
import type { Caller } from "../../src/auth/auth.ts";
import * as deliveries from "../../src/events/webhooks/deliveries.ts";
import {
  changedWebhook,
  newWebhook,
  WEBHOOK_STATES,
  type Webhook,
  webhook,
} from "../../src/events/webhooks/webhook.ts";
import * as webhooks from "../../src/events/webhooks/webhooks.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput, readInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { CRUMB } from "../admin/paths.ts";
import { ActionForm, DangerousActions } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { attempt, blank, refused } from "../parts/forms.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { field } from "../request/form_values.ts";
import {
  doing,
  type RecordAction,
  recordChange,
  recordCreation,
  type ShownRecord,
} from "../resource/hooks.ts";
import { listParamsOf, readBy } from "../resource/list.tsx";
import { ResourcePages } from "../resource/pages.tsx";
import type { RecordParts } from "../resource/view.tsx";
import { deleted, reasonsOf } from "../texts.ts";
import { DeliveryPage } from "./delivery_view.tsx";
import { atFilterFields, readWithFilters } from "./filter_fields.tsx";
import { deliveryView, WEBHOOKS, webhookView } from "./paths.ts";
import {
  FORMAT_NAMES,
  NEW_WEBHOOK,
  valuesOf,
  WebhookFields,
  webhookForm,
} from "./webhook_form.tsx";
import { DeliveryList, Messages, NewSecret, Replay, WebhookFacts } from "./webhook_view.tsx";

const ADMINS = { see: ["admin"] } as const;
const read = (form: FormData) => readWithFilters(webhookForm, form);

const pages = new ResourcePages({
  resource: webhook,
  path: WEBHOOKS,
  readers: ["admin"],
  room: CRUMB,
  address: "id",
  hasHistory: false,
  list: {
    lead: "Programs that are told of each change, in order and without loss",
    icon: "activity",
    purpose: "A webhook sends each change to a program of yours",
    read: readBy(WEBHOOKS, webhooks.list),
    columns: () => COLUMNS,
    filters: (params) => (
      <ChoiceFilter name="state" label="Any state" params={params} options={WEBHOOK_STATES} />
    ),
    fields: ["state"],
  },
  find: (caller, id) => webhooks.find(caller, keyNamed(id)),
  view: viewOf,
  creation: recordCreation({
    shape: webhookForm,
    read,
    start: () => NEW_WEBHOOK,
    work: async (caller, input) =>
      rowOf(await webhooks.create(caller, readInput(newWebhook, input))),
  }),
  change: recordChange({
    shape: webhookForm,
    read,
    ownValues: valuesOf,
    work: async (caller, input, { edited }) =>
      rowOf(await webhooks.update(caller, edited.id, readInput(changedWebhook, input))),
  }),
  form: ({ filled }) => ({
    lead: "Each change is sent to a program of yours, signed",
    fields: <WebhookFields filled={filled} />,
    placed: Object.keys(webhookForm.properties),
    isSingle: true,
  }),
  refused: async (_, { shape, form, refusal }) => refused(shape, form, atFilterFields(refusal)),
  actions: actionsOn,
});

export const webhookPages = pages
  .routes()
  .post(
    `${WEBHOOKS}/action/:id`,
    ({ request, caller, params, form }) => pages.act(request, caller, params.id, form),
    ADMINS,
  )
  .post(
    `${WEBHOOKS}/replay/:id`,
    ({ request, caller, params, form }) => replay(request, caller, params.id, form),
    ADMINS,
  )
  .get(
    `${WEBHOOKS}/delivery/:id/:delivery`,
    ({ request, caller, params }) => showDelivery(request, caller, params),
    ADMINS,
  )
  .post(
    `${WEBHOOKS}/send/:id/:delivery`,
    ({ request, caller, params }) => sendAgain(request, caller, params),
    ADMINS,
  );

async function viewOf(shown: ShownRecord<Webhook>): Promise<RecordParts> {
  const { caller, row, search = new URLSearchParams(), secret } = shown;
  const { filled = blank(deliveries.replayRange) } = shown;
  const listed = await deliveries.list(caller, row.id, listParamsOf(webhookView(row.id), search));
  const messages = { row, params: search, listed, deliveries: rowsOf(listed) };
  const [test, ...others] = actionsOn(row);
  const to = `${WEBHOOKS}/action/${row.id}`;
  return {
    lead: (
      <>
        <WebhookState state={row.state} /> {row.trouble}
      </>
    ),
    actions: test && <ActionForm to={to} {...test} />,
    facts: <WebhookFacts row={row} />,
    danger: <DangerousActions to={to} actions={others} />,
    contents: (
      <>
        {secret && <NewSecret secret={secret} />}
        <Messages {...messages} />
        <Replay row={row} filled={filled} />
      </>
    ),
    fragment: <DeliveryList {...messages} />,
  };
}

function actionsOn({ name }: Webhook): [test: RecordAction, ...RecordAction[]] {
  return [
    {
      name: "test",
      label: "Send a test",
      icon: "activity",
      work: async (caller, id) => {
        const sent = rowOf(await deliveries.sendTest(caller, id));
        return { to: deliveryView(id, sent.id), said: "The test is being sent" };
      },
    },
    {
      name: "rotate",
      label: "Replace the secret",
      question: {
        title: "Replace the secret?",
        detail: "For 24 hours messages are signed with both, so that the receiver can be changed.",
        verb: "Replace the secret",
      },
      work: async (caller, id) => rowOf(await webhooks.rotate(caller, id)),
    },
    {
      name: "delete",
      label: "Delete this webhook",
      icon: "trash",
      question: {
        title: "Delete this webhook?",
        detail: "Its log is deleted, and what waits is not sent.",
        verb: "Delete",
      },
      work: doing(webhooks.remove, { to: WEBHOOKS, said: deleted(name) }),
    },
  ];
}

async function replay(request: Request, caller: Caller, id: string, form: FormData) {
  const key = keyNamed(id);
  const given = new FormData();
  for (const [name, value] of form) if (field(form, name) !== "") given.append(name, value);
  const tried = await attempt(async () =>
    deliveries.replay(caller, key, readFormInput(deliveries.replayRange, given)),
  );
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refused(deliveries.replayRange, form, refusal);
    return pages.view(request, caller, id, { refusal, filled });
  }
  const { change_sets } = tried.done;
  const said = `${change_sets.toLocaleString("en")} ${change_sets === 1 ? "change is" : "changes are"} looked at`;
  return redirect(request, webhookView(key), said);
}

interface NamedDelivery {
  id: string;
  delivery: string;
}

async function showDelivery(
  request: Request,
  caller: Caller,
  named: NamedDelivery,
  problem?: string,
): Promise<Response> {
  const key = keyOf(named);
  const [found, message, attempts] = await Promise.all([
    webhooks.find(caller, key.webhook),
    deliveries.find(caller, key),
    deliveries.attempts(caller, key),
  ]);
  const row = rowOf(found);
  return page(request, {
    title: `Message ${key.id}`,
    status: problem ? 422 : 200,
    crumbs: pages.crumbs(
      undefined,
      { label: row.name, href: webhookView(row.id) },
      { label: `Message ${key.id}` },
    ),
    body: (
      <DeliveryPage row={row} delivery={rowOf(message)} attempts={attempts} problem={problem} />
    ),
  });
}

async function sendAgain(
  request: Request,
  caller: Caller,
  named: NamedDelivery,
): Promise<Response> {
  const key = keyOf(named);
  const tried = await attempt(() => deliveries.sendAgain(caller, key));
  if ("refusal" in tried) {
    return showDelivery(request, caller, named, reasonsOf(tried.refusal.errors));
  }
  return redirect(request, deliveryView(key.webhook, key.id), "It is being sent again");
}

function keyOf({ id, delivery }: NamedDelivery): { webhook: number; id: number } {
  return { webhook: keyNamed(id), id: keyNamed(delivery) };
}

const TONES = { active: "good", failing: "bad", paused: "bad", off: "" };

function WebhookState({ state }: Pick<Webhook, "state">) {
  return <span class={`tag ${TONES[state]}`}>{state}</span>;
}

const COLUMNS = columnsOf<Webhook>(
  webhook,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ id, name }, inList) => (
        <a class="open" href={webhookView(id) + inList}>
          {name}
        </a>
      ),
    },
    { name: "url", sortable: true, class: "mono", cell: ({ url }) => originOf(url) },
    { name: "state", sortable: true, cell: ({ state }) => <WebhookState state={state} /> },
    { name: "waiting", sortable: true, class: "number", cell: ({ waiting }) => waiting },
    { name: "owner", sortable: true },
    { name: "format", sortable: true, cell: ({ format }) => FORMAT_NAMES[format] },
  ],
  ["filters"],
);

/** The rest of a URL may be long, or secret. */
function originOf(url: string): string {
  return new URL(url).origin;
}

// GET /admin/webhooks: the list. GET and POST …/create and …/edit/(id), GET …/view/(id), POST …/action/(id) and
// …/replay/(id). GET …/delivery/(id)/(delivery), POST …/send/(id)/(delivery).
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import * as deliveries from "../../src/events/webhooks/deliveries.ts";
import type { Webhook } from "../../src/events/webhooks/webhook.ts";
import * as webhooks from "../../src/events/webhooks/webhooks.ts";
import { notFound, Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { type RecordJson, rowOf, rowsOf } from "../../src/store/records.ts";
import { CRUMB } from "../admin/paths.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { deleted, reasonsOf, saved } from "../texts.ts";
import { DeliveryPage } from "./delivery_view.tsx";
import { placeOfError } from "./filter_fields.tsx";
import { deliveryView, WEBHOOKS, webhookView } from "./paths.ts";
import {
  NEW_WEBHOOK,
  readWebhookForm,
  valuesOf,
  WebhookForm,
  webhookForm,
} from "./webhook_form.tsx";
import { DELETE, DeliveryList, ROTATE, WebhookPage } from "./webhook_view.tsx";
import { WebhookList, WebhooksPage } from "./webhooks_list.tsx";

const ADMINS = { see: ["admin"] } as const;
const CREATE = `${WEBHOOKS}/create`;
const TITLE = "Webhooks";
const LIST_CRUMB = { label: TITLE, href: WEBHOOKS };

export const webhookPages = new Elysia({ prefix: WEBHOOKS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => showList(request, caller, search), ADMINS)
  .get("/create", ({ request }) => showForm(request, blank(webhookForm, NEW_WEBHOOK)), ADMINS)
  .post("/create", ({ request, caller, form }) => create(request, caller, form), ADMINS)
  .get(
    "/view/:id",
    ({ request, caller, params, search }) => show(request, caller, params.id, { search }),
    ADMINS,
  )
  .get(
    "/edit/:id",
    async ({ request, caller, params }) => {
      const found = await webhooks.find(caller, keyNamed(params.id));
      return showForm(request, blank(webhookForm, valuesOf(rowOf(found))), { found });
    },
    ADMINS,
  )
  .post(
    "/edit/:id",
    ({ request, caller, params, form }) => update(request, caller, params.id, form),
    ADMINS,
  )
  .post(
    "/action/:id",
    ({ request, caller, params, form }) => act(request, caller, params.id, form),
    ADMINS,
  )
  .post(
    "/replay/:id",
    ({ request, caller, params, form }) => replay(request, caller, params.id, form),
    ADMINS,
  )
  .get(
    "/delivery/:id/:delivery",
    ({ request, caller, params }) => showDelivery(request, caller, params),
    ADMINS,
  )
  .post(
    "/send/:id/:delivery",
    ({ request, caller, params }) => sendAgain(request, caller, params),
    ADMINS,
  );

async function showList(
  request: Request,
  caller: Caller,
  params: URLSearchParams,
): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await webhooks.list(caller, listParams);
  const shown = { params, listed, rows: rowsOf(listed) };
  return page(request, {
    title: TITLE,
    crumbs: [CRUMB, { label: TITLE }],
    body: <WebhooksPage {...shown} />,
    fragment: <WebhookList {...shown} />,
  });
}

interface Edited {
  found: RecordJson<Webhook>;
  refusal?: Refusal;
}

/** After a conflict the form has the typed values and the new version: saving again keeps them. */
function showForm(request: Request, filled: Filled, edited?: Edited): Response {
  const row = edited && rowOf(edited.found);
  const isStale = edited?.refusal?.status === 412;
  const title = row ? `Edit ${row.name}` : "Add webhook";
  return page(request, {
    title,
    status: edited?.refusal?.status ?? (filled.errors.length > 0 ? 422 : 200),
    crumbs: row
      ? [CRUMB, LIST_CRUMB, { label: row.name, href: webhookView(row.id) }, { label: "Edit" }]
      : [CRUMB, LIST_CRUMB, { label: "Add" }],
    body: (
      <WebhookForm
        title={title}
        filled={filled}
        action={row ? `${WEBHOOKS}/edit/${row.id}` : CREATE}
        back={row ? webhookView(row.id) : WEBHOOKS}
        edited={edited && { version: edited.found.version, isStale }}
      />
    ),
  });
}

function refusedForm(form: FormData, refusal: Refusal): Filled {
  const errors = refusal.errors.map((error) => ({ ...error, field: placeOfError(error.field) }));
  return refused(webhookForm, form, new Refusal(refusal.status, refusal.message, { errors }));
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => webhooks.create(caller, readWebhookForm(form)));
  if ("refusal" in tried) return showForm(request, refusedForm(form, tried.refusal));
  const { id, secret } = rowOf(tried.done);
  return show(request, caller, String(id), { secret });
}

async function update(
  request: Request,
  caller: Caller,
  id: string,
  form: FormData,
): Promise<Response> {
  const found = await webhooks.find(caller, keyNamed(id));
  const { id: webhook } = rowOf(found);
  const tried = await attempt(async () => webhooks.update(caller, webhook, readWebhookForm(form)));
  if ("refusal" in tried) {
    const { refusal } = tried;
    return showForm(request, refusedForm(form, refusal), { found, refusal });
  }
  return redirect(request, webhookView(webhook), saved(rowOf(tried.done).name));
}

interface WebhookViewState {
  search?: URLSearchParams;
  secret?: string;
  replaying?: Filled;
  problem?: string;
}

async function show(
  request: Request,
  caller: Caller,
  text: string,
  shown: WebhookViewState,
): Promise<Response> {
  const { search = new URLSearchParams(), secret, problem } = shown;
  const { replaying = blank(deliveries.replayRange) } = shown;
  const id = keyNamed(text);
  const row = rowOf(await webhooks.find(caller, id));
  const listParams = readTyped(search);
  listParams.delete("cols");
  const listed = await deliveries.list(caller, id, listParams);
  const all = {
    row,
    params: search,
    listed,
    deliveries: rowsOf(listed),
    secret,
    replaying,
    problem,
  };
  return page(request, {
    title: row.name,
    status: problem || replaying.errors.length > 0 ? 422 : 200,
    isSecret: secret !== undefined,
    crumbs: [CRUMB, LIST_CRUMB, { label: row.name }],
    body: <WebhookPage {...all} />,
    fragment: <DeliveryList {...all} />,
  });
}

async function act(request: Request, caller: Caller, id: string, form: FormData) {
  const row = rowOf(await webhooks.find(caller, keyNamed(id)));
  const back = webhookView(row.id);
  const action = field(form, "action");
  if (action === "test") {
    const tried = await attempt(() => deliveries.sendTest(caller, row.id));
    if ("refusal" in tried) return refusedAction(request, caller, id, tried.refusal);
    return redirect(request, deliveryView(row.id, rowOf(tried.done).id), "The test is being sent");
  }
  const question = action === "rotate" ? ROTATE : action === "delete" ? DELETE : undefined;
  if (!question) throw notFound();
  const asking = confirmFirst(request, form, { ...question, back });
  if (asking) return asking;
  if (action === "rotate") {
    const { secret } = rowOf(await webhooks.rotate(caller, row.id));
    return show(request, caller, id, { secret });
  }
  await webhooks.remove(caller, row.id);
  return redirect(request, WEBHOOKS, deleted(row.name));
}

function refusedAction(request: Request, caller: Caller, id: string, refusal: Refusal) {
  return show(request, caller, id, { problem: reasonsOf(refusal.errors) });
}

async function replay(request: Request, caller: Caller, id: string, form: FormData) {
  const webhook = keyNamed(id);
  const given = new FormData();
  for (const [name, value] of form) if (field(form, name) !== "") given.append(name, value);
  const tried = await attempt(async () =>
    deliveries.replay(caller, webhook, readFormInput(deliveries.replayRange, given)),
  );
  if ("refusal" in tried) {
    const replaying = refused(deliveries.replayRange, form, tried.refusal);
    return show(request, caller, id, { replaying });
  }
  const { change_sets } = tried.done;
  const said = `${change_sets.toLocaleString("en")} ${change_sets === 1 ? "change is" : "changes are"} looked at`;
  return redirect(request, webhookView(webhook), said);
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
    crumbs: [
      CRUMB,
      LIST_CRUMB,
      { label: row.name, href: webhookView(row.id) },
      { label: `Message ${key.id}` },
    ],
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

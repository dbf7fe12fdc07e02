// GET /admin/triggers: the list. GET and POST …/create/(template) and …/edit/(id), GET …/view/(id), POST …/again/(id) and
// …/action/(id).
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import * as runs from "../../src/events/triggers/runs.ts";
import {
  type ChangedTrigger,
  type NewTrigger,
  TEMPLATES,
  type Template,
  type Trigger,
} from "../../src/events/triggers/trigger.ts";
import * as triggers from "../../src/events/triggers/triggers.ts";
import { invalid, notFound, type Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { CRUMB } from "../admin/paths.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { added, CHANGED_MEANWHILE, deleted, reasonsOf, saved } from "../texts.ts";
import { TRIGGERS, triggerPath } from "./paths.ts";
import { PRODUCT_NAMES, TriggerForm } from "./trigger_form.tsx";
import { defaultsOf, forForm, inputOf, shapeOf, valuesOf } from "./trigger_input.ts";
import { questionFor, TriggerPage } from "./trigger_view.tsx";
import { TriggerList, TriggersPage } from "./triggers_list.tsx";

const ADMINS = { see: ["admin"] } as const;
const TITLE = "Triggers";

export const triggerPages = new Elysia({ prefix: TRIGGERS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => showList(request, caller, search), ADMINS)
  .get(
    "/create/:template",
    ({ request, params }) => {
      const template = templateNamed(params.template);
      return showNew(request, template, blank(shapeOf(template), defaultsOf(template)));
    },
    ADMINS,
  )
  .post(
    "/create/:template",
    ({ request, caller, params, form }) =>
      create(request, caller, templateNamed(params.template), form),
    ADMINS,
  )
  .get(
    "/view/:id",
    ({ request, caller, params, search }) =>
      show(request, caller, { id: keyNamed(params.id), params: search }),
    ADMINS,
  )
  .get(
    "/edit/:id",
    async ({ request, caller, params }) => {
      const { trigger, version } = await read(caller, keyNamed(params.id));
      const filled = blank(shapeOf(trigger.template), valuesOf(trigger));
      return showForm(request, { trigger, version, filled });
    },
    ADMINS,
  )
  .post(
    "/edit/:id",
    ({ request, caller, params, form }) => update(request, caller, keyNamed(params.id), form),
    ADMINS,
  )
  .post(
    "/again/:id",
    ({ request, caller, params, form }) => runAgain(request, caller, keyNamed(params.id), form),
    ADMINS,
  )
  .post(
    "/action/:id",
    ({ request, caller, params, form }) => act(request, caller, keyNamed(params.id), form),
    ADMINS,
  );

function templateNamed(text: string): Template {
  const template = TEMPLATES.find((one) => one === text);
  if (!template) throw notFound();
  return template;
}

async function read(caller: Caller, id: number): Promise<{ trigger: Trigger; version: number }> {
  const found = await triggers.find(caller, id);
  return { trigger: rowOf(found), version: found.version };
}

async function showList(
  request: Request,
  caller: Caller,
  params: URLSearchParams,
): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await triggers.list(caller, listParams);
  const shown = { params, listed, rows: rowsOf(listed) };
  return page(request, {
    title: TITLE,
    crumbs: [CRUMB, { label: TITLE }],
    body: <TriggersPage {...shown} />,
    fragment: <TriggerList {...shown} />,
  });
}

interface ShownTrigger {
  id: number;
  params?: URLSearchParams;
  problem?: string;
}

async function show(
  request: Request,
  caller: Caller,
  { id, params = new URLSearchParams(), problem }: ShownTrigger,
): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const [{ trigger }, listed, tried] = await Promise.all([
    read(caller, id),
    runs.listRuns(caller, id, listParams),
    attempt(() => runs.preview(caller, id)),
  ]);
  const preview = "done" in tried ? tried.done : undefined;
  const shown = { trigger, preview, problem, params, listed, runs: rowsOf(listed) };
  return page(request, {
    title: trigger.name,
    status: problem ? 422 : 200,
    crumbs: [CRUMB, { label: TITLE, href: TRIGGERS }, { label: trigger.name }],
    body: <TriggerPage {...shown} />,
  });
}

async function create(
  request: Request,
  caller: Caller,
  template: Template,
  form: FormData,
): Promise<Response> {
  const tried = await attempt(async () => {
    const input = { ...inputOf(template, form), template };
    return rowOf(await triggers.create(caller, input as unknown as NewTrigger));
  });
  if ("refusal" in tried) {
    return showNew(request, template, refused(shapeOf(template), form, forForm(tried.refusal)));
  }
  const { id, name } = tried.done;
  return redirect(request, triggerPath(id), added(name));
}

function showNew(request: Request, template: Template, filled: Filled): Response {
  const { name, lead } = PRODUCT_NAMES[template];
  return page(request, {
    title: `Add trigger for ${name}`,
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: [CRUMB, { label: TITLE, href: TRIGGERS }, { label: "Add" }],
    body: (
      <>
        <PageHead title={`Add trigger for ${name}`} lead={lead} />
        <TriggerForm
          filled={filled}
          template={template}
          action={`${TRIGGERS}/create/${template}`}
          back={TRIGGERS}
        />
      </>
    ),
  });
}

async function update(
  request: Request,
  caller: Caller,
  id: number,
  form: FormData,
): Promise<Response> {
  const { trigger, version } = await read(caller, id);
  const { template } = trigger;
  const tried = await attempt(async () => {
    const input = inputOf(template, form) as ChangedTrigger;
    return rowOf(await triggers.update(caller, id, input));
  });
  if ("done" in tried) return redirect(request, triggerPath(id), saved(tried.done.name));
  const filled = refused(shapeOf(template), form, forForm(tried.refusal));
  return showForm(request, { trigger, version, filled, refusal: tried.refusal });
}

interface EditedTrigger {
  trigger: Trigger;
  version: number;
  filled: Filled;
  refusal?: Refusal;
}

/** After a conflict the form has the typed values and the new version: saving again keeps them. */
function showForm(request: Request, edited: EditedTrigger): Response {
  const { trigger, version, filled, refusal } = edited;
  const { id, name, template, has_secret, has_read_token } = trigger;
  return page(request, {
    title: `Edit ${name}`,
    status: refusal?.status ?? 200,
    crumbs: [
      CRUMB,
      { label: TITLE, href: TRIGGERS },
      { label: name, href: triggerPath(id) },
      { label: "Edit" },
    ],
    body: (
      <>
        <PageHead title={`Edit ${name}`} lead={PRODUCT_NAMES[template].lead} />
        {refusal?.status === 412 && (
          <p class="note bad" role="alert">
            {CHANGED_MEANWHILE}
          </p>
        )}
        <TriggerForm
          filled={filled}
          template={template}
          action={`${TRIGGERS}/edit/${id}`}
          back={triggerPath(id)}
          edited={{ version, hasSecret: has_secret, hasReadToken: has_read_token }}
        />
      </>
    ),
  });
}

async function runAgain(
  request: Request,
  caller: Caller,
  trigger: number,
  form: FormData,
): Promise<Response> {
  const run = keyNamed(field(form, "run"));
  const tried = await attempt(() => runs.runAgain(caller, { trigger, run }));
  if ("refusal" in tried) {
    return show(request, caller, { id: trigger, problem: reasonsOf(tried.refusal.errors) });
  }
  return redirect(request, triggerPath(trigger), "It runs again");
}

const ACTIONS = new Map<string, (caller: Caller, id: number) => Promise<unknown>>([
  ["test", runs.test],
  ["enable", (caller, id) => triggers.update(caller, id, { is_active: true })],
  ["disable", (caller, id) => triggers.update(caller, id, { is_active: false })],
  ["delete", triggers.remove],
]);

const DONE: Record<string, string> = {
  test: "The test is launched",
  enable: "The trigger is switched on",
  disable: "The trigger is switched off",
};

async function act(
  request: Request,
  caller: Caller,
  id: number,
  form: FormData,
): Promise<Response> {
  const { trigger } = await read(caller, id);
  const name = field(form, "action");
  const action = ACTIONS.get(name);
  if (!action) throw invalid("action", `Use one of ${[...ACTIONS.keys()].join(", ")}`);
  const question = questionFor(trigger, name);
  const asking = question && confirmFirst(request, form, { ...question, back: triggerPath(id) });
  if (asking) return asking;
  const tried = await attempt(() => action(caller, id));
  if ("refusal" in tried) {
    return show(request, caller, { id, problem: reasonsOf(tried.refusal.errors) });
  }
  if (name === "delete") return redirect(request, TRIGGERS, deleted(trigger.name));
  return redirect(request, triggerPath(id), DONE[name]);
}

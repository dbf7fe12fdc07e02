// The pages of triggers. Besides: POST /admin/triggers/again/(id) and …/action/(id).
import { type TObject, Type } from "@sinclair/typebox";
import type { Caller } from "../../src/auth/auth.ts";
import * as runs from "../../src/events/triggers/runs.ts";
import {
  changedTrigger,
  newTrigger,
  TEMPLATES,
  type Template,
  type Trigger,
} from "../../src/events/triggers/trigger.ts";
import * as triggers from "../../src/events/triggers/triggers.ts";
import { notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { CRUMB } from "../admin/paths.ts";
import { ActionForm, DangerousActions } from "../layout/confirm.tsx";
import { redirect } from "../layout/page.tsx";
import { attempt, refused } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { field } from "../request/form_values.ts";
import {
  doing,
  type EditedRow,
  type RecordAction,
  recordChange,
  recordCreation,
  type ShownForm,
  type ShownRecord,
} from "../resource/hooks.ts";
import { listParamsOf, readBy } from "../resource/list.tsx";
import { ResourcePages } from "../resource/pages.tsx";
import type { RecordParts } from "../resource/view.tsx";
import { deleted } from "../texts.ts";
import { atFilterFields, filterInputs } from "./filter_fields.tsx";
import { TRIGGERS, triggerPath } from "./paths.ts";
import { PRODUCT_NAMES, TriggerFields } from "./trigger_form.tsx";
import { defaultsOf, inputOf, shapeOf, valuesOf } from "./trigger_input.ts";
import { PreviewPart, RunStatusTag, Runs, StateTag, TriggerFacts } from "./trigger_view.tsx";

const ADMINS = { see: ["admin"] } as const;
/** The fields of all templates. */
const FORM: TObject = Type.Object({ ...newTrigger.properties, ...filterInputs });

const pages = new ResourcePages({
  resource: triggers.trigger,
  path: TRIGGERS,
  readers: ["admin"],
  room: CRUMB,
  address: "id",
  hasHistory: false,
  list: {
    lead: "Changes start a job elsewhere, whose result comes back to the hosts",
    icon: "activity",
    purpose:
      "When hosts change, a trigger starts a job of AWX or another system. Many changes in a moment are one job",
    adds: TEMPLATES.map((template) => (
      <a class="button" href={`${TRIGGERS}/create/${template}`}>
        <Icon name="plus" /> Add {PRODUCT_NAMES[template].name}
      </a>
    )),
    read: readBy(TRIGGERS, triggers.list),
    columns: () => COLUMNS,
  },
  find: (caller, id) => triggers.find(caller, keyNamed(id)),
  view: viewOf,
  creation: recordCreation({
    shape: FORM,
    owner: "template",
    start: (owner) => defaultsOf(templateNamed(owner)),
    read: (form, { owner }) => inputOf(templateNamed(owner), form),
    work: async (caller, input, { owner }) => {
      const made = readInput(newTrigger, { ...input, template: templateNamed(owner) });
      return rowOf(await triggers.create(caller, made));
    },
  }),
  change: recordChange({
    shape: FORM,
    ownValues: valuesOf,
    read: (form, { edited }: { edited: EditedRow<Trigger> }) => inputOf(edited.row.template, form),
    work: async (caller, input, { edited }) =>
      rowOf(await triggers.update(caller, edited.id, readInput(changedTrigger, input))),
  }),
  form: formOf,
  refused: async (_, { shape, form, refusal }) => refused(shape, form, atFilterFields(refusal)),
  actions: actionsOn,
});

export const triggerPages = pages
  .routes()
  .post(
    `${TRIGGERS}/again/:id`,
    ({ request, caller, params, form }) => runAgain(request, caller, params.id, form),
    ADMINS,
  )
  .post(
    `${TRIGGERS}/action/:id`,
    ({ request, caller, params, form }) => pages.act(request, caller, params.id, form),
    ADMINS,
  );

function templateNamed(text: string): Template {
  const template = TEMPLATES.find((one) => one === text);
  if (!template) throw notFound();
  return template;
}

const COLUMNS = columnsOf<Trigger>(
  triggers.trigger,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ id, name }) => (
        <a class="open" href={triggerPath(id)}>
          {name}
        </a>
      ),
    },
    { name: "template", label: "Starts", cell: ({ template }) => PRODUCT_NAMES[template].name },
    { name: "url", cell: ({ url }) => url },
    { name: "is_active", label: "State", cell: (row) => <StateTag trigger={row} /> },
    {
      name: "last_run",
      cell: ({ last_run }) => last_run && <RunStatusTag status={last_run} />,
    },
  ],
  [
    ...(["filters", "variables", "body", "headers", "revision"] as const),
    ...(["has_secret", "has_read_token", "is_workflow", "token_kind"] as const),
    ...(["job_template", "limit", "project", "ref", "job", "username", "secret_header"] as const),
  ],
);

async function viewOf(shown: ShownRecord<Trigger>): Promise<RecordParts> {
  const { caller, row: trigger, search: params = new URLSearchParams() } = shown;
  const { id, trouble } = trigger;
  const [listed, tried] = await Promise.all([
    runs.listRuns(caller, id, listParamsOf(triggerPath(id), params)),
    attempt(() => runs.preview(caller, id)),
  ]);
  const [test, ...others] = actionsOn(trigger);
  const to = `${TRIGGERS}/action/${id}`;
  return {
    lead: (
      <>
        {PRODUCT_NAMES[trigger.template].name} <StateTag trigger={trigger} />
      </>
    ),
    actions: test && <ActionForm to={to} {...test} />,
    facts: <TriggerFacts trigger={trigger} />,
    danger: <DangerousActions to={to} actions={others} />,
    contents: (
      <>
        {trouble && <p class="note bad">Switched off: {trouble}</p>}
        <section aria-labelledby="runs-title">
          <h2 id="runs-title">Runs</h2>
          <Runs trigger={trigger} params={params} listed={listed} runs={rowsOf(listed)} />
        </section>
        {"done" in tried && <PreviewPart preview={tried.done} />}
      </>
    ),
  };
}

function actionsOn({ name, is_active }: Trigger): [test: RecordAction, ...RecordAction[]] {
  return [
    {
      name: "test",
      label: "Test with example values",
      work: doing(runs.test, { said: "The test is launched" }),
    },
    is_active
      ? {
          name: "disable",
          label: "Switch off",
          question: {
            title: `Switch ${name} off?`,
            detail: "Changes while it is off never start a job.",
            verb: "Switch off",
          },
          work: doing((caller, id) => triggers.update(caller, id, { is_active: false }), {
            said: "The trigger is switched off",
          }),
        }
      : {
          name: "enable",
          label: "Switch on",
          work: doing((caller, id) => triggers.update(caller, id, { is_active: true }), {
            said: "The trigger is switched on",
          }),
        },
    {
      name: "delete",
      label: "Delete this trigger",
      icon: "trash",
      question: {
        title: `Delete ${name}?`,
        detail: "Its runs go, and what they say on the pages of hosts.",
        verb: "Delete",
      },
      work: doing(triggers.remove, { to: TRIGGERS, said: deleted(name) }),
    },
  ];
}

/** The fields depend on the product that runs the job. */
function formOf({ filled: given, owner, edited }: ShownForm<Trigger>) {
  const template = edited?.row.template ?? templateNamed(owner);
  const filled = { ...given, shape: shapeOf(template) };
  const { name, lead } = PRODUCT_NAMES[template];
  return {
    filled,
    lead,
    ...(!edited && { title: `Add trigger for ${name}` }),
    fields: <TriggerFields filled={filled} template={template} edited={edited?.row} />,
    placed: Object.keys(filled.shape.properties),
    isSingle: true,
  };
}

async function runAgain(request: Request, caller: Caller, id: string, form: FormData) {
  const which = { trigger: keyNamed(id), run: keyNamed(field(form, "run")) };
  const tried = await attempt(() => runs.runAgain(caller, which));
  if ("refusal" in tried) return pages.view(request, caller, id, { refusal: tried.refusal });
  return redirect(request, triggerPath(which.trigger), "It runs again");
}

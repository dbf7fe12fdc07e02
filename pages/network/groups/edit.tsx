// GET and POST /network/groups/create and …/edit/(name). While the user types, htmx gets the affected hosts; without
// scripting a button shows them.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/groups/form_input.ts";
import { group } from "../../../src/network/groups/group.ts";
import type { GroupWithParents } from "../../../src/network/groups/groups.ts";
import * as groups from "../../../src/network/groups/groups.ts";
import type { GroupPreview } from "../../../src/network/groups/preview.ts";
import { EDITORS } from "../../../src/network/groups/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { defaultTexts, textsIn } from "../../../src/store/versions.ts";
import { fragment, page, redirect, wantsFragment, withUndo } from "../../layout/page.tsx";
import { attemptForm } from "../../parts/collect_errors.ts";
import type { EditConflict } from "../../parts/conflict.tsx";
import { type EditedRecord, save } from "../../parts/edit_flow.ts";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { fieldNames } from "../../parts/resource_fields.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { field, textsOf, versionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { added, NO_CHANGES, saved } from "../../texts.ts";
import { findOrRedirect } from "../paths.ts";
import { type FormProps, GroupForm } from "./form.tsx";
import { editPath, PATH, viewPath } from "./list.tsx";
import { type GroupPreviewState, PreviewBody } from "./preview.tsx";

const CREATE = `${PATH}/create`;
const { newEntry, changedEntry, namesIn, FORM_FIELDS } = entry;

export const groupEditPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get(
    "/create",
    ({ request, search }) => {
      const values = { ...defaultTexts(group), ...Object.fromEntries(search) };
      return show(request, { filled: blank(newEntry, values) });
    },
    { see: EDITORS },
  )
  .post("/create", ({ request, caller, form }) => create(request, caller, form), { see: EDITORS })
  .get(
    "/edit/:name",
    async ({ request, caller, params }) => {
      const edited = await readEdited(request, caller, params.name);
      if (edited instanceof Response) return edited;
      return show(request, { edited, filled: blank(changedEntry, edited.values) });
    },
    { see: EDITORS },
  )
  .post(
    "/edit/:name",
    async ({ request, caller, params, form }) => {
      const edited = await readEdited(request, caller, params.name);
      if (edited instanceof Response) return edited;
      return update(request, caller, { edited, form });
    },
    { see: EDITORS },
  );

interface EditedGroup extends EditedRecord {
  group: GroupWithParents;
}

async function readEdited(
  request: Request,
  caller: Caller,
  name: string,
): Promise<EditedGroup | Response> {
  const found = await findOrRedirect(request, {
    table: "groups",
    name,
    find: (called) => groups.findNamed(caller, called),
    pathOf: editPath,
  });
  if (found instanceof Response) return found;
  const record = rowOf(found);
  const { id, user, updated_at } = record;
  const hosts = record.type === "static" ? record.hosts.join("\n") : "";
  const values = { ...textsIn(record, FORM_FIELDS), hosts };
  return { group: record, id, version: found.version, values, user, updated_at };
}

interface FormState {
  filled: Filled;
  edited?: EditedGroup;
  /** The submitted form, if it was refused. */
  sent?: FormData;
  status?: number;
  preview?: GroupPreviewState;
  conflict?: EditConflict;
}

function show(request: Request, state: FormState): Response {
  const { edited, sent, status, ...rest } = state;
  const name = edited?.group.name;
  const title = name === undefined ? "Add group" : `Edit ${name}`;
  const children = sent?.getAll("children").map(String) ?? edited?.group.children ?? [];
  const props: FormProps = {
    preview: undefined,
    ...rest,
    action: name === undefined ? CREATE : editPath(name),
    children: children.filter((one) => one.trim() !== ""),
    editing: edited && editingState(edited, sent),
  };
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Groups", href: PATH },
      ...(name === undefined ? [] : [{ label: name, href: viewPath(name) }]),
      { label: name === undefined ? "Add" : "Edit" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {edited && <Meanwhile of={group} {...edited} />}
        <GroupForm {...props} />
      </>
    ),
  });
}

/** The lists as they were when the form was opened. */
function editingState(
  { group, version, values }: EditedGroup,
  sent?: FormData,
): FormProps["editing"] {
  const { name } = group;
  if (!sent) return { name, version, hosts: values.hosts ?? "", children: group.children };
  const children = sent.getAll("children_before").map(String);
  return { name, version, hosts: field(sent, "hosts_before"), children };
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  if (wantsPreview(request, form)) {
    const run = () => entry.previewNew(caller, readFormInput(newEntry, form));
    return preview(request, form, { shape: newEntry, run });
  }
  const tried = await attemptForm(caller, form, {
    shape: newEntry,
    work: entry.create,
    placeholders: { name: crypto.randomUUID() },
  });
  if ("refusal" in tried) {
    const filled = refused(newEntry, form, tried.refusal);
    return show(request, { filled, sent: form, status: tried.refusal.status });
  }
  const { name } = rowOf(tried.done);
  return redirect(request, viewPath(name), withUndo(request, added(name)));
}

interface FormRequest {
  edited: EditedGroup;
  form: FormData;
}

async function update(
  request: Request,
  caller: Caller,
  { edited, form }: FormRequest,
): Promise<Response> {
  if (wantsPreview(request, form)) {
    const run = () => entry.previewChanged(caller, edited.group, readFormInput(changedEntry, form));
    return preview(request, form, { shape: changedEntry, run, edited });
  }
  const tried = await save(caller, {
    form,
    edited,
    resource: group,
    shape: changedEntry,
    work: (as, input) => entry.update(as, edited.id, input),
    // History has no hosts of earlier versions.
    valuesOf: (record) => textsIn(record, FORM_FIELDS),
  });
  if ("refused" in tried) {
    const { version, ...again } = tried.refused;
    return show(request, { ...again, edited: { ...edited, version }, sent: form });
  }
  const { name, changed, change_set: undo } = tried.done;
  const names = fieldNames(group, changed);
  const said = names ? { text: saved(name, names), undo } : NO_CHANGES;
  return redirect(request, viewPath(name), said);
}

function wantsPreview(request: Request, form: FormData): boolean {
  return wantsFragment(request) || form.has("preview");
}

interface PreviewRequest {
  shape: Filled["shape"];
  run: () => Promise<GroupPreview>;
  edited?: EditedGroup;
}

async function preview(
  request: Request,
  form: FormData,
  { shape, run, edited }: PreviewRequest,
): Promise<Response> {
  const tried = await attempt(async () => run());
  const errors = "refusal" in tried ? tried.refusal.errors : [];
  const shown: GroupPreviewState = "refusal" in tried ? { errors } : { preview: tried.done };
  if (wantsFragment(request)) return fragment(request, <PreviewBody state={shown} />);
  const { values } = blank(shape, valuesIn(form));
  const filled = { shape, values, errors };
  return show(request, {
    filled,
    edited: edited && { ...edited, version: versionIn(form) || edited.version },
    sent: form,
    preview: shown,
    status: errors.length > 0 ? 422 : 200,
  });
}

/** Moves the picked host into the list, so that another one can be picked. */
function valuesIn(form: FormData): Filled["values"] {
  const texts = textsOf(form);
  const names = [...namesIn(texts.hosts), ...namesIn(texts.host)];
  return { ...texts, hosts: [...new Set(names)].join("\n"), host: "" };
}

// GET and POST /network/groups/create and …/edit/(name). While the user types, htmx gets
// the hosts that would be affected; a button does so without scripting.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { readForm } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/groups/form_input.ts";
import { group } from "../../../src/network/groups/group.ts";
import type { GroupWithParents } from "../../../src/network/groups/groups.ts";
import * as groups from "../../../src/network/groups/groups.ts";
import type { Preview } from "../../../src/network/groups/preview.ts";
import { EDITORS } from "../../../src/network/groups/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { textsIn } from "../../../src/store/versions.ts";
import { fragment, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { attemptAll } from "../../parts/collect_errors.ts";
import type { Conflicting } from "../../parts/conflict.tsx";
import { type Edited as EditedRecord, save } from "../../parts/edit_flow.ts";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { fieldNames } from "../../parts/resource_fields.tsx";
import { field, textsOf, versionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { findOrRedirect } from "../paths.ts";
import { type FormProps, GroupForm } from "./form.tsx";
import { editPath, PATH, viewPath } from "./list.tsx";
import { type Outlook, OutlookBody } from "./preview.tsx";

const CREATE = `${PATH}/create`;
const { newEntry, changedEntry, namesIn, FORM_FIELDS } = entry;

export const groupEditPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get(
    "/create",
    ({ request, search }) => {
      const values = { type: "static", ...Object.fromEntries(search) };
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

interface Edited extends EditedRecord {
  group: GroupWithParents;
}

async function readEdited(
  request: Request,
  caller: Caller,
  name: string,
): Promise<Edited | Response> {
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
  edited?: Edited;
  /** What was sent, where the form comes back. */
  sent?: FormData;
  status?: number;
  outlook?: Outlook;
  conflict?: Conflicting;
}

function show(request: Request, state: FormState): Response {
  const { edited, sent, status, ...rest } = state;
  const name = edited?.group.name;
  const title = name === undefined ? "Make a group" : `Edit ${name}`;
  const children = sent?.getAll("children").map(String) ?? edited?.group.children ?? [];
  const props: FormProps = {
    outlook: undefined,
    ...rest,
    action: name === undefined ? CREATE : editPath(name),
    children: children.filter((one) => one.trim() !== ""),
    editing: edited && openedWith(edited, sent),
  };
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Groups", href: PATH },
      ...(name === undefined ? [] : [{ label: name, href: viewPath(name) }]),
      { label: name === undefined ? "Make" : "Edit" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <GroupForm {...props} />
      </>
    ),
  });
}

/** The lists from when the form was opened first, however often it is sent. */
function openedWith({ group, version, values }: Edited, sent?: FormData): FormProps["editing"] {
  const { name } = group;
  if (!sent) return { name, version, hosts: values.hosts ?? "", children: group.children };
  const children = sent.getAll("children_before").map(String);
  return { name, version, hosts: field(sent, "hosts_before"), children };
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  if (isAsking(request, form)) {
    const ask = () => entry.previewNew(caller, readForm(newEntry, form));
    return preview(request, form, { shape: newEntry, ask });
  }
  const tried = await attemptAll(caller, form, {
    shape: newEntry,
    work: entry.create,
    otherwise: { name: crypto.randomUUID() },
  });
  if ("refusal" in tried) {
    const filled = refused(newEntry, form, tried.refusal);
    return show(request, { filled, sent: form, status: tried.refusal.status });
  }
  const { name } = rowOf(tried.done);
  return redirect(request, viewPath(name), `${name} is made`);
}

interface Sent {
  edited: Edited;
  form: FormData;
}

async function update(request: Request, caller: Caller, { edited, form }: Sent): Promise<Response> {
  if (isAsking(request, form)) {
    const ask = () => entry.previewChanged(caller, edited.group, readForm(changedEntry, form));
    return preview(request, form, { shape: changedEntry, ask, edited });
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
  if ("again" in tried) {
    const { version, ...again } = tried.again;
    return show(request, { ...again, edited: { ...edited, version }, sent: form });
  }
  const { name, changed, change_set: undo } = tried.done;
  const names = fieldNames(group, changed);
  const said = names ? { text: `${name} is saved: ${names}`, undo } : "Nothing has changed";
  return redirect(request, viewPath(name), said);
}

function isAsking(request: Request, form: FormData): boolean {
  return wantsFragment(request) || form.has("preview");
}

interface Asking {
  shape: Filled["shape"];
  ask: () => Promise<Preview>;
  edited?: Edited;
}

async function preview(
  request: Request,
  form: FormData,
  { shape, ask, edited }: Asking,
): Promise<Response> {
  const tried = await attempt(async () => ask());
  const faults = "refusal" in tried ? tried.refusal.errors : [];
  const outlook: Outlook = "refusal" in tried ? { faults } : { preview: tried.done };
  if (wantsFragment(request)) return fragment(request, <OutlookBody outlook={outlook} />);
  const { values } = blank(shape, valuesIn(form));
  const filled = { shape, values, faults };
  return show(request, {
    filled,
    edited: edited && { ...edited, version: versionIn(form) || edited.version },
    sent: form,
    outlook,
    status: faults.length > 0 ? 422 : 200,
  });
}

/** With the host that was picked among the others, so that the next one can be. */
function valuesIn(form: FormData): Filled["values"] {
  const texts = textsOf(form);
  const names = [...namesIn(texts.hosts), ...namesIn(texts.host)];
  return { ...texts, hosts: [...new Set(names)].join("\n"), host: "" };
}

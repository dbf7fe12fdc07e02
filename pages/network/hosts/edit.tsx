// GET and POST /network/hosts/create and /network/hosts/edit/(name).

import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { choices, macsOn } from "../../../src/network/hosts/choices.ts";
import { type Proposal, proposeIn } from "../../../src/network/hosts/form_checks.ts";
import * as entry from "../../../src/network/hosts/form_input.ts";
import { host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { requireWritable } from "../../../src/store/rights/check.ts";
import { defaultTexts, textsIn } from "../../../src/store/versions.ts";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import { attemptForm } from "../../parts/collect_errors.ts";
import type { EditConflict } from "../../parts/conflict.tsx";
import { type EditedRecord, save } from "../../parts/edit_flow.ts";
import { blank, type Filled } from "../../parts/forms.tsx";
import { fieldNames } from "../../parts/resource_fields.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { guard } from "../../request/guard.ts";
import { added, NO_CHANGES, saved } from "../../texts.ts";
import { refusedWithNextAddress } from "../next_address.ts";
import { findOrRedirect, hostPath } from "../paths.ts";
import { type FormProps, HostForm, type Lists } from "./form.tsx";
import { PATH } from "./list.tsx";

const CREATE = `${PATH}/create`;
/** Fields that "Save and add another" keeps. */
const CARRIED_OVER = ["device_type", "is_ioc", "network", "automation_groups"];
const { newEntry, changedEntry, FORM_FIELDS } = entry;

export const hostEditPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get("/create", ({ request, caller, search }) => begin(request, caller, search), {
    see: EDITORS,
  })
  .post("/create", ({ request, caller, form }) => create(request, caller, form), { see: EDITORS })
  .get(
    "/edit/:name",
    async ({ request, caller, params }) => {
      const edited = await readEdited(request, caller, params.name);
      if (edited instanceof Response) return edited;
      const { values, lists } = edited;
      return show(request, caller, { filled: blank(changedEntry, values), lists, edited });
    },
    { see: EDITORS },
  )
  .post(
    "/edit/:name",
    async ({ request, caller, params, form }) => {
      const edited = await readEdited(request, caller, params.name);
      return edited instanceof Response ? edited : update(request, caller, { edited, form });
    },
    { see: EDITORS },
  );

interface FormState {
  filled: Filled;
  lists: Lists;
  proposal?: Proposal;
  edited?: EditedHost;
  status?: number;
  conflict?: EditConflict;
}

async function show(request: Request, caller: Caller, state: FormState): Promise<Response> {
  const { filled, lists, proposal, edited, status, conflict } = state;
  const [offered, macs] = await Promise.all([choices(caller), macsOn(lists.items)]);
  const title = edited ? `Edit ${edited.name}` : "Add host";
  const editing = edited && { ...edited, before: edited.lists };
  const props: FormProps = {
    action: edited ? `${PATH}/edit/${edited.name}` : CREATE,
    filled,
    lists,
    choices: offered,
    macs,
    proposal,
    editing,
    conflict,
  };
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: PATH },
      ...(edited ? [{ label: edited.name, href: hostPath(edited.name) }] : []),
      { label: edited ? "Edit" : "Add" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {edited && <Meanwhile of={host} {...edited} />}
        <HostForm {...props} />
      </>
    ),
  });
}

/** The URL can fill in fields: the map of a network links free addresses to this form. */
async function begin(request: Request, caller: Caller, search: URLSearchParams): Promise<Response> {
  const given = Object.fromEntries([...search].filter(([name]) => name in newEntry.properties));
  const proposal = given.network ? await proposeIn(caller, given.network) : undefined;
  const values = {
    ...defaultTexts(host),
    device_type: "Physical",
    ip: proposal?.ip ?? "",
    ...given,
  };
  const lists = {
    items: search.getAll("items"),
    automation_groups: search.getAll("automation_groups"),
  };
  return show(request, caller, { filled: blank(newEntry, values), lists, proposal });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attemptForm(caller, form, {
    shape: newEntry,
    work: entry.create,
    placeholders: { name: crypto.randomUUID(), device_type: "Physical" },
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = await refusedWithNextAddress(caller, newEntry, { form, refusal });
    return show(request, caller, { filled, lists: listsIn(form), status: 422 });
  }
  const name = tried.done;
  const kept = CARRIED_OVER.flatMap((one) => form.getAll(one).map((value) => [one, String(value)]));
  const query = new URLSearchParams(kept.filter(([, value]) => value !== ""));
  const to = form.has("again") ? `${CREATE}?${query}` : hostPath(name);
  return redirect(request, to, withUndo(request, added(name)));
}

interface EditedHost extends EditedRecord {
  name: string;
  lists: Lists;
}

async function readEdited(
  request: Request,
  caller: Caller,
  called: string,
): Promise<EditedHost | Response> {
  const found = await findOrRedirect(request, {
    table: "hosts",
    name: called,
    find: (name) => hosts.findNamed(caller, name),
    pathOf: (name) => `${PATH}/edit/${name}`,
  });
  if (found instanceof Response) return found;
  const record = rowOf(found);
  await requireWritable(caller, "hosts", record.id);
  const { items, automation_groups } = record;
  const values = textsIn(record, FORM_FIELDS);
  return { ...record, version: found.version, values, lists: { items, automation_groups } };
}

interface FormRequest {
  edited: EditedHost;
  form: FormData;
}

async function update(
  request: Request,
  caller: Caller,
  { edited, form }: FormRequest,
): Promise<Response> {
  const tried = await save(caller, {
    form,
    edited,
    resource: host,
    shape: changedEntry,
    work: (as, input) => entry.update(as, edited.id, input),
  });
  if ("done" in tried) {
    const { name: now, changed } = tried.done;
    const said =
      changed.length > 0 ? withUndo(request, saved(now, fieldNames(host, changed))) : NO_CHANGES;
    return redirect(request, hostPath(now), said);
  }
  const { version, ...again } = tried.refused;
  return show(request, caller, {
    ...again,
    lists: listsIn(form),
    edited: { ...edited, version, lists: beforeIn(form) },
  });
}

function listsIn(form: FormData): Lists {
  return { items: sentIn(form, "items"), automation_groups: sentIn(form, "automation_groups") };
}

function beforeIn(form: FormData): Lists {
  return {
    items: sentIn(form, "items_before"),
    automation_groups: sentIn(form, "automation_groups_before"),
  };
}

function sentIn(form: FormData, name: string): string[] {
  const texts = form.getAll(name).map((one) => String(one).trim());
  return texts.filter((text) => text !== "");
}

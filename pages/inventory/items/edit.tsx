// GET and POST /inventory/items/create and /inventory/items/edit/(ics_id), and the free stack members. htmx gets what
// depends on a field: the items with the same serial number, the stack members of a host.

import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { Refusal } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import * as choices from "../../../src/inventory/items/choices.ts";
import * as entry from "../../../src/inventory/items/form_input.ts";
import { item } from "../../../src/inventory/items/item.ts";
import { defaultTexts } from "../../../src/store/versions.ts";
import { fragment, isHtmx, page, redirect, wantsFragment, withUndo } from "../../layout/page.tsx";
import { attemptForm } from "../../parts/collect_errors.ts";
import { save } from "../../parts/edit_flow.ts";
import { blank, type Filled, refused } from "../../parts/forms.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { added, NO_CHANGES, saved } from "../../texts.ts";
import { type EditedItem, readEdited, valuesOf } from "./edited_item.ts";
import { type FormProps, ItemForm, StackMember, StackOptions } from "./form.tsx";
import { PATH, viewPath } from "./list.tsx";
import { SerialDuplicates } from "./serial_duplicates.tsx";

const EDITORS = INVENTORY_EDITORS;
const CREATE = `${PATH}/create`;
/** Fields that "Save and add another" keeps. */
const CARRIED_OVER = [...ITEM_KINDS, "parent"];
const { newEntry, changedEntry } = entry;

export const itemEditPages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(guard)
  .get(
    "/items/create",
    ({ request, caller, search }) => {
      if (wantsFragment(request)) return showPart(request, caller);
      return show(request, caller, {
        filled: blank(newEntry, { ...defaultTexts(item), ...prefilledFields(search) }),
      });
    },
    { see: EDITORS },
  )
  .post("/items/create", ({ request, caller, form }) => create(request, caller, form), {
    see: EDITORS,
  })
  .get(
    "/items/edit/:ics_id",
    async ({ request, caller, params }) => {
      const edited = await readEdited(caller, params.ics_id);
      if (wantsFragment(request)) return showPart(request, caller, edited.ics_id);
      return show(request, caller, { filled: blank(changedEntry, edited.values), edited });
    },
    { see: EDITORS },
  )
  .post(
    "/items/edit/:ics_id",
    ({ request, caller, params, form }) => update(request, caller, { which: params.ics_id, form }),
    { see: EDITORS },
  )
  .get(
    "/_retrieve_host_names",
    async ({ caller, search }) =>
      Response.json({ data: await choices.hostNames(caller, search.get("q") ?? "") }),
    { see: "everyone" },
  )
  .get(
    "/_retrieve_free_stack_members/:host_id",
    async ({ request, caller, params, search }) => {
      const host = { id: keyNamed(params.host_id) };
      const data = await choices.stackMembers(caller, host, search.get("ics_id") ?? "");
      if (!isHtmx(request)) return Response.json({ data });
      const selected = String(data.selected_member ?? "");
      return fragment(request, <StackOptions members={data.stack_members} selected={selected} />);
    },
    { see: "everyone" },
  );

interface FormState {
  filled: Filled;
  edited?: EditedItem;
  /** The submitted form, if it was refused. */
  sent?: FormData;
  status?: number;
  conflict?: FormProps["conflict"];
}

async function show(request: Request, caller: Caller, shown: FormState): Promise<Response> {
  const { filled, edited, sent = new FormData(), status, conflict } = shown;
  const { values } = filled;
  const [offered, twins, stack, missing] = await Promise.all([
    choices.choices(caller),
    choices.duplicateSerials(values, edited?.ics_id),
    stackOf(caller, { host: values.host, item: edited?.ics_id }),
    choices.missing(values),
  ]);
  const title = edited ? `Edit ${edited.ics_id}` : "Add item";
  const action = edited ? `${PATH}/edit/${edited.ics_id}` : CREATE;
  const [wanted, freed] = [textsIn(sent, "create"), textsIn(sent, "free")];
  const props = { action, filled, choices: offered, twins, stack, missing, conflict };
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Inventory" },
      { label: "Items", href: PATH },
      ...(edited ? [{ label: edited.ics_id, href: viewPath(edited.ics_id) }] : []),
      { label: edited ? "Edit" : "Add" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {edited && <Meanwhile of={item} {...edited} />}
        <ItemForm {...props} wanted={wanted} freed={freed} editing={edited} />
      </>
    ),
  });
}

const TRYING = { placeholders: { serial_number: "-" }, dependents: { stack_member: "host" } };

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attemptForm(caller, form, { ...TRYING, shape: newEntry, work: entry.create });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refused(newEntry, form, refusal);
    return show(request, caller, { filled, sent: form, status: refusal.status });
  }
  const kept = Object.fromEntries(CARRIED_OVER.map((name) => [name, field(form, name) || null]));
  const next = withParams(CREATE, new URLSearchParams(), kept);
  const to = form.has("again") ? next : viewPath(tried.done);
  return redirect(request, to, withUndo(request, added(tried.done)));
}

interface FormRequest {
  which: string;
  form: FormData;
}

async function update(
  request: Request,
  caller: Caller,
  { which, form }: FormRequest,
): Promise<Response> {
  const edited = await readEdited(caller, which);
  const tried = await save(caller, {
    ...TRYING,
    form,
    edited,
    resource: item,
    shape: changedEntry,
    work: (as, input) => entry.update(as, which, input),
    valuesOf,
  });
  if ("refused" in tried) {
    const { version, ...again } = tried.refused;
    return show(request, caller, { ...again, edited: { ...edited, version }, sent: form });
  }
  const { ics_id, changed, change_set: undo } = tried.done;
  const names = changed.map((name) => name.replaceAll("_", " ")).join(", ");
  const said = names ? { text: saved(ics_id, names), undo } : NO_CHANGES;
  return redirect(request, viewPath(ics_id), said);
}

/** The fragment that depends on the field that htmx sent. */
async function showPart(request: Request, caller: Caller, ics_id = ""): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const host = searchParams.get("host");
  if (host !== null) {
    const stack = await stackOf(caller, { host, item: ics_id });
    const values = { stack_member: String(stack?.selected_member ?? "") };
    return fragment(request, <StackMember filled={blank(changedEntry, values)} stack={stack} />);
  }
  const twins = await choices.duplicateSerials(Object.fromEntries(searchParams), ics_id);
  return fragment(request, <SerialDuplicates twins={twins} />);
}

/** Undefined for a host that does not exist or is hidden from the caller. */
async function stackOf(
  caller: Caller,
  { host, item: ics_id }: { host?: string; item?: string },
): Promise<choices.StackMembers | undefined> {
  const name = host?.trim().toLowerCase();
  if (!name) return undefined;
  try {
    return await choices.stackMembers(caller, { name }, ics_id);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** The fields that the URL fills in. */
function prefilledFields(search: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...search].filter(([name]) => name in newEntry.properties));
}

function textsIn(form: FormData, name: string): string[] {
  return form.getAll(name).map(String);
}

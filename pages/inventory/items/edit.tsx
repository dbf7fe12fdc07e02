// GET and POST /inventory/items/create and /inventory/items/edit/(ics_id), and the free places in a stack.
// htmx gets what depends on a field: the twins of a serial number, the stack members of a host.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { Refusal } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import * as choices from "../../../src/inventory/items/choices.ts";
import * as entry from "../../../src/inventory/items/form_input.ts";
import { item } from "../../../src/inventory/items/item.ts";
import { fragment, isHtmx, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { attemptAll } from "../../parts/collect_errors.ts";
import { save } from "../../parts/edit_flow.ts";
import { blank, type Filled, refused } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { type EditedItem, readEdited, valuesOf } from "./edited_item.ts";
import { type FormProps, ItemForm, StackMember, StackOptions } from "./form.tsx";
import { PATH, viewPath } from "./list.tsx";
import { Twins } from "./twins.tsx";

const EDITORS = ["inventory", "admin"] as const;
const CREATE = `${PATH}/create`;
/** What the next one of a crate has in common with the one before. */
const KEPT = [...ITEM_KINDS, "parent"];
const { newEntry, changedEntry } = entry;

export const itemEditPages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(guard)
  .get(
    "/items/create",
    ({ request, caller, search }) => {
      if (wantsFragment(request)) return part(request, caller);
      return show(request, caller, { filled: blank(newEntry, { quantity: "1", ...only(search) }) });
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
      if (wantsFragment(request)) return part(request, caller, edited.ics_id);
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

interface Shown {
  filled: Filled;
  edited?: EditedItem;
  /** What was sent, where the form comes back. */
  sent?: FormData;
  status?: number;
  conflict?: FormProps["conflict"];
}

async function show(request: Request, caller: Caller, shown: Shown): Promise<Response> {
  const { filled, edited, sent = new FormData(), status, conflict } = shown;
  const { values } = filled;
  const [offered, twins, stack, missing] = await Promise.all([
    choices.choices(caller),
    choices.duplicateSerials(values.serial_number ?? "", edited?.ics_id),
    stackOf(caller, { host: values.host, item: edited?.ics_id }),
    choices.missing(values),
  ]);
  const title = edited ? `Edit ${edited.ics_id}` : "Register an item";
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
      { label: edited ? "Edit" : "Register" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <ItemForm {...props} wanted={wanted} freed={freed} editing={edited} />
      </>
    ),
  });
}

const TRYING = { otherwise: { serial_number: "-" }, hanging: { stack_member: "host" } };

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attemptAll(caller, form, { ...TRYING, shape: newEntry, work: entry.create });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refused(newEntry, form, refusal);
    return show(request, caller, { filled, sent: form, status: refusal.status });
  }
  const kept = Object.fromEntries(KEPT.map((name) => [name, field(form, name) || null]));
  const next = withParams(CREATE, new URLSearchParams(), kept);
  const to = form.has("again") ? next : viewPath(tried.done);
  return redirect(request, to, `${tried.done} is registered`);
}

interface Sent {
  which: string;
  form: FormData;
}

async function update(request: Request, caller: Caller, { which, form }: Sent): Promise<Response> {
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
  if ("again" in tried) {
    const { version, ...again } = tried.again;
    return show(request, caller, { ...again, edited: { ...edited, version }, sent: form });
  }
  const { ics_id, changed, change_set: undo } = tried.done;
  const names = changed.map((name) => name.replaceAll("_", " ")).join(", ");
  const said = names ? { text: `${ics_id} is saved: ${names}`, undo } : "Nothing has changed";
  return redirect(request, viewPath(ics_id), said);
}

/** What depends on the field that htmx has sent. */
async function part(request: Request, caller: Caller, ics_id = ""): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const host = searchParams.get("host");
  if (host !== null) {
    const stack = await stackOf(caller, { host, item: ics_id });
    const values = { stack_member: String(stack?.selected_member ?? "") };
    return fragment(request, <StackMember filled={blank(changedEntry, values)} stack={stack} />);
  }
  const twins = await choices.duplicateSerials(searchParams.get("serial_number") ?? "", ics_id);
  return fragment(request, <Twins twins={twins} />);
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
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 404) return undefined;
    throw fault;
  }
}

/** The fields that an address may fill in. */
function only(search: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...search].filter(([name]) => name in newEntry.properties));
}

function textsIn(form: FormData, name: string): string[] {
  return form.getAll(name).map(String);
}

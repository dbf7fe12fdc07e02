// GET and POST /network/networks/create. With `_validate` nothing is written: the form comes back with what
// follows from the field of that name, and with what is wrong so far.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { readForm } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/networks/form_input.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { freeIn, spaceNamed } from "../../../src/network/scopes/free_space.ts";
import { rowOf } from "../../../src/store/records.ts";
import { redirect } from "../../layout/page.tsx";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { EDITORS, NETWORKS, networkPath } from "../paths.ts";
import { formOf, rehearsing, showForm, textsIn } from "./draft.tsx";

const CREATE = `${NETWORKS}/create`;
const { newEntry } = entry;

export const networkCreatePages = new Elysia({ prefix: CREATE, normalize: false })
  .use(guard)
  .get(
    "",
    ({ request, search }) => {
      const values = Object.fromEntries(search);
      return show(request, { filled: blank(newEntry, values), changed: "scope" });
    },
    { see: EDITORS },
  )
  .post(
    "",
    ({ request, caller, form }) =>
      form.has("_validate") ? check(request, caller, form) : create(request, caller, form),
    { see: EDITORS },
  );

interface Making {
  filled: Filled;
  /** The field that was changed last. */
  changed?: string;
  status?: number;
}

async function show(request: Request, { filled, changed = "", status }: Making): Promise<Response> {
  const [offered, room] = await Promise.all([choices(), spaceNamed(filled.values.scope ?? "")]);
  const values = entry.propose(room, filled.values, changed);
  const size = Number(values.prefix ?? room?.selected_prefix);
  const subnets = room ? freeIn(room, size) : [];
  return showForm(request, {
    title: "Add a network",
    status,
    form: {
      action: CREATE,
      filled: { ...filled, values },
      choices: offered,
      room,
      subnets,
    },
  });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => entry.create(caller, readForm(newEntry, form)));
  if ("refusal" in tried) {
    const filled = refused(newEntry, form, tried.refusal);
    return show(request, { filled, status: tried.refusal.status });
  }
  const { vlan_name, scope } = rowOf(tried.done);
  const to = form.has("again")
    ? `${CREATE}?${new URLSearchParams({ scope })}`
    : networkPath(vlan_name);
  return redirect(request, to, `${vlan_name} is added`);
}

/** What is wrong with the fields that are filled in; those that are blank have time. */
async function check(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const changed = field(form, "_validate");
  const values = textsIn(form);
  const room = await spaceNamed(values.scope ?? "");
  const proposed = entry.propose(room, values, changed);
  const tried = await attempt(async () =>
    entry.create(rehearsing(caller), readForm(newEntry, formOf(proposed))),
  );
  const faults = "refusal" in tried ? tried.refusal.errors : [];
  const shown = faults.filter((fault) => proposed[fault.field]);
  return show(request, {
    filled: { shape: newEntry, values: proposed, faults: shown, isDraft: true },
  });
}

// GET and POST /network/networks/create. With `_validate` nothing is written: the form is returned with the fields that
// depend on the named one, and with its errors.
import { Elysia } from "elysia";
import { asDryRunOfDraft, type Caller } from "../../../src/auth/auth.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/networks/form_input.ts";
import { network } from "../../../src/network/networks/network.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { freeIn, spaceNamed } from "../../../src/network/scopes/free_space.ts";
import { rowOf } from "../../../src/store/records.ts";
import { defaultTexts } from "../../../src/store/versions.ts";
import { redirect, withUndo } from "../../layout/page.tsx";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { added } from "../../texts.ts";
import { EDITORS, NETWORKS, networkPath } from "../paths.ts";
import { formOf, networkTextsIn, showForm, unlessDoubted } from "./draft.tsx";

const CREATE = `${NETWORKS}/create`;
const { newEntry } = entry;

export const networkCreatePages = new Elysia({ prefix: CREATE, normalize: false })
  .use(guard)
  .get(
    "",
    ({ request, search }) => {
      const values = { ...defaultTexts(network), ...Object.fromEntries(search) };
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

interface FormState {
  filled: Filled;
  /** The field that was changed last. */
  changed?: string;
  status?: number;
}

async function show(
  request: Request,
  { filled, changed = "", status }: FormState,
): Promise<Response> {
  const [offered, space] = await Promise.all([choices(), spaceNamed(filled.values.scope ?? "")]);
  const values = entry.propose(space, filled.values, changed);
  const size = Number(values.prefix ?? space?.selected_prefix);
  const subnets = space ? freeIn(space, size) : [];
  return showForm(request, {
    title: "Add network",
    status,
    form: {
      action: CREATE,
      filled: { ...filled, values },
      choices: offered,
      space,
      subnets,
    },
  });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const texts = networkTextsIn(form);
  const values = formOf(entry.proposeAtLast(await spaceNamed(texts.scope ?? ""), texts));
  const tried = await attempt(() => createFrom(caller, values));
  if ("refusal" in tried) {
    const filled = refused(newEntry, values, tried.refusal);
    return show(request, { filled, status: tried.refusal.status });
  }
  const { vlan_name, scope } = rowOf(tried.done);
  const to = form.has("again")
    ? `${CREATE}?${new URLSearchParams({ scope })}`
    : networkPath(vlan_name);
  return redirect(request, to, withUndo(request, added(vlan_name)));
}

function createFrom(caller: Caller, form: FormData) {
  const doubts = entry.doubtsOf(networkTextsIn(form));
  return unlessDoubted(caller, doubts, async (as) =>
    entry.create(as, readFormInput(newEntry, form)),
  );
}

/** Shows the errors of fields that are filled in, not of blank ones. */
async function check(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const changed = field(form, "_validate");
  const values = networkTextsIn(form);
  const space = await spaceNamed(values.scope ?? "");
  const proposed = entry.propose(space, values, changed);
  const tried = await attempt(() => createFrom(asDryRunOfDraft(caller), formOf(proposed)));
  const errors = "refusal" in tried ? tried.refusal.errors : [];
  const shown = errors.filter((error) => proposed[error.field]);
  return show(request, {
    filled: { shape: newEntry, values: proposed, errors: shown, isDraft: true },
  });
}

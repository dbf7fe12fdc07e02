// GET and POST /network/scopes/create and …/edit/(name).
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import * as entry from "../../../src/network/scopes/form_input.ts";
import { scope } from "../../../src/network/scopes/scope.ts";
import * as scopes from "../../../src/network/scopes/scopes.ts";
import { findRow } from "../../../src/store/crud.ts";
import { rowOf } from "../../../src/store/records.ts";
import { defaultTexts, textsIn } from "../../../src/store/versions.ts";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import type { EditConflict } from "../../parts/conflict.tsx";
import { type EditedRecord, save } from "../../parts/edit_flow.ts";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { guard } from "../../request/guard.ts";
import { added, saved } from "../../texts.ts";
import { EDITORS, findOrRedirect, SCOPES, scopePath } from "../paths.ts";
import { ScopeForm } from "./form.tsx";

const CREATE = `${SCOPES}/create`;
const { newEntry } = entry;
const { changedScope } = scopes;
const FIELDS = Object.keys(changedScope.properties);

export const scopeEditPages = new Elysia({ prefix: SCOPES, normalize: false })
  .use(guard)
  .get(
    "/create",
    ({ request }) => show(request, { filled: blank(newEntry, defaultTexts(scope)) }),
    { see: EDITORS },
  )
  .post("/create", ({ request, caller, form }) => create(request, caller, form), { see: EDITORS })
  .get(
    "/edit/:name",
    async ({ request, caller, params }) => {
      const edited = await readEdited(request, caller, params.name);
      if (edited instanceof Response) return edited;
      return show(request, { edited, filled: blank(changedScope, edited.values) });
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

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => entry.create(caller, readFormInput(newEntry, form)));
  if ("refusal" in tried) {
    const { refusal } = tried;
    return show(request, { filled: refused(newEntry, form, refusal), status: refusal.status });
  }
  const { name } = rowOf(tried.done);
  return redirect(
    request,
    form.has("again") ? CREATE : scopePath(name),
    withUndo(request, added(name)),
  );
}

interface EditedScope extends EditedRecord {
  name: string;
}

async function readEdited(
  request: Request,
  caller: Caller,
  name: string,
): Promise<EditedScope | Response> {
  const found = await findOrRedirect(request, {
    table: "scopes",
    name,
    find: (called) => findRow(scope, caller, called),
    pathOf: (called) => `${SCOPES}/edit/${called}`,
  });
  if (found instanceof Response) return found;
  const record = rowOf(found);
  return { ...record, version: found.version, values: textsIn(record, FIELDS) };
}

interface FormRequest {
  edited: EditedScope;
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
    resource: scope,
    shape: changedScope,
    work: (as, input) => scopes.update(as, edited.id, input),
  });
  if ("refused" in tried) {
    const { version, ...again } = tried.refused;
    return show(request, { edited: { ...edited, version }, ...again });
  }
  const { name } = rowOf(tried.done);
  return redirect(request, scopePath(name), withUndo(request, saved(name)));
}

interface FormState {
  filled: Filled;
  edited?: EditedScope;
  status?: number;
  conflict?: EditConflict;
}

async function show(request: Request, state: FormState): Promise<Response> {
  const { filled, edited, status, conflict } = state;
  const { domains } = await choices();
  const title = edited ? `Edit ${edited.name}` : "Add scope";
  const action = edited ? `${SCOPES}/edit/${edited.name}` : CREATE;
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Scopes", href: SCOPES },
      ...(edited ? [{ label: edited.name, href: scopePath(edited.name) }] : []),
      { label: edited ? "Edit" : "Add" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {edited && <Meanwhile of={scope} {...edited} />}
        <ScopeForm
          action={action}
          filled={filled}
          domains={domains}
          editing={edited}
          conflict={conflict}
        />
      </>
    ),
  });
}

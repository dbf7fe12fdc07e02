// GET and POST /network/networks/edit/(vlan_name). With `_validate` nothing is written: see create.tsx.
import { Elysia } from "elysia";
import { asDryRunOfDraft, type Caller } from "../../../src/auth/auth.ts";
import { formatBlock, readBlock } from "../../../src/input/addresses.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/networks/form_input.ts";
import { network } from "../../../src/network/networks/network.ts";
import * as networks from "../../../src/network/networks/networks.ts";
import * as use from "../../../src/network/networks/usage.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { spaceNamed } from "../../../src/network/scopes/free_space.ts";
import { findRow } from "../../../src/store/crud.ts";
import { rowOf } from "../../../src/store/records.ts";
import { textsIn } from "../../../src/store/versions.ts";
import { redirect, withUndo } from "../../layout/page.tsx";
import type { EditConflict } from "../../parts/conflict.tsx";
import { type EditedRecord, save } from "../../parts/edit_flow.ts";
import { attempt, blank, type Filled } from "../../parts/forms.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { field, versionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { saved } from "../../texts.ts";
import { EDITORS, findOrRedirect, NETWORKS, networkPath } from "../paths.ts";
import { formOf, networkTextsIn, showForm, unlessDoubted } from "./draft.tsx";

const EDIT = `${NETWORKS}/edit`;
const { changedNetwork } = networks;

export const networkEditPages = new Elysia({ prefix: EDIT, normalize: false })
  .use(guard)
  .get(
    "/:vlan_name",
    async ({ request, caller, params }) => {
      const edited = await readEdited(request, caller, params.vlan_name);
      if (edited instanceof Response) return edited;
      return show(request, { edited, filled: blank(changedNetwork, edited.values) });
    },
    { see: EDITORS },
  )
  .post(
    "/:vlan_name",
    async ({ request, caller, params, form }) => {
      const edited = await readEdited(request, caller, params.vlan_name);
      if (edited instanceof Response) return edited;
      return form.has("_validate")
        ? check(request, caller, { edited, form })
        : update(request, caller, { edited, form });
    },
    { see: EDITORS },
  );

interface EditedNetwork extends EditedRecord {
  vlan_name: string;
  vlan_id: number;
  scope: string;
}

async function readEdited(
  request: Request,
  caller: Caller,
  name: string,
): Promise<EditedNetwork | Response> {
  const found = await findOrRedirect(request, {
    table: "networks",
    name,
    find: (called) => findRow(network, caller, called),
    pathOf: (called) => `${EDIT}/${called}`,
  });
  if (found instanceof Response) return found;
  const row = rowOf(found);
  return { ...row, version: found.version, values: textsIn(row, FIELDS) };
}

const FIELDS = Object.keys(changedNetwork.properties);

interface FormState {
  edited: EditedNetwork;
  filled: Filled;
  status?: number;
  conflict?: EditConflict;
}

async function show(
  request: Request,
  { edited, filled, status, conflict }: FormState,
): Promise<Response> {
  const block = readBlock(filled.values.address?.trim() ?? "");
  const isMoved = block && formatBlock(block) !== edited.values.address;
  const [offered, space, hidden, outside] = await Promise.all([
    choices(),
    spaceNamed(edited.scope),
    use.countsHiddenBy(edited.id),
    isMoved ? use.interfacesOutside(edited.id, formatBlock(block)) : undefined,
  ]);
  const { vlan_name, vlan_id, version } = edited;
  const editing = {
    vlan_name,
    vlan_id,
    version,
    hidden,
    conflict,
    outside: outside && outside.total > 0 ? outside : undefined,
  };
  const action = `${EDIT}/${vlan_name}`;
  return showForm(request, {
    title: `Edit ${vlan_name}`,
    status,
    meanwhile: <Meanwhile of={network} {...edited} />,
    form: {
      action,
      filled,
      choices: offered,
      space,
      subnets: [],
      editing,
    },
  });
}

interface FormRequest {
  edited: EditedNetwork;
  form: FormData;
}

async function check(
  request: Request,
  caller: Caller,
  { edited, form }: FormRequest,
): Promise<Response> {
  const changed = field(form, "_validate");
  const values = entry.propose(undefined, networkTextsIn(form), changed);
  const tried = await attempt(async () =>
    networks.update(
      asDryRunOfDraft(caller),
      edited.id,
      readFormInput(changedNetwork, formOf(values)),
    ),
  );
  const errors = "refusal" in tried ? tried.refusal.errors : [];
  const version = versionIn(form) || edited.version;
  return show(request, {
    edited: { ...edited, version },
    filled: { shape: changedNetwork, values, errors, isDraft: true },
  });
}

/** A range that was so before is not asked about again. */
function doubtsIn(form: FormData, { values }: EditedNetwork) {
  const texts = networkTextsIn(form);
  const isSame = ["address", "first_ip", "last_ip"].every((name) => texts[name] === values[name]);
  return isSame ? [] : entry.doubtsOf(texts);
}

async function update(
  request: Request,
  caller: Caller,
  { edited, form }: FormRequest,
): Promise<Response> {
  const tried = await save(caller, {
    form,
    edited,
    resource: network,
    shape: changedNetwork,
    work: (as, input) =>
      unlessDoubted(as, doubtsIn(form, edited), (by) => networks.update(by, edited.id, input)),
  });
  if ("done" in tried) {
    const { vlan_name } = rowOf(tried.done);
    return redirect(request, networkPath(vlan_name), withUndo(request, saved(vlan_name)));
  }
  const { version, ...again } = tried.refused;
  return show(request, { edited: { ...edited, version }, ...again });
}

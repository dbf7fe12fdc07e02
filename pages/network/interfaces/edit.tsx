// GET and POST /network/interfaces/create/(hostname) and /network/interfaces/edit/(name), and
// POST /network/interfaces/delete.

import { Elysia } from "elysia";
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { impactOfInterfaces } from "../../../src/network/deletion_impact.ts";
import { choices, macsOn } from "../../../src/network/hosts/choices.ts";
import { type Proposal, proposeIn } from "../../../src/network/hosts/form_checks.ts";
import type { Host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import * as entry from "../../../src/network/interfaces/form_input.ts";
import { networkInterface } from "../../../src/network/interfaces/interface.ts";
import * as interfaces from "../../../src/network/interfaces/interfaces.ts";
import { rowOf } from "../../../src/store/records.ts";
import { requireWritable } from "../../../src/store/rights/check.ts";
import { defaultTexts, type Texts, textsIn } from "../../../src/store/versions.ts";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import { attemptForm } from "../../parts/collect_errors.ts";
import type { EditConflict } from "../../parts/conflict.tsx";
import { type EditedRecord, save } from "../../parts/edit_flow.ts";
import { blank, type Filled } from "../../parts/forms.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { added, NO_CHANGES, saved } from "../../texts.ts";
import { confirmDelete } from "../confirm_delete.tsx";
import { PATH as HOSTS } from "../hosts/list.tsx";
import { refusedWithNextAddress } from "../next_address.ts";
import { findOrRedirect, hostPath } from "../paths.ts";
import { InterfaceForm } from "./form.tsx";

const PATH = "/network/interfaces";
const { newEntry, changedEntry, FORM_FIELDS } = entry;

export const interfacePages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get(
    "/create/:hostname",
    async ({ request, caller, params, search }) =>
      begin(request, caller, { host: await ownerOf(caller, params.hostname), search }),
    { see: EDITORS },
  )
  .post(
    "/create/:hostname",
    async ({ request, caller, params, form }) =>
      create(request, caller, { host: await ownerOf(caller, params.hostname), form }),
    { see: EDITORS },
  )
  .get(
    "/edit/:name",
    async ({ request, caller, params }) => {
      const edited = await readEdited(request, caller, params.name);
      if (edited instanceof Response) return edited;
      return show(request, caller, {
        filled: blank(changedEntry, edited.values),
        host: edited.host,
        edited,
      });
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
  )
  .post("/delete", ({ request, caller, form }) => remove(request, caller, form), { see: EDITORS });

async function ownerOf(caller: Caller, called: string): Promise<Host> {
  const host = rowOf(await hosts.findNamed(caller, called));
  await requireWritable(caller, "hosts", host.id);
  return host;
}

interface FormState {
  filled: Filled;
  host: Host;
  proposal?: Proposal;
  edited?: EditedInterface;
  status?: number;
  conflict?: EditConflict;
}

async function show(request: Request, caller: Caller, state: FormState): Promise<Response> {
  const { filled, host, proposal, edited, status, conflict } = state;
  const [{ networks }, macs] = await Promise.all([choices(caller), macsOn(host.items)]);
  const title = edited ? `Edit interface ${edited.name}` : `Add interface to ${host.name}`;
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: HOSTS },
      { label: host.name, href: hostPath(host.name) },
      { label: edited ? `Edit ${edited.name}` : "Add interface" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {edited && <Meanwhile of={networkInterface} {...edited} />}
        <InterfaceForm
          action={edited ? `${PATH}/edit/${edited.name}` : `${PATH}/create/${host.name}`}
          filled={filled}
          host={host.name}
          of={{ host: host.id, ...(edited ? { interface: edited.id } : {}) }}
          networks={networks}
          macs={macs}
          proposal={proposal}
          version={edited?.version}
          conflict={conflict}
        />
      </>
    ),
  });
}

/** Proposes the name of the host, if no interface has it. */
async function begin(
  request: Request,
  caller: Caller,
  { host, search }: { host: Host; search: URLSearchParams },
): Promise<Response> {
  const given = Object.fromEntries([...search].filter(([name]) => name in newEntry.properties));
  const proposal = given.network ? await proposeIn(caller, given.network) : undefined;
  const values = {
    ...defaultTexts(networkInterface),
    name: nextName(host),
    ip: proposal?.ip ?? "",
    ...given,
  };
  return show(request, caller, { filled: blank(newEntry, values), host, proposal });
}

function nextName({ name, interfaces: taken }: Host): string {
  const names = [name, ...taken.map((_, at) => `${name}-${at + 2}`)];
  return names.find((one) => !taken.includes(one)) ?? name;
}

interface FormRequest {
  host: Host;
  form: FormData;
}

async function create(
  request: Request,
  caller: Caller,
  { host, form }: FormRequest,
): Promise<Response> {
  const tried = await attemptForm(caller, form, {
    shape: newEntry,
    work: (as, input) => entry.create(as, host.name, input),
    placeholders: { name: crypto.randomUUID() },
  });
  if ("refusal" in tried) {
    const filled = await refusedWithNextAddress(caller, newEntry, { form, refusal: tried.refusal });
    return show(request, caller, { filled, host, status: 422 });
  }
  const to = form.has("again") ? `${PATH}/create/${host.name}` : hostPath(host.name);
  return redirect(request, to, withUndo(request, added(field(form, "name").toLowerCase())));
}

interface EditedInterface extends EditedRecord {
  name: string;
  host: Host;
  values: Texts;
}

async function readEdited(
  request: Request,
  caller: Caller,
  called: string,
): Promise<EditedInterface | Response> {
  const found = await findOrRedirect(request, {
    table: "interfaces",
    name: called,
    find: (name) => entry.findNamed(caller, name),
    pathOf: (name) => `${PATH}/edit/${name}`,
  });
  if (found instanceof Response) return found;
  const record = rowOf(found);
  const host = await ownerOf(caller, record.host);
  return { ...record, host, version: found.version, values: textsIn(record, FORM_FIELDS) };
}

async function update(
  request: Request,
  caller: Caller,
  { edited, form }: { edited: EditedInterface; form: FormData },
): Promise<Response> {
  const { host } = edited;
  const tried = await save(caller, {
    form,
    edited,
    resource: networkInterface,
    shape: changedEntry,
    work: (as, input) => entry.update(as, edited, input),
  });
  if ("done" in tried) {
    const { name: now, changed } = tried.done;
    const said =
      changed.length > 0 ? withUndo(request, saved(now, changed.join(", "))) : NO_CHANGES;
    return redirect(request, hostPath(host.name), said);
  }
  const { status, version, conflict, refusal } = tried.refused;
  const filled =
    status === 412
      ? tried.refused.filled
      : await refusedWithNextAddress(caller, changedEntry, { form, refusal });
  return show(request, caller, { filled, host, edited: { ...edited, version }, status, conflict });
}

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const id = keyNamed(field(form, "id"));
  const { name, ip, host } = rowOf(await interfaces.find(caller, id));
  // Refuses before the user types the name.
  await interfaces.remove(asDryRun(caller), id);
  const confirmation = confirmDelete(request, form, {
    called: `interface ${name} at ${ip}`,
    name,
    kept: [["id", String(id)]],
    impact: await impactOfInterfaces([id]),
    addresses: 1,
    back: hostPath(host),
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: HOSTS },
      { label: host, href: hostPath(host) },
    ],
  });
  if (confirmation) return confirmation;
  await interfaces.remove(caller, id);
  return redirect(request, hostPath(host), withUndo(request, `Deleted ${name}; ${ip} is free`));
}

// GET and POST /network/interfaces/create/(hostname) and /network/interfaces/edit/(name), and
// POST /network/interfaces/delete.
import { Elysia } from "elysia";
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { ofInterface } from "../../../src/network/deletion_impact.ts";
import { choices, macsOn } from "../../../src/network/hosts/choices.ts";
import { type Proposal, proposeIn } from "../../../src/network/hosts/form_checks.ts";
import type { Host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import * as entry from "../../../src/network/interfaces/form_input.ts";
import { networkInterface } from "../../../src/network/interfaces/interface.ts";
import * as interfaces from "../../../src/network/interfaces/interfaces.ts";
import { rowOf } from "../../../src/store/records.ts";
import { type Texts, textsIn } from "../../../src/store/versions.ts";
import { page, redirect } from "../../layout/page.tsx";
import { attemptAll } from "../../parts/collect_errors.ts";
import type { Conflicting } from "../../parts/conflict.tsx";
import { type Edited as EditedRecord, save } from "../../parts/edit_flow.ts";
import { blank, type Filled } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
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
  return rowOf(await hosts.findNamed(caller, called));
}

interface FormState {
  filled: Filled;
  host: Host;
  proposal?: Proposal;
  edited?: Edited;
  status?: number;
  conflict?: Conflicting;
}

async function show(request: Request, caller: Caller, state: FormState): Promise<Response> {
  const { filled, host, proposal, edited, status, conflict } = state;
  const [{ networks }, macs] = await Promise.all([choices(caller), macsOn(host.items)]);
  const title = edited ? `Edit the interface ${edited.name}` : `Add an interface to ${host.name}`;
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: HOSTS },
      { label: host.name, href: hostPath(host.name) },
      { label: edited ? `Edit ${edited.name}` : "Add an interface" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
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

/** The name is that of the host, until an interface has it. */
async function begin(
  request: Request,
  caller: Caller,
  { host, search }: { host: Host; search: URLSearchParams },
): Promise<Response> {
  const given = Object.fromEntries([...search].filter(([name]) => name in newEntry.properties));
  const proposal = given.network ? await proposeIn(caller, given.network) : undefined;
  const values = { name: nextName(host), ip: proposal?.ip ?? "", ...given };
  return show(request, caller, { filled: blank(newEntry, values), host, proposal });
}

function nextName({ name, interfaces: taken }: Host): string {
  const names = [name, ...taken.map((_, at) => `${name}-${at + 2}`)];
  return names.find((one) => !taken.includes(one)) ?? name;
}

interface Sent {
  host: Host;
  form: FormData;
}

async function create(request: Request, caller: Caller, { host, form }: Sent): Promise<Response> {
  const tried = await attemptAll(caller, form, {
    shape: newEntry,
    work: (as, input) => entry.create(as, host.name, input),
    otherwise: { name: crypto.randomUUID() },
  });
  if ("refusal" in tried) {
    const filled = await refusedWithNextAddress(caller, newEntry, { form, refusal: tried.refusal });
    return show(request, caller, { filled, host, status: 422 });
  }
  const to = form.has("again") ? `${PATH}/create/${host.name}` : hostPath(host.name);
  return redirect(request, to, `${field(form, "name").toLowerCase()} is added`);
}

interface Edited extends EditedRecord {
  name: string;
  host: Host;
  values: Texts;
}

async function readEdited(
  request: Request,
  caller: Caller,
  called: string,
): Promise<Edited | Response> {
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
  { edited, form }: { edited: Edited; form: FormData },
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
    const said = changed.length > 0 ? `${now} is saved: ${changed.join(", ")}` : NOTHING;
    return redirect(request, hostPath(host.name), said);
  }
  const { status, version, conflict, refusal } = tried.again;
  const filled =
    status === 412
      ? tried.again.filled
      : await refusedWithNextAddress(caller, changedEntry, { form, refusal });
  return show(request, caller, { filled, host, edited: { ...edited, version }, status, conflict });
}

const NOTHING = "Nothing has changed";

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const id = keyNamed(field(form, "id"));
  const { name, ip, host } = rowOf(await interfaces.find(caller, id));
  // Refuses before the name is typed, not after.
  await interfaces.remove(asDryRun(caller), id);
  const asking = confirmDelete(request, form, {
    called: `the interface ${name} at ${ip}`,
    name,
    kept: [["id", String(id)]],
    impact: await ofInterface(id),
    addresses: 1,
    back: hostPath(host),
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: HOSTS },
      { label: host, href: hostPath(host) },
    ],
  });
  if (asking) return asking;
  await interfaces.remove(caller, id);
  return redirect(request, hostPath(host), `${name} is deleted, ${ip} is free`);
}

// The pages of hosts: some of a host is changed on its page, and several hosts are deleted or moved between groups at once.
import type { TObject } from "@sinclair/typebox";
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { invalid, type Refusal } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import { cname } from "../../../src/network/cnames/cname.ts";
import * as cnames from "../../../src/network/cnames/cnames.ts";
import { impactOfHosts } from "../../../src/network/deletion_impact.ts";
import { varsOf } from "../../../src/network/groups/effective_vars.ts";
import { suggest } from "../../../src/network/hosts/choices.ts";
import { withOwners } from "../../../src/network/hosts/form_checks.ts";
import * as entry from "../../../src/network/hosts/form_input.ts";
import { host as described, type Host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS, viewOf } from "../../../src/network/hosts/view.ts";
import { newName } from "../../../src/network/interfaces/form_input.ts";
import { find } from "../../../src/store/crud.ts";
import { rowOf } from "../../../src/store/records.ts";
import { HeadPicture } from "../../files/picture.tsx";
import { Files, filesOf } from "../../files/section.tsx";
import { redirect, wantsFragment, withUndo } from "../../layout/page.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import { attempt, type Filled, refused } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { field } from "../../request/form_values.ts";
import type { ShownRecord } from "../../resource/hooks.ts";
import { ResourcePages } from "../../resource/pages.tsx";
import type { RecordParts } from "../../resource/view.tsx";
import { CHANGED_MEANWHILE, ENTER_GROUP, NO_CHANGES } from "../../texts.ts";
import { confirmDelete } from "../confirm_delete.tsx";
import { refusedWithNextAddress } from "../connection.tsx";
import { HOSTS, hostPath } from "../paths.ts";
import { moveHosts, removeHosts } from "./bulk.tsx";
import { hostChange, hostCreation, hostForm } from "./form.tsx";
import { OTHER_FIELDS } from "./interfaces.tsx";
import { hostList, hostPosition } from "./list.tsx";
import { HostDetails } from "./page.tsx";

const SEEN_BY_EDITORS = { see: EDITORS } as const;

const pages = new ResourcePages({
  resource: described,
  list: hostList,
  find: hosts.findNamed,
  hasOneAddress: true,
  position: hostPosition,
  view,
  creation: hostCreation,
  change: hostChange,
  form: hostForm,
  refused: refusedWithNextAddress,
  removal: {
    by: { field: "id", find: (caller, text) => find(described, caller, keyNamed(text)) },
    confirm: async (request, caller, { row: { id, name }, form, crumbs }) => {
      // Refuses before the user types the name.
      await hosts.remove(asDryRun(caller), id);
      const impact = await impactOfHosts([id]);
      return confirmDelete(request, form, {
        called: `host ${name}`,
        name,
        impact,
        kept: [["id", String(id)]],
        addresses: impact.interfaces,
        back: hostPath(name),
        crumbs,
      });
    },
    work: hosts.remove,
  },
});

export const hostPages = pages
  .routes()
  .get(
    "/network/_suggest/:kind",
    async ({ caller, params, search }) =>
      Response.json({ data: await suggest(caller, params.kind, search.get("q") ?? "") }),
    { see: "everyone" },
  )
  .post(
    `${HOSTS}/_bulk`,
    ({ request, caller, form }) => removeHosts(request, caller, form),
    SEEN_BY_EDITORS,
  )
  .post(
    `${HOSTS}/_gather`,
    ({ request, caller, form }) => moveHosts(request, caller, form),
    SEEN_BY_EDITORS,
  )
  .post(
    `${HOSTS}/view/:name`,
    ({ request, caller, params, form }) => perform(request, caller, params.name, form),
    SEEN_BY_EDITORS,
  );

async function view({
  request,
  caller,
  row: host,
  version,
  timeline,
  refusal,
  form,
  said,
}: ShownRecord<Host>): Promise<RecordParts> {
  const { id, name, fqdn, is_ioc } = host;
  const [view, vars, held] = await Promise.all([
    viewOf(caller, id, OTHER_FIELDS),
    varsOf(caller, id),
    wantsFragment(request) ? undefined : filesOf(caller, { table: "hosts", id }),
  ]);
  const refusedForms = refusal && form ? refusedIn(form, refusal) : undefined;
  const context = { host: name, version, ...(refusedForms && { refused: refusedForms }) };
  const details = (
    <HostDetails host={host} view={view} vars={rowOf(vars)} timeline={timeline} context={context} />
  );
  return {
    ...(held && { picture: <HeadPicture {...held} /> }),
    heading: (
      <>
        {name} {is_ioc && <span class="tag">IOC</span>}{" "}
        {view.interfaces.some(({ admin_only }) => admin_only) && (
          <span class="tag warn">admins only</span>
        )}
      </>
    ),
    lead: (
      <>
        <span class="mono">{fqdn}</span> <Copy text={fqdn} />
      </>
    ),
    actions: view.mayDelete && (
      <form method="post" action={`${HOSTS}/delete`}>
        <input type="hidden" name="id" value={id} />
        <button type="submit" class="quiet bad">
          <Icon name="trash" /> Delete
        </button>
      </form>
    ),
    mayEdit: view.mayChange,
    body: (
      <>
        {details}
        {held && <Files {...held} />}
        <ApiCall address={`${contextOf(request).origin}/api/v1${HOSTS}/${id}`} />
      </>
    ),
    fragment: (
      <>
        {details}
        {said && <ToastBeside {...said} next={hostPath(name)} />}
      </>
    ),
  };
}

interface SentAction {
  id: number;
  form: FormData;
}

interface HostAction {
  shape: TObject;
  /** The name of the form on the page. */
  form: (form: FormData) => string;
  /** Returns the notice. */
  work: (caller: Caller, sent: SentAction) => Promise<string>;
}

const { changedEntry } = entry;

const describe: HostAction = {
  shape: changedEntry,
  form: () => "describe",
  work: async (caller, { id, form }) => {
    const { description = null } = readFormInput(changedEntry, form);
    const { changed } = await entry.update(caller, id, { description });
    return changed.length > 0 ? "Saved the description" : NO_CHANGES;
  },
};

const joinGroup: HostAction = {
  shape: changedEntry,
  form: () => "join",
  work: async (caller, { id, form }) => {
    const { automation_groups = [] } = readFormInput(changedEntry, form);
    if (automation_groups.length === 0) throw invalid("automation_groups", ENTER_GROUP);
    await entry.update(caller, id, { automation_groups });
    return `Added to ${automation_groups.join(", ")}`;
  },
};

const leaveGroup: HostAction = {
  shape: changedEntry,
  form: () => "join",
  work: async (caller, { id, form }) => {
    const group = field(form, "group");
    await entry.update(caller, id, { automation_groups: [], automation_groups_before: [group] });
    return `Removed from ${group}`;
  },
};

const addCname: HostAction = {
  shape: newName,
  form: (form) => `cname-${field(form, "interface")}`,
  work: async (caller, { form }) => {
    const { name } = readFormInput(newName, form);
    const made = await cnames.create(caller, {
      name,
      interface_id: keyNamed(field(form, "interface")),
    });
    return `Added cname ${rowOf(made).name}`;
  },
};

const removeCname: HostAction = {
  shape: newName,
  form: () => "cname",
  work: async (caller, { form }) => {
    const id = keyNamed(field(form, "cname"));
    const { name } = rowOf(await find(cname, caller, id));
    await cnames.remove(caller, id);
    return `Deleted cname ${name}`;
  },
};

const ACTIONS = new Map<string, HostAction>([
  ["describe", describe],
  ["join_group", joinGroup],
  ["leave_group", leaveGroup],
  ["add_cname", addCname],
  ["remove_cname", removeCname],
]);

async function perform(
  request: Request,
  caller: Caller,
  called: string,
  form: FormData,
): Promise<Response> {
  const { id, name } = rowOf(await hosts.findNamed(caller, called));
  const action = actionIn(form);
  const tried = await attempt(() => action.work(caller, { id, form }));
  if ("refusal" in tried) {
    const refusal = await withOwners(caller, tried.refusal);
    return pages.view(request, caller, name, { form, refusal });
  }
  const said = withUndo(request, tried.done);
  if (!wantsFragment(request)) return redirect(request, hostPath(name), said);
  return pages.view(request, caller, name, { said });
}

function actionIn(form: FormData): HostAction {
  const action = ACTIONS.get(field(form, "action"));
  if (action) return action;
  throw invalid("action", `Use one of ${[...ACTIONS.keys()].join(", ")}`);
}

/** The form of the page that was refused. */
function refusedIn(form: FormData, refusal: Refusal): Record<string, Filled> {
  const action = actionIn(form);
  const filled = refused(action.shape, form, refusal);
  const errors =
    refusal.status === 412 ? [{ field: "description", message: CHANGED_MEANWHILE }] : filled.errors;
  return { [action.form(form)]: { ...filled, errors } };
}

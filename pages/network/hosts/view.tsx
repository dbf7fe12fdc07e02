// GET /network/hosts/view/(name): the page of a host. POST: changes in place; htmx gets the parts that have changed.
import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { timelineOf } from "../../../src/history/history.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { invalid } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as cnames from "../../../src/network/cnames/cnames.ts";
import { varsOf } from "../../../src/network/groups/effective_vars.ts";
import * as entry from "../../../src/network/hosts/form_input.ts";
import { host as described, type Host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS, viewOf } from "../../../src/network/hosts/view.ts";
import { newName } from "../../../src/network/interfaces/form_input.ts";
import { type RecordJson, rowOf } from "../../../src/store/records.ts";
import { fragment, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { attempt, refused as refusedForm } from "../../parts/forms.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { listOf, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { field } from "../../request/form_values.ts";
import type { Notice } from "../../request/frame.ts";
import { guard } from "../../request/guard.ts";
import { CHANGED_MEANWHILE, ENTER_GROUP, NO_CHANGES } from "../../texts.ts";
import { findOrRedirect, hostPath } from "../paths.ts";
import type { HostFormContext } from "./actions.tsx";
import { neighboursInList } from "./hosts.tsx";
import { OTHER_FIELDS } from "./interfaces.tsx";
import { PATH } from "./list.tsx";
import { HostDetails, HostPage, type HostPageProps } from "./page.tsx";

export const hostViewPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get("/view/:name", ({ request, caller, params }) => view(request, caller, params.name), {
    see: "everyone",
  })
  .post(
    "/view/:name",
    async ({ request, caller, params, form }) => {
      const action = ACTIONS.get(field(form, "action"));
      const found = await hosts.findNamed(caller, params.name);
      if (!action) throw invalid("action", `Use one of ${[...ACTIONS.keys()].join(", ")}`);
      return perform(request, caller, { action, found, form });
    },
    { see: EDITORS },
  );

async function view(request: Request, caller: Caller, called: string): Promise<Response> {
  const find = (one: string) => hosts.findNamed(caller, one);
  const found = await findOrRedirect(request, {
    table: "hosts",
    name: called,
    find,
    pathOf: hostPath,
  });
  if (found instanceof Response) return found;
  const { name } = rowOf(found);
  return name === called ? show(request, caller, { found }) : redirect(request, hostPath(name));
}

interface HostViewState {
  found: RecordJson<Host>;
  status?: number;
  refused?: HostFormContext["refused"];
  said?: Notice;
}

async function show(request: Request, caller: Caller, state: HostViewState): Promise<Response> {
  const { found, status, refused, said } = state;
  const host = rowOf(found);
  const [view, vars, timeline] = await Promise.all([
    viewOf(caller, host.id, OTHER_FIELDS),
    varsOf(caller, host.id),
    timelineOf(caller, { table: "hosts", id: host.id }),
  ]);
  const props: HostPageProps = {
    host,
    view,
    vars: rowOf(vars),
    timeline,
    context: { host: host.name, version: found.version, refused },
    mayAdd: view.mayChange,
  };
  if (wantsFragment(request)) {
    const body = (
      <>
        <HostDetails {...props} />
        {said && <ToastBeside {...said} next={hostPath(host.name)} />}
      </>
    );
    return fragment(request, body, { status });
  }
  const api = `${contextOf(request).origin}/api/v1${PATH}/${host.id}`;
  const place = await placeIn(request.url, (list) => neighboursInList(caller, host.id, list));
  const list = listOf(PATH, request.url);
  return page(request, {
    title: host.name,
    status,
    crumbs: [{ label: "Network" }, { label: "Hosts", href: list }, { label: host.name }],
    live: liveRecord(described, host.id),
    body: <HostPage {...props} api={api} place={place} />,
  });
}

interface FormRequest {
  id: number;
  form: FormData;
}

interface HostAction {
  shape: TObject;
  /** The name of the form on the page. */
  form: (form: FormData) => string;
  /** Returns the notice. */
  work: (caller: Caller, sent: FormRequest) => Promise<string>;
}

const { changedEntry } = entry;

const describe: HostAction = {
  shape: changedEntry,
  form: () => "describe",
  work: async (caller, { id, form }) => {
    const { description = null } = readFormInput(changedEntry, form);
    const { changed } = await entry.update(caller, id, { description });
    return changed.length > 0 ? "Description saved" : NO_CHANGES;
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
    const { name } = rowOf(await cnames.find(caller, id));
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

interface ActionRequest {
  action: HostAction;
  found: RecordJson<Host>;
  form: FormData;
}

async function perform(
  request: Request,
  caller: Caller,
  { action, found, form }: ActionRequest,
): Promise<Response> {
  const { id, name } = rowOf(found);
  const tried = await attempt(() => action.work(caller, { id, form }));
  const now = await hosts.findNamed(caller, name);
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refusedForm(action.shape, form, refusal);
    const errors =
      refusal.status === 412
        ? [{ field: "description", message: CHANGED_MEANWHILE }]
        : filled.errors;
    const refused = { [action.form(form)]: { ...filled, errors } };
    return show(request, caller, { found: now, status: refusal.status, refused });
  }
  const said = { text: tried.done };
  if (!wantsFragment(request)) return redirect(request, hostPath(name), said);
  return show(request, caller, { found: now, said });
}

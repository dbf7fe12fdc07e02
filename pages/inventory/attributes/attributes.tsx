// GET and POST /inventory/attributes/(kind): the list, the row that adds one, and a panel for the selected one. GET
// …/(kind)/(name): the page of one.

import { Elysia } from "elysia";
import { type Caller, may, permit } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { timelineOf } from "../../../src/history/history.ts";
import * as answer from "../../../src/http/answers.ts";
import { invalid } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import { type AttributeKind, kindNamed } from "../../../src/inventory/attributes/attribute.ts";
import * as attributes from "../../../src/inventory/attributes/attributes.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { markWritable } from "../../../src/store/rights/check.ts";
import { defaultTexts, textsIn } from "../../../src/store/versions.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { isHtmx, page, redirect, withUndo } from "../../layout/page.tsx";
import type { EditConflict } from "../../parts/conflict.tsx";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { RecordList } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import { save } from "../../resource/save.ts";
import { added, CODE_STOPS_WORKING, deleted, inTitle, reasonsOf, saved } from "../../texts.ts";
import { AttributesPage, attributeList } from "./list.tsx";
import { viewAttribute } from "./page.tsx";
import type { AttributesPageProps, Selected } from "./panel.tsx";

const REMOVERS = ["admin"] as const;

function pagesOf(of: AttributeKind) {
  const path = pathOf(of);
  return new ResourcePages({
    resource: of.resource,
    path,
    viewPath: path,
    find: (caller, name) => attributes.findNamed(caller, of, name),
    view: (shown) => viewAttribute(of, shown),
  });
}

export const attributePages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(guard)
  .get(
    "/attributes/:kind",
    ({ request, caller, params, search }) =>
      show(request, { caller, of: kindNamed(params.kind), params: search }),
    { see: "everyone" },
  )
  .post(
    "/attributes/:kind",
    ({ request, caller, params, search, form }) => {
      const pageRequest = { caller, of: kindNamed(params.kind), params: search };
      const action = actions.get(field(form, "action") || "create");
      if (!action) throw invalid("action", "Use create, update or delete");
      return action(request, pageRequest, form);
    },
    { see: INVENTORY_EDITORS },
  )
  .get(
    "/attributes/:kind/:name",
    ({ request, caller, params, search }) =>
      pagesOf(kindNamed(params.kind)).view(request, caller, params.name, { search }),
    { see: "everyone" },
  )
  .get(
    "/_retrieve_attributes/:kind",
    ({ request, caller, params, search }) => {
      const pageRequest = { caller, of: kindNamed(params.kind), params: search };
      return isHtmx(request) ? show(request, pageRequest) : retrieve(request, pageRequest);
    },
    { see: "everyone" },
  );

interface PageRequest {
  caller: Caller;
  of: AttributeKind;
  params: URLSearchParams;
}

type FormAction = (request: Request, pageRequest: PageRequest, form: FormData) => Promise<Response>;

const actions = new Map<string, FormAction>(Object.entries({ create, update, delete: remove }));

async function show(
  request: Request,
  pageRequest: PageRequest,
  outcome: AttributesPageState = {},
): Promise<Response> {
  const { caller, of, params } = pageRequest;
  const { created, changed } = attributes.shapesOf(of);
  const adding = outcome.adding ?? blank(created, defaultTexts(of.resource));
  const place = { resource: of.resource, path: pathOf(of), list: attributeList(of, adding) };
  const read = await place.list.read(caller, params);
  const id = outcome.id ?? Number(params.get("selected") ?? 0);
  const selected = id > 0 ? await readSelected(caller, of, id) : undefined;
  const shown: AttributesPageProps = {
    ...read,
    of,
    place,
    path: place.path,
    params,
    rows: await markWritable(caller, of.plural, rowsOf(read.listed)),
    selected: selected?.record.id,
    opened: selected,
    adding,
    changing:
      outcome.changing ??
      (selected && blank(changed, textsIn(selected.record, Object.keys(changed.properties)))),
    version: outcome.version ?? selected?.version,
    conflict: outcome.conflict,
    refused: outcome.refused,
    mayEdit: may(caller, of.resource.editors),
    mayDelete: of.name !== "action" && may(caller, REMOVERS),
  };
  const title = inTitle(of.plural);
  return page(request, {
    title,
    crumbs: [{ label: "Inventory" }, { label: title }],
    status: outcome.status,
    body: <AttributesPage {...shown} />,
    fragment: <RecordList place={place} shown={shown} />,
  });
}

/** How the page is shown after a write that was refused. */
interface AttributesPageState {
  status?: number;
  id?: number;
  adding?: Filled;
  changing?: Filled;
  version?: number;
  conflict?: EditConflict;
  refused?: AttributesPageProps["refused"];
}

async function retrieve(request: Request, { caller, of, params }: PageRequest): Promise<Response> {
  const listed = await attributes.listRows(caller, of, readTyped(params));
  return answer.list(request, { ...listed, json: `{"data":${listed.json}}` });
}

async function create(
  request: Request,
  pageRequest: PageRequest,
  form: FormData,
): Promise<Response> {
  const { caller, of } = pageRequest;
  refuseActions(of);
  permit(caller, of.resource.editors, true);
  const { created } = attributes.shapesOf(of);
  const tried = await attempt(async () =>
    attributes.create(caller, of, readFormInput(created, form)),
  );
  if ("refusal" in tried) {
    return show(request, pageRequest, {
      status: 422,
      adding: refused(created, form, tried.refusal),
    });
  }
  const { id, name } = rowOf(tried.done);
  const to = form.has("again") ? addressOf(pageRequest) : addressOf(pageRequest, { selected: id });
  return redirect(request, to, withUndo(request, added(name)));
}

async function update(
  request: Request,
  pageRequest: PageRequest,
  form: FormData,
): Promise<Response> {
  const { caller, of } = pageRequest;
  refuseActions(of);
  permit(caller, of.resource.editors, true);
  const found = await attributes.find(caller, of, keyNamed(field(form, "id")));
  const record = rowOf(found);
  const { id } = record;
  const { changed } = attributes.shapesOf(of);
  const tried = await save(caller, {
    form,
    edited: {
      id,
      version: found.version,
      values: textsIn(record, Object.keys(changed.properties)),
    },
    resource: of.resource,
    shape: changed,
    work: (as, input) => attributes.update(as, { of, id }, input),
  });
  if ("refused" in tried) {
    const { filled: changing, status, version, conflict } = tried.refused;
    return show(request, pageRequest, { status, id, changing, version, conflict });
  }
  return redirect(
    request,
    addressOf(pageRequest, { selected: id }),
    withUndo(request, saved(rowOf(tried.done).name)),
  );
}

async function remove(
  request: Request,
  pageRequest: PageRequest,
  form: FormData,
): Promise<Response> {
  const { caller, of } = pageRequest;
  permit(caller, REMOVERS, true);
  refuseActions(of);
  const { id, name } = rowOf(await attributes.find(caller, of, keyNamed(field(form, "id"))));
  const back = addressOf(pageRequest, { selected: id });
  const question = {
    title: `Delete ${name}?`,
    detail: CODE_STOPS_WORKING,
    verb: "Delete",
    back,
  };
  const confirmation = confirmFirst(request, form, question);
  if (confirmation) return confirmation;
  const tried = await attempt(() => attributes.remove(caller, of, id));
  if ("refusal" in tried) {
    const message = reasonsOf(tried.refusal.errors);
    return show(request, pageRequest, { status: 422, id, refused: { id, message } });
  }
  return redirect(
    request,
    addressOf(pageRequest, { selected: null }),
    withUndo(request, deleted(name)),
  );
}

/** Actions are implemented by the scan desk, so they cannot be edited. */
function refuseActions(of: AttributeKind): void {
  if (of.name === "action") throw invalid("kind", "Actions are built in and cannot be changed");
}

async function readSelected(caller: Caller, of: AttributeKind, id: number): Promise<Selected> {
  const [found, timeline] = await Promise.all([
    attributes.find(caller, of, id),
    timelineOf(caller, { table: of.plural, id }),
  ]);
  return { record: rowOf(found), version: found.version, timeline };
}

function addressOf(
  { of, params }: PageRequest,
  changes: Record<string, number | null> = {},
): string {
  return withParams(pathOf(of), params, changes);
}

function pathOf({ name }: AttributeKind): string {
  return `/inventory/attributes/${name}`;
}

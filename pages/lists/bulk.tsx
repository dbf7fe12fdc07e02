// POST /lists/change and /lists/delete: one change for many records of a list, or the deletion of those that are not in
// use. The first request previews it as a dry run; the second one applies it as one change set.
import { Elysia } from "elysia";
import { asDryRun, type Caller, permit } from "../../src/auth/auth.ts";
import { type FieldError, invalid } from "../../src/input/errors.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as bulk from "../../src/store/bulk.ts";
import * as records from "../../src/store/records.ts";
import { page, redirect } from "../layout/page.tsx";
import { attempt, type Filled } from "../parts/forms.tsx";
import { field, keysIn } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { inTitle, NO_CHANGES } from "../texts.ts";
import { type BulkAction, BulkChangePage, countIn } from "./bulk_page.tsx";
import { requireList } from "./views.tsx";

const EDITORS = ["inventory", "network", "admin"] as const;

export const listBulkPages = new Elysia({ prefix: "/lists", normalize: false })
  .use(guard)
  .post(
    "/change",
    ({ request, caller, form }) => start(request, caller, { form, action: CHANGE }),
    {
      see: EDITORS,
    },
  )
  .post(
    "/delete",
    ({ request, caller, form }) => start(request, caller, { form, action: DELETE }),
    {
      see: EDITORS,
    },
  );

const CHANGE: BulkAction = "change";
const DELETE: BulkAction = "delete";
/** Parameters that change how a list is displayed, but not which records it selects. */
const DISPLAY = ["page", "per_page", "cols", "selected", "sort"];

interface BulkRequest {
  form: FormData;
  action: BulkAction;
}

interface BulkSelection extends BulkRequest {
  list: string;
  area: bulk.BulkArea;
  rows: bulk.SelectedRecord[];
}

async function start(request: Request, caller: Caller, sent: BulkRequest): Promise<Response> {
  const { form, action } = sent;
  const list = field(form, "list");
  const { bulk: area, resource, query, read } = requireList(list);
  if (!area || (action === DELETE && !area.remove)) {
    throw invalid("list", `Change ${resource.plural} one by one`);
  }
  const { editors, removers = editors } = resource;
  permit(caller, action === DELETE ? removers : editors, true);
  const keys = form.has("all")
    ? await records.keys(await query(caller), withoutDisplay(read(filterIn(form))))
    : keysIn(form, resource.plural);
  const rows = await bulk.selectedRecords(caller, resource, keys);
  const work: BulkSelection = { ...sent, list, area, rows };
  if (action === CHANGE && !form.has("step")) return show(request, work);
  const isPreviewed = field(form, "seen") === fingerprintOf(work);
  if (field(form, "step") !== "apply" || !isPreviewed) {
    return preview(request, caller, { ...work, isChangedSince: field(form, "step") === "apply" });
  }
  const tried = await attempt(async () => run(caller, work));
  if ("refusal" in tried) return show(request, work, { errors: tried.refusal.errors });
  const { changed, change_set } = tried.done;
  if (changed === 0) return redirect(request, listLinkOf(work), NO_CHANGES);
  const done = `${action === DELETE ? "Deleted" : "Changed"} ${countIn(resource, changed)}`;
  return redirect(request, `/changes/${change_set}`, done);
}

async function preview(
  request: Request,
  caller: Caller,
  work: BulkSelection & { isChangedSince: boolean },
): Promise<Response> {
  const tried = await attempt(async () => run(asDryRun(caller), work));
  if ("refusal" in tried) return show(request, work, { errors: tried.refusal.errors });
  return show(request, work, { outcome: tried.done, isChangedSince: work.isChangedSince });
}

function run(
  caller: Caller,
  { area, rows, form, action }: BulkSelection,
): Promise<bulk.BulkOutcome> {
  if (action === DELETE) return bulk.remove(caller, area, rows);
  return bulk.change(caller, area, {
    rows,
    input: readFormInput(bulk.sharedFields(area.resource), form),
  });
}

interface PreviewState {
  errors?: FieldError[];
  outcome?: bulk.BulkOutcome;
  isChangedSince?: boolean;
}

function show(
  request: Request,
  work: BulkSelection,
  { errors = [], outcome, isChangedSince = false }: PreviewState = {},
): Response {
  const { area, rows, form, action } = work;
  const { plural } = area.resource;
  const title = `${action === DELETE ? "Delete" : "Change"} selected ${plural}`;
  const shape = bulk.sharedFields(area.resource);
  const values = Object.fromEntries(
    Object.keys(shape.properties).map((name) => [name, field(form, name)]),
  );
  const filled: Filled = { shape, values, errors };
  const back = listLinkOf(work);
  return page(request, {
    title,
    status: errors.length > 0 || isChangedSince ? 422 : 200,
    crumbs: [
      { label: inTitle(work.list.split("/")[1] ?? "") },
      { label: inTitle(plural), href: back },
      { label: title },
    ],
    body: (
      <BulkChangePage
        title={title}
        resource={area.resource}
        action={action}
        rows={rows}
        filled={filled}
        outcome={outcome}
        isChangedSince={isChangedSince}
        back={back}
        hiddenFields={hiddenFieldsOf(work)}
      />
    ),
  });
}

/** The hidden fields that carry the selection from step to step. */
function hiddenFieldsOf(work: BulkSelection): Array<[name: string, value: string]> {
  const { form, list, rows } = work;
  return [
    ["list", list],
    ["filter", filterIn(form).toString()],
    ["seen", fingerprintOf(work)],
    ...rows.map(({ id }): [string, string] => ["id", String(id)]),
  ];
}

/** A fingerprint of the records and the values. Only a change that was previewed is applied. */
function fingerprintOf({ form, area, rows, action }: BulkSelection): string {
  const names = Object.keys(bulk.sharedFields(area.resource).properties);
  const texts = names.map((name) => field(form, name));
  return Bun.hash(JSON.stringify([action, rows.map(({ id }) => id), texts])).toString(36);
}

function withoutDisplay(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => !DISPLAY.includes(name)));
}

function filterIn(form: FormData): URLSearchParams {
  return new URLSearchParams(field(form, "filter"));
}

function listLinkOf({ list, form }: Pick<BulkSelection, "list" | "form">): string {
  return withParams(list, filterIn(form), {});
}

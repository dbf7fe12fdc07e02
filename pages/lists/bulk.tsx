// POST /lists/change and /lists/delete: one change for many records of a list, or the deletion of those that are not in
// use. The first request previews it as a dry run; the second one applies it as one change set.

import { Elysia } from "elysia";
import { asDryRun, type Caller, permit } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS, NETWORK_EDITORS } from "../../src/auth/rights.ts";
import { type FieldError, invalid } from "../../src/input/errors.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as bulk from "../../src/store/bulk.ts";
import * as records from "../../src/store/records.ts";
import { page, redirect } from "../layout/page.tsx";
import { attempt, type Filled } from "../parts/forms.tsx";
import { allLines, field, keysIn, siteInputsIn } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { inTitle, NO_CHANGES } from "../texts.ts";
import { type BulkAction, BulkChangePage, countIn } from "./bulk_page.tsx";
import { type ListSource, requireList } from "./sources.ts";

const EDITORS = [...INVENTORY_EDITORS, ...NETWORK_EDITORS];

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
  source: ListSource;
  area: bulk.BulkArea;
  rows: bulk.SelectedRecord[];
}

async function start(request: Request, caller: Caller, sent: BulkRequest): Promise<Response> {
  const { form, action } = sent;
  const list = field(form, "list");
  const source = requireList(caller, list);
  const { bulk: area, resource, query, read } = source;
  if (!area || !(action === DELETE ? area.remove : bulk.mayChange(area))) {
    throw invalid("list", `Change ${resource.plural} one by one`);
  }
  const { editors, removers = editors } = resource;
  permit(caller, action === DELETE ? removers : editors, true);
  const keys = form.has("all")
    ? await records.keys(await query(caller), withoutDisplay(read(filterIn(form))))
    : keysIn(form, resource.plural);
  const rows = await bulk.selectedRecords(caller, resource, keys);
  const work: BulkSelection = { ...sent, list, source, area, rows };
  if (action === CHANGE && !form.has("step")) return show(request, work);
  if (field(form, "step") !== "apply") return preview(request, caller, work);
  return apply(request, caller, work);
}

async function apply(request: Request, caller: Caller, work: BulkSelection): Promise<Response> {
  const { area, action, form } = work;
  const [seen, versions] = field(form, "seen").split("-");
  if (seen !== fingerprintOf(work)) return preview(request, caller, work, 422);
  if (versions !== versionsOf(work)) return preview(request, caller, work, 412);
  const tried = await attempt(async () => run(caller, work));
  if ("refusal" in tried) {
    const { status, errors } = tried.refusal;
    if (status !== 412) return show(request, work, { errors });
    // One of them was changed after they were read above.
    const keys = work.rows.map(({ id }) => id);
    const rows = await bulk.selectedRecords(caller, area.resource, keys);
    return preview(request, caller, { ...work, rows }, 412);
  }
  const { changed, change_set } = tried.done;
  if (changed === 0) return redirect(request, listLinkOf(work), NO_CHANGES);
  const text = `${action === DELETE ? "Deleted" : "Changed"} ${countIn(area.resource, changed)}`;
  return redirect(request, listLinkOf(work), { text, undo: change_set });
}

/** The status is not 200 if the records or the values have changed since the last preview. */
async function preview(
  request: Request,
  caller: Caller,
  work: BulkSelection,
  status: BulkPreviewState["status"] = 200,
): Promise<Response> {
  const tried = await attempt(async () => run(asDryRun(caller), work));
  if ("refusal" in tried) return show(request, work, { errors: tried.refusal.errors });
  const outcome = tried.done;
  const notDeleted = new Set(outcome.notDeleted.map(({ id }) => id));
  const gone = work.rows.map(({ id }) => id).filter((id) => !notDeleted.has(id));
  const isLoss = work.action === DELETE && gone.length > 0;
  const losses = isLoss ? await work.source.losses?.(caller, gone) : [];
  return show(request, work, { outcome, losses, status });
}

function run(
  caller: Caller,
  { area, rows, form, action }: BulkSelection,
): Promise<bulk.BulkOutcome> {
  if (action === DELETE) return bulk.remove(caller, area, rows);
  return bulk.change(caller, area, {
    rows,
    input: readFormInput(bulk.bulkShape(area), form),
  });
}

interface BulkPreviewState {
  errors?: FieldError[];
  outcome?: bulk.BulkOutcome;
  /** What else a deletion changes. */
  losses?: string[] | undefined;
  status?: 200 | 412 | 422;
}

function show(
  request: Request,
  work: BulkSelection,
  { errors = [], outcome, losses = [], status = 200 }: BulkPreviewState = {},
): Response {
  const { area, rows, source, form, action } = work;
  const { plural } = area.resource;
  const title = `${action === DELETE ? "Delete" : "Change"} selected ${plural}`;
  const filled: Filled = { shape: bulk.bulkShape(area), values: textsIn(form, area), errors };
  const back = listLinkOf(work);
  return page(request, {
    title,
    status: errors.length > 0 ? 422 : status,
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
        isOwned={source.isOwned === true}
        filled={filled}
        outcome={outcome}
        losses={losses}
        isChangedSince={status !== 200}
        back={back}
        hiddenFields={hiddenFieldsOf(work)}
      />
    ),
  });
}

function textsIn(form: FormData, area: bulk.BulkArea): Record<string, string> {
  const names = [...Object.keys(bulk.bulkShape(area).properties), ...siteInputsIn(form)];
  return Object.fromEntries(names.map((name) => [name, allLines(form, name)]));
}

/** The hidden fields that carry the selection from step to step. */
function hiddenFieldsOf(work: BulkSelection): Array<[name: string, value: string]> {
  const { form, list, rows } = work;
  return [
    ["list", list],
    ["filter", filterIn(form).toString()],
    ["seen", `${fingerprintOf(work)}-${versionsOf(work)}`],
    ...rows.map(({ id }): [string, string] => ["id", String(id)]),
  ];
}

/** A fingerprint of the records and the values. Only a change that was previewed is applied. */
function fingerprintOf({ form, area, rows, action }: BulkSelection): string {
  const ids = rows.map(({ id }) => id);
  return hashOf([action, ids, Object.values(textsIn(form, area))]);
}

/** A fingerprint of the versions: records that others changed since are previewed again. */
function versionsOf({ rows }: BulkSelection): string {
  return hashOf(rows.map(({ version }) => version));
}

function hashOf(values: unknown[]): string {
  return Bun.hash(JSON.stringify(values)).toString(36);
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

// The pages of an import. GET and POST (list)/import: uploads a file or pasted rows. GET and POST (list)/import/(id):
// previews, corrects and applies its rows.
import { Elysia } from "elysia";
import type { Allowed, Caller } from "../../src/auth/auth.ts";
import * as files from "../../src/import/files.ts";
import type { ImportRow } from "../../src/import/import.ts";
import { isLong, jobOf, requestApply, requestCheck } from "../../src/import/jobs.ts";
import type { RowVerdict } from "../../src/import/verdicts.ts";
import { type FieldError, invalid } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { isOpen } from "../jobs/progress.tsx";
import { confirmFirst } from "../layout/confirm.tsx";
import { fragment, isHtmx, page, redirect, wantsFragment } from "../layout/page.tsx";
import { attempt } from "../parts/forms.tsx";
import { field, textsOf } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { ColumnsForm } from "./columns_form.tsx";
import { type ImportPages, type ImportSubject, importPath } from "./kind.ts";
import { ImportPage, template } from "./page.tsx";
import { Checking, DISCARD, Preview, PreviewPage, previewPath, VerdictList } from "./preview.tsx";
import { type ImportPreview, importPreview } from "./shown_rows.ts";

/** Longer files are checked after the page is shown, shorter ones with it, and very long ones by a job. */
const QUICK = 500;

/** The routes; `editors` may import. */
export function importRoutes<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  editors: Allowed,
) {
  const see = editors;
  const known = (caller: Caller) => ({ ...of, importer: of.importer.forCaller(caller) });
  return new Elysia({ prefix: importPath(of), normalize: false })
    .use(guard)
    .get("/", ({ request, caller }) => showUpload(known(caller), request, caller), { see })
    .post("/", ({ request, caller, form }) => upload(known(caller), request, caller, form), { see })
    .get("/template.csv", ({ caller }) => template(known(caller)), { see })
    .get(
      "/:id",
      async ({ request, caller, params, search }) => {
        const file = await files.find(of.importer, caller, keyNamed(params.id));
        return show(known(caller), request, caller, { file, params: search });
      },
      { see },
    )
    .post(
      "/:id",
      ({ request, caller, params, form }) =>
        change(known(caller), request, caller, { id: keyNamed(params.id), form }),
      { see },
    );
}

/** What was sent and refused. */
interface RefusedUpload {
  errors: FieldError[];
  pasted: string;
}

async function showUpload(
  of: ImportSubject,
  request: Request,
  caller: Caller,
  { errors, pasted }: RefusedUpload = { errors: [], pasted: "" },
): Promise<Response> {
  const waiting = await files.list(of.importer, caller);
  return page(request, {
    title: `Import ${of.importer.kind}`,
    status: errors.length > 0 ? 422 : 200,
    crumbs: [...of.crumbs, { label: "Import" }],
    body: <ImportPage of={of} errors={errors} pasted={pasted} waiting={waiting} />,
  });
}

async function upload<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  request: Request,
  caller: Caller,
  form: FormData,
): Promise<Response> {
  const tried = await attempt(async () => files.store(of.importer, caller, await fileIn(form)));
  if ("done" in tried) {
    const unknown = files.unknownColumns(of.importer, tried.done);
    if (unknown.length === 0) {
      await checkIfLong(of, caller, tried.done.id);
      return redirect(request, previewPath(of, tried.done));
    }
    const message = "This column is not known; choose what it holds, or leave it out";
    const errors = unknown.map(({ key: field }) => ({ field, message }));
    const file = await files.find(of.importer, caller, tried.done.id);
    return show(of, request, caller, { file, params: new URLSearchParams(), errors });
  }
  const { errors } = tried.refusal;
  return showUpload(of, request, caller, { errors, pasted: field(form, "text") });
}

async function checkIfLong(of: ImportSubject, caller: Caller, id: number): Promise<void> {
  const file = await files.find(of.importer, caller, id);
  if (isLong(file)) await requestCheck(of.importer, caller, file);
}

/** The chosen file, else the pasted rows. Browsers send an empty file if none is chosen. */
async function fileIn(form: FormData): Promise<{ name: string; bytes: Uint8Array }> {
  const file = form.get("file");
  const text = field(form, "text");
  const isChosen = file instanceof File && (file.name !== "" || file.size > 0);
  if (isChosen && (file.size > 0 || text.trim() === "")) {
    return { name: file.name, bytes: await file.bytes() };
  }
  if (text.trim() === "") throw invalid("file", "Choose a file");
  return { name: "pasted rows", bytes: new TextEncoder().encode(text) };
}

interface ImportRequest<Verdict extends RowVerdict> {
  file: files.FileWithVerdicts<Verdict>;
  params: URLSearchParams;
  errors?: FieldError[];
  /** What unknown columns were assigned to, if that was refused. */
  chosen?: Record<string, string>;
}

async function show<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  request: Request,
  caller: Caller,
  { file: found, params, errors = [], chosen }: ImportRequest<Verdict>,
): Promise<Response> {
  const isKnown = files.unknownColumns(of.importer, found).length === 0;
  const job = isLong(found) ? await jobOf(of.importer, caller, found) : undefined;
  // The job may have ended since the file was read.
  const file = job && !isOpen(job) ? await files.find(of.importer, caller, found.id) : found;
  const isFirst = !isHtmx(request) && !params.has("checked") && errors.length === 0;
  const waits = isLong(file)
    ? (job && isOpen(job)) || file.verdicts === undefined
    : file.rows.length > QUICK && isFirst;
  const failed = job?.status === "failed" ? [{ field: "rows", message: job.message ?? "" }] : [];
  const shown =
    waits || !isKnown
      ? undefined
      : await readPreview(of, caller, { file, params, errors: [...failed, ...errors] });
  const status = errors.length > 0 ? 422 : 200;
  if (isKnown && wantsFragment(request)) {
    if (!shown) return fragment(request, <Checking {...{ of, file, params, job }} />, { status });
    const isList = request.headers.get("hx-target")?.endsWith("#list");
    const part = isList ? <VerdictList {...shown} /> : <Preview {...shown} />;
    return fragment(request, part, { status });
  }
  const title = `Import ${file.file_name}`;
  return page(request, {
    title,
    status,
    crumbs: [...of.crumbs, { label: "Import", href: importPath(of) }, { label: file.file_name }],
    body: (
      <PreviewPage of={of} title={title} file={file}>
        {!isKnown && <ColumnsForm of={of} file={file} errors={errors} chosen={chosen} />}
        {isKnown && !shown && <Checking {...{ of, file, params, job }} isWhole />}
        {shown && <Preview {...shown} />}
      </PreviewPage>
    ),
  });
}

async function readPreview<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  caller: Caller,
  { file, params, errors = [] }: ImportRequest<Verdict>,
): Promise<ImportPreview<Verdict>> {
  const [verdicts, suggested, done] = await Promise.all([
    verdictsOf(of, caller, file),
    of.namesFor(caller),
    appliedBy(of, caller, file.change_set),
  ]);
  return importPreview({ of, file, params, errors, verdicts, suggested, done });
}

function verdictsOf<Verdict extends RowVerdict>(
  { importer }: ImportPages<Verdict>,
  caller: Caller,
  { rows, verdicts }: files.FileWithVerdicts<Verdict>,
): Verdict[] | Promise<Verdict[]> {
  if (rows.length === 0) return [];
  return verdicts ?? importer.check(caller, rows);
}

async function appliedBy(
  of: ImportSubject,
  caller: Caller,
  change_set: number | null,
): Promise<ImportPreview["done"]> {
  if (change_set === null) return undefined;
  const text = await of.appliedBy(caller, change_set);
  return text === undefined ? undefined : { change_set, text };
}

interface FormRequest {
  id: number;
  form: FormData;
}

async function change<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  request: Request,
  caller: Caller,
  { id, form }: FormRequest,
): Promise<Response> {
  const { importer } = of;
  const path = `${importPath(of)}/${id}`;
  const params = viewIn(form);
  const action = field(form, "action");
  if (action === "discard") return discard(of, request, caller, { id, form });
  if (action === "assign") {
    const chosen = textsOf(form);
    const tried = await attempt(() => files.assign(importer, caller, id, chosen));
    if (!("refusal" in tried)) {
      await checkIfLong(of, caller, id);
      return redirect(request, path);
    }
    const file = await files.find(importer, caller, id);
    return show(of, request, caller, { file, params, errors: tried.refusal.errors, chosen });
  }
  if (action === "check") {
    await checkIfLong(of, caller, id);
    return redirect(request, path);
  }
  if (action === "all" || action === "good") {
    const state = Number(field(form, "state")) || 0;
    const seen = field(form, "seen") || undefined;
    const review = { mode: action, state, seen } as const;
    const tried = await attempt(async () => {
      const isByJob = isLong(await files.find(importer, caller, id));
      return isByJob
        ? requestApply(importer, caller, id, review)
        : files.apply(importer, caller, id, review);
    });
    if (!("refusal" in tried)) return redirect(request, path);
    const file = await files.find(importer, caller, id);
    return show(of, request, caller, { file, params, errors: tried.refusal.errors });
  }
  const typed = action === "update" ? await existingInstead(of, caller, id) : correctionsIn(form);
  const corrected = { typed, left: skippedIn(form) };
  await files.correct(importer, caller, id, corrected);
  await checkIfLong(of, caller, id);
  if (!isHtmx(request)) return redirect(request, withParams(path, params, {}));
  return show(of, request, caller, { file: await files.find(importer, caller, id), params });
}

/** The rows that are probably records that exist, as changes of those. */
async function existingInstead<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  caller: Caller,
  id: number,
): Promise<ImportRow[]> {
  const verdicts = await verdictsOf(of, caller, await files.find(of.importer, caller, id));
  return verdicts.flatMap(({ line, warnings = [] }) =>
    warnings.flatMap(({ instead }) => (instead ? [{ line, fields: instead }] : [])),
  );
}

async function discard(
  of: ImportSubject,
  request: Request,
  caller: Caller,
  { id, form }: FormRequest,
): Promise<Response> {
  const file = await files.find(of.importer, caller, id);
  const question = confirmFirst(request, form, { ...DISCARD, back: previewPath(of, file) });
  if (question) return question;
  await files.remove(of.importer, caller, id);
  return redirect(request, importPath(of), `Discarded ${file.file_name}`);
}

/** The parameters of the shown list. */
function viewIn(form: FormData): URLSearchParams {
  const names = ["verdict", "checked", "page", "per_page", "cols"];
  return new URLSearchParams(
    names.flatMap((name) => form.getAll(name).map((value) => [name, String(value)])),
  );
}

/** Fields are named by their line: 7.location. */
function correctionsIn(form: FormData): ImportRow[] {
  const rows = new Map<number, ImportRow["fields"]>();
  for (const [name, value] of form) {
    const [, line, column] = /^([1-9][0-9]{0,8})\.([\w.]+)$/.exec(name) ?? [];
    if (!line || !column || typeof value !== "string") continue;
    const fields = rows.get(Number(line)) ?? {};
    fields[column] = cleaned(value);
    rows.set(Number(line), fields);
  }
  return [...rows].map(([line, fields]) => ({ line, fields }));
}

// PostgreSQL refuses some characters, which would fail before the row is checked.
function cleaned(value: string): string {
  return value.toWellFormed().replaceAll("\0", "\u0001").replaceAll("\r\n", "\n").trim();
}

function skippedIn(form: FormData): number[] {
  return form
    .getAll("leave")
    .map(String)
    .filter((line) => /^[1-9][0-9]{0,8}$/.test(line))
    .map(Number);
}

// GET and POST /inventory/items/import: uploads a file of items. GET and POST /inventory/items/import/(id): previews,
// corrects and applies its rows.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { type FieldError, invalid } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import * as files from "../../../src/inventory/import/files.ts";
import * as imports from "../../../src/inventory/import/import.ts";
import { choices } from "../../../src/inventory/items/choices.ts";
import * as scan_apply from "../../../src/inventory/scan/apply.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { fragment, isHtmx, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { attempt } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { EDITORS } from "../items/items.tsx";
import { PATH } from "../items/list.tsx";
import { IMPORT, ImportPage, template } from "./page.tsx";
import { DISCARD, Preview, PreviewPage, previewPath, VerdictList } from "./preview.tsx";
import { type ImportPreview, previewOf } from "./shown_rows.ts";

/** Longer files are checked after the page is shown, shorter ones with it. */
const LONG = 500;

export const importPages = new Elysia({ prefix: IMPORT, normalize: false })
  .use(guard)
  .get("/", ({ request, caller }) => showUpload(request, caller, []), { see: EDITORS })
  .post("/", ({ request, caller, form }) => upload(request, caller, form), { see: EDITORS })
  .get("/template.csv", () => template(), { see: EDITORS })
  .get(
    "/:id",
    async ({ request, caller, params, search }) => {
      const file = await files.find(caller, keyNamed(params.id));
      return show(request, caller, { file, params: search });
    },
    { see: EDITORS },
  )
  .post(
    "/:id",
    ({ request, caller, params, form }) =>
      change(request, caller, { id: keyNamed(params.id), form }),
    { see: EDITORS },
  );

async function showUpload(
  request: Request,
  caller: Caller,
  errors: FieldError[],
): Promise<Response> {
  return page(request, {
    title: "Import items",
    status: errors.length > 0 ? 422 : 200,
    crumbs: [{ label: "Inventory" }, { label: "Items", href: PATH }, { label: "Import" }],
    body: <ImportPage errors={errors} waiting={await files.list(caller)} />,
  });
}

async function upload(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => files.store(caller, await fileIn(form)));
  if ("refusal" in tried) return showUpload(request, caller, tried.refusal.errors);
  return redirect(request, `${IMPORT}/${tried.done}`);
}

async function fileIn(form: FormData): Promise<{ name: string; bytes: Uint8Array }> {
  const file = form.get("file");
  if (!(file instanceof File) || (file.name === "" && file.size === 0)) {
    throw invalid("file", "Choose a file");
  }
  return { name: file.name, bytes: await file.bytes() };
}

interface ImportRequest {
  file: files.ImportFile;
  params: URLSearchParams;
  errors?: FieldError[];
}

async function show(
  request: Request,
  caller: Caller,
  { file, params, errors = [] }: ImportRequest,
): Promise<Response> {
  const waits = isLong(file) && !isHtmx(request) && !params.has("checked") && errors.length === 0;
  const shown = waits ? undefined : await readPreview(caller, { file, params, errors });
  const status = errors.length > 0 ? 422 : 200;
  if (shown && wantsFragment(request)) {
    const isList = request.headers.get("hx-target")?.endsWith("#list");
    const part = isList ? <VerdictList {...shown} /> : <Preview {...shown} />;
    return fragment(request, part, { status });
  }
  const title = `Import ${file.file_name}`;
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Inventory" },
      { label: "Items", href: PATH },
      { label: "Import", href: IMPORT },
      { label: file.file_name },
    ],
    body: <PreviewPage title={title} file={file} params={params} shown={shown} />,
  });
}

function isLong(file: files.ImportFile): boolean {
  return file.rows.length > LONG;
}

async function readPreview(
  caller: Caller,
  { file, params, errors = [] }: ImportRequest,
): Promise<ImportPreview> {
  const [verdicts, offered, done] = await Promise.all([
    file.rows.length > 0 ? imports.check(caller, file.rows) : [],
    choices(caller),
    appliedBy(caller, file.change_set),
  ]);
  return previewOf({ file, params, errors, verdicts, choices: offered, done });
}

async function appliedBy(
  caller: Caller,
  change_set: number | null,
): Promise<ImportPreview["done"]> {
  const outcome = change_set === null ? undefined : await scan_apply.outcome(caller, change_set);
  return outcome && { ...outcome, change_set: change_set ?? 0 };
}

interface FormRequest {
  id: number;
  form: FormData;
}

async function change(
  request: Request,
  caller: Caller,
  { id, form }: FormRequest,
): Promise<Response> {
  const action = field(form, "action");
  if (action === "discard") return discard(request, caller, { id, form });
  if (action === "all" || action === "good") {
    const state = Number(field(form, "state")) || 0;
    const tried = await attempt(() => files.apply(caller, id, { mode: action, state }));
    if (!("refusal" in tried)) return redirect(request, `${IMPORT}/${id}`);
    const file = await files.find(caller, id);
    return show(request, caller, { file, params: viewIn(form), errors: tried.refusal.errors });
  }
  await files.correct(caller, id, { typed: correctionsIn(form), left: skippedIn(form) });
  if (!isHtmx(request)) return redirect(request, withParams(`${IMPORT}/${id}`, viewIn(form), {}));
  return show(request, caller, { file: await files.find(caller, id), params: viewIn(form) });
}

async function discard(
  request: Request,
  caller: Caller,
  { id, form }: FormRequest,
): Promise<Response> {
  const file = await files.find(caller, id);
  const question = confirmFirst(request, form, { ...DISCARD, back: previewPath(file) });
  if (question) return question;
  await files.remove(caller, id);
  return redirect(request, IMPORT, `Discarded ${file.file_name}`);
}

/** The parameters of the shown list. */
function viewIn(form: FormData): URLSearchParams {
  const names = ["verdict", "checked", "page", "per_page", "cols"];
  return new URLSearchParams(
    names.flatMap((name) => form.getAll(name).map((value) => [name, String(value)])),
  );
}

/** Fields are named by their line: 7.location. */
function correctionsIn(form: FormData): imports.ImportRow[] {
  const rows = new Map<number, imports.ImportRow["fields"]>();
  for (const [name, value] of form) {
    const [, line, column] = /^([1-9][0-9]{0,8})\.(\w+)$/.exec(name) ?? [];
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

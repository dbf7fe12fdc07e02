// Adds, changes, deletes and sends the files of records: /files/items/5, …/7, …/7/delete, …/7/content. htmx gets the section of
// the page of the record; without scripting one returns to that page.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import * as files from "../../src/files/files.ts";
import { contentResponse } from "../../src/files/response.ts";
import { uploadedBytes } from "../../src/http/form_body.ts";
import { invalid, notFound, type Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { resourceOf } from "../../src/resources.ts";
import { FILE_OWNERS, type FileOwner } from "../../src/store/file_owners.ts";
import { rowOf } from "../../src/store/records.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { fragment, page, redirect, wantsFragment, withUndo } from "../layout/page.tsx";
import { attempt } from "../parts/forms.tsx";
import { ToastBeside } from "../parts/toast.tsx";
import { field } from "../request/form_values.ts";
import type { Notice } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { Files, filesOf, filesPath, TOAST } from "./section.tsx";

interface OwnerParams {
  table: string;
  id: string;
}

export const filePages = new Elysia({ prefix: "/files/:table/:id", normalize: false })
  .use(guard)
  .get("", ({ request, caller, params }) => show(request, caller, ownerIn(params)), {
    see: "everyone",
  })
  .post(
    "",
    ({ request, caller, params, form }) =>
      answered(request, caller, ownerIn(params), async (of) => {
        const given = form.getAll("file").filter((one) => one instanceof File && one.size > 0);
        if (given.length === 0) throw invalid("file", "Choose a file", "required");
        const small = form.get("small");
        for (const one of given as File[]) {
          const upload = { name: one.name, bytes: await uploadedBytes(one) };
          const hasSmall = small instanceof File && small.size > 0 && given.length === 1;
          await files.add(caller, of, {
            ...upload,
            small: hasSmall ? await uploadedBytes(small) : null,
          });
        }
        return given.length === 1 ? "Added the file" : `Added ${given.length} files`;
      }),
    { see: "everyone" },
  )
  .post(
    "/:file",
    ({ request, caller, params, form }) =>
      answered(request, caller, ownerIn(params), async (of) => {
        await change(caller, of, keyNamed(params.file), form);
        return "Saved the file";
      }),
    { see: "everyone" },
  )
  .post(
    "/:file/delete",
    async ({ request, caller, params, form }) => {
      const of = ownerIn(params);
      const id = keyNamed(params.file);
      const { name } = rowOf(await files.find(caller, of, id));
      const question = {
        title: "Delete this file?",
        detail: `${name}. The deletion can be undone for 30 days.`,
        verb: "Delete",
        back: pageOf(of, await files.nameOfRecord(caller, of)),
      };
      const confirmation = confirmFirst(request, form, question);
      if (confirmation) return confirmation;
      return answered(request, caller, of, async () => {
        await files.remove(caller, of, id);
        return "Deleted the file";
      });
    },
    { see: "everyone" },
  )
  .get(
    "/:file/content",
    ({ request, caller, params }) =>
      contentResponse(request, caller, { of: ownerIn(params), id: keyNamed(params.file) }),
    { see: "everyone" },
  )
  .get(
    "/:file/small",
    ({ request, caller, params }) => {
      const wanted = { of: ownerIn(params), id: keyNamed(params.file), isSmall: true };
      return contentResponse(request, caller, wanted);
    },
    { see: "everyone" },
  );

function ownerIn({ table, id }: OwnerParams): files.FilesOf {
  if (!(table in FILE_OWNERS)) throw notFound();
  return { table: table as FileOwner, id: keyNamed(id) };
}

/** The files on the page of the record of this name. */
function pageOf(of: files.FilesOf, name: string): string {
  const path = resourceOf(of.table)?.page?.(encodeURIComponent(name));
  return `${path ?? filesPath(of)}#files`;
}

/** A place in the order, the picture, or else the caption. */
async function change(caller: Caller, of: files.FilesOf, id: number, form: FormData) {
  if (form.has("place")) return files.move(caller, of, id, Number(field(form, "place")));
  const isPicture = field(form, "action") === "picture";
  const caption = field(form, "caption").trim() || null;
  return files.update(caller, of, id, isPicture ? { is_picture: true } : { caption });
}

/** The section, or the page of the record, after some work. */
async function answered(
  request: Request,
  caller: Caller,
  of: files.FilesOf,
  work: (of: files.FilesOf) => Promise<string>,
): Promise<Response> {
  const tried = await attempt(() => work(of));
  if ("refusal" in tried) {
    const { refusal } = tried;
    if (refusal.status === 403 || refusal.status === 404) throw refusal;
    return show(request, caller, of, { refusal });
  }
  const notice = withUndo(request, tried.done);
  if (!wantsFragment(request)) {
    return redirect(request, pageOf(of, await files.nameOfRecord(caller, of)), notice);
  }
  return show(request, caller, of, { notice });
}

async function show(
  request: Request,
  caller: Caller,
  of: files.FilesOf,
  { refusal, notice }: { refusal?: Refusal; notice?: Notice } = {},
): Promise<Response> {
  const name = await files.nameOfRecord(caller, of);
  const error = refusal?.errors[0]?.message ?? refusal?.message;
  const status = refusal ? refusal.status : 200;
  const next = pageOf(of, name);
  const isPart = wantsFragment(request);
  const isToast = isPart && new URL(request.url).searchParams.has(TOAST);
  const section = isToast ? null : <Files {...(await filesOf(caller, of))} error={error} />;
  if (isPart) {
    const said = isToast && error ? { text: error } : notice;
    return fragment(
      request,
      <>
        {section}
        {said && <ToastBeside {...said} next={next} />}
      </>,
      { status },
    );
  }
  const { plural = "", path = "" } = resourceOf(of.table) ?? {};
  return page(request, {
    title: `Files of ${name}`,
    status,
    crumbs: [
      { label: plural.charAt(0).toUpperCase() + plural.slice(1), href: path },
      { label: name, href: next },
      { label: "Files" },
    ],
    body: (
      <>
        <header class="head">
          <h1>Files of {name}</h1>
        </header>
        {section}
      </>
    ),
  });
}

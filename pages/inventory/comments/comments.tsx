// The comments of an item: /inventory/items/comment/(ics_id), …/edit/(comment_id), …/delete. htmx gets the
// thread, or the form that replaces a comment.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import { comment } from "../../../src/inventory/comments/comment.ts";
import * as comments from "../../../src/inventory/comments/comments.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { mayWriteItem } from "../../../src/inventory/items/items.ts";
import { lastPage } from "../../../src/store/paging.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { fragment, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { field } from "../../request/form_values.ts";
import type { Notice } from "../../request/frame.ts";
import { guard } from "../../request/guard.ts";
import { save } from "../../resource/save.ts";
import { itemPath } from "../items/paths.ts";
import { Editing, type EditingProps, Thread, type ThreadProps } from "./thread.tsx";

const EDITORS = INVENTORY_EDITORS;
const PER_PAGE = 100;
const { newComment } = comments;

export const commentPages = new Elysia({ prefix: "/inventory/items/comment", normalize: false })
  .use(guard)
  .get(
    "/:ics_id",
    ({ request, caller, params, search }) =>
      showThread(request, caller, { item: params.ics_id, page: search.get("page") ?? undefined }),
    { see: "everyone" },
  )
  .post(
    "/:ics_id",
    async ({ request, caller, params, form }) => {
      const tried = await attempt(async () =>
        comments.create(caller, params.ics_id, readFormInput(newComment, form)),
      );
      if ("refusal" in tried) {
        const adding = refused(newComment, form, tried.refusal);
        return showThread(request, caller, { item: params.ics_id, adding });
      }
      return goBack(request, caller, {
        item: rowOf(tried.done).item,
        notice: { text: "Added the comment" },
      });
    },
    { see: EDITORS },
  )
  .post(
    "/delete",
    async ({ request, caller, form }) => {
      const { row } = await find(caller, field(form, "comment_id"));
      const back = itemPath(row.item);
      const question = {
        title: "Delete this comment?",
        detail: row.body,
        verb: "Delete",
        back,
      };
      const confirmation = confirmFirst(request, form, question);
      if (confirmation) return confirmation;
      const undo = await comments.remove(caller, row.id);
      const notice = { text: "Deleted the comment", undo };
      return goBack(request, caller, { item: row.item, notice });
    },
    { see: EDITORS },
  )
  .get(
    "/edit/:comment_id",
    async ({ request, caller, params }) => {
      const { row, version } = await find(caller, params.comment_id);
      comments.requireOwn(caller, row);
      const filled = blank(newComment, { body: row.body });
      return edit(request, { comment: row, version, filled });
    },
    { see: EDITORS },
  )
  .post(
    "/edit/:comment_id",
    ({ request, caller, params, form }) => update(request, caller, { id: params.comment_id, form }),
    { see: EDITORS },
  );

/** The latest comments, for the page of the item, which exists. */
export async function threadOf(
  caller: Caller,
  ics_id: string,
  opened: { page?: string; adding?: Filled } = {},
): Promise<ThreadProps> {
  const read = (number: string) =>
    comments.listOfItem(
      caller,
      ics_id,
      new URLSearchParams({ per_page: String(PER_PAGE), page: number }),
    );
  const first = await read(opened.page ?? "1");
  const last = lastPage(first, first.total);
  const listed = opened.page === undefined && last > 1 ? await read(String(last)) : first;
  const shown = { caller, ics_id, comments: rowsOf(listed), total: listed.total };
  const mayEdit = may(caller, EDITORS) && (await mayWriteItem(caller, ics_id));
  return { ...shown, mayEdit, adding: opened.adding };
}

interface ThreadRequest {
  item: string;
  page?: string;
  adding?: Filled;
}

async function showThread(
  request: Request,
  caller: Caller,
  threadRequest: ThreadRequest,
): Promise<Response> {
  const { ics_id } = rowOf(await items.find(caller, threadRequest.item));
  const thread = await threadOf(caller, ics_id, threadRequest);
  const title = `Comments on ${ics_id}`;
  return page(request, {
    title,
    crumbs: [
      { label: "Inventory" },
      { label: "Items", href: "/inventory/items" },
      { label: ics_id, href: itemPath(ics_id) },
      { label: "Comments" },
    ],
    status: threadRequest.adding ? 422 : 200,
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <Thread {...thread} />
      </>
    ),
    fragment: <Thread {...thread} />,
  });
}

interface CommentResult {
  item: string;
  notice: Notice;
}

/** Redirects to the page of the item; htmx gets the thread. */
async function goBack(
  request: Request,
  caller: Caller,
  { item, notice }: CommentResult,
): Promise<Response> {
  const next = `${itemPath(item)}#comments`;
  if (!wantsFragment(request)) return redirect(request, next, notice);
  const thread = await threadOf(caller, item);
  return fragment(
    request,
    <>
      <Thread {...thread} />
      {notice.undo && <ToastBeside {...notice} next={next} />}
    </>,
  );
}

function edit(request: Request, props: EditingProps, status = 200): Response {
  const { item } = props.comment;
  const title = `Edit comment on ${item}`;
  return page(request, {
    title,
    crumbs: [
      { label: "Inventory" },
      { label: "Items", href: "/inventory/items" },
      { label: item, href: itemPath(item) },
      { label: "Edit comment" },
    ],
    status,
    // The form replaces itself; the thread around it stays.
    headers: status === 200 ? {} : { "hx-retarget": `#comment-${props.comment.id}` },
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <Editing {...props} />
      </>
    ),
    fragment: (
      <li id={`comment-${props.comment.id}`}>
        <Editing {...props} />
      </li>
    ),
  });
}

interface FormRequest {
  id: string;
  form: FormData;
}

async function update(
  request: Request,
  caller: Caller,
  { id, form }: FormRequest,
): Promise<Response> {
  const { row, version } = await find(caller, id);
  const { body, user, updated_at } = row;
  const tried = await save(caller, {
    form,
    edited: { id: row.id, version, values: { body }, user, updated_at },
    resource: comment,
    shape: newComment,
    work: (as, input) => comments.update(as, row.id, input),
  });
  if ("refused" in tried) {
    const { filled, status, conflict, ...again } = tried.refused;
    const theirs = conflict?.theirs.body;
    return edit(request, { comment: row, version: again.version, filled, theirs }, status);
  }
  return goBack(request, caller, { item: row.item, notice: { text: "Saved the comment" } });
}

async function find(caller: Caller, id: string) {
  const found = await comments.find(caller, keyNamed(id));
  return { row: rowOf(found), version: found.version };
}

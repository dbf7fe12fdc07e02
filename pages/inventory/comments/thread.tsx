import type { Caller } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import type { Comment } from "../../../src/inventory/comments/comment.ts";
import { isOwn, newComment } from "../../../src/inventory/comments/comments.ts";
import { confirmAttributes } from "../../layout/confirm.tsx";
import { blank, Field, type Filled, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Prose } from "../../parts/prose.tsx";
import { RecordLink } from "../../records/links.tsx";
import { Time } from "../../records/time.tsx";
import { useHx } from "../../request/frame.ts";
import { whoAdds } from "../../texts.ts";

const ROOT = "/inventory/items/comment";

export interface ThreadProps {
  caller: Caller;
  ics_id: string;
  comments: Comment[];
  /** The number of all comments; the latest are shown. */
  total: number;
  mayEdit: boolean;
  adding?: Filled;
}

/** The comments of an item, oldest first, and the form for a new one. */
export function Thread(props: ThreadProps) {
  const { caller, ics_id, comments, total, mayEdit } = props;
  const earlier = total - comments.length;
  return (
    <section id="comments" aria-labelledby="comments-title">
      <h2 id="comments-title">
        Comments {total > 0 && <span class="tag">{total.toLocaleString("en")}</span>}
      </h2>
      {earlier > 0 && (
        <p class="muted">
          <a href={`${ROOT}/${ics_id}?page=1`}>{earlier.toLocaleString("en")} earlier</a>
        </p>
      )}
      {comments.length > 0 && (
        <ol class="thread">
          {comments.map((comment) => (
            <Entry comment={comment} mayChange={mayEdit && isOwn(caller, comment)} />
          ))}
        </ol>
      )}
      {comments.length === 0 && !mayEdit && (
        <p class="muted">No comments yet. {whoAdds(INVENTORY_EDITORS)}</p>
      )}
      {mayEdit && <Adding {...props} />}
    </section>
  );
}

function Entry({ comment, mayChange }: { comment: Comment; mayChange: boolean }) {
  const { id, body, user, created_at, updated_at } = comment;
  return (
    <li id={`comment-${id}`}>
      <div class="by">
        <b>{user ? <RecordLink table="users" name={user} /> : "system"}</b>
        <span class="muted">
          <Time at={created_at} />
        </span>
        {updated_at !== created_at && (
          <span class="muted">
            edited <Time at={updated_at} />
          </span>
        )}
        {mayChange && <CommentActions comment={comment} />}
      </div>
      <Prose text={body} />
    </li>
  );
}

function CommentActions({ comment: { id } }: { comment: Comment }) {
  const hx = useHx();
  const edit = `${ROOT}/edit/${id}`;
  return (
    <div class="ways">
      <a
        class="quiet button square"
        href={edit}
        aria-label="Edit this comment"
        title="Edit"
        {...hx({ get: edit, target: `#comment-${id}`, swap: "outerHTML" })}
      >
        <Icon name="pencil" />
      </a>
      <form
        method="post"
        action={`${ROOT}/delete`}
        {...confirmAttributes({ title: "Delete this comment?", detail: "", verb: "Delete" })}
        {...hx({ post: `${ROOT}/delete`, target: "#comments", swap: "outerHTML" })}
      >
        <input type="hidden" name="comment_id" value={id} />
        <button
          type="submit"
          class="quiet bad square"
          aria-label="Delete this comment"
          title="Delete"
        >
          <Icon name="trash" />
        </button>
      </form>
    </div>
  );
}

function Adding({ ics_id, adding: given = blank(newComment) }: ThreadProps) {
  const adding = { ...given, labels: { body: "New comment" } };
  const hx = useHx();
  const action = `${ROOT}/${ics_id}`;
  return (
    <form
      class="sheet"
      method="post"
      action={action}
      {...hx({ post: action, target: "#comments", swap: "outerHTML" })}
    >
      <Summary filled={adding} id="comment" />
      <Field filled={adding} name="body" rows={2} form="comment" />
      <div class="buttons">
        <button type="submit">
          <Icon name="message" /> Add comment
        </button>
      </div>
    </form>
  );
}

export interface EditingProps {
  comment: Comment;
  version: number;
  filled: Filled;
  /** The text that another user saved while this form was open. */
  theirs?: string;
}

/** The form that replaces a comment while it is edited; without scripting on its own page. */
export function Editing({ comment, version, filled, theirs }: EditingProps) {
  const hx = useHx();
  const action = `${ROOT}/edit/${comment.id}`;
  return (
    <form
      class="sheet"
      method="post"
      action={action}
      data-guard
      {...hx({ post: action, target: "#comments", swap: "outerHTML" })}
    >
      <input type="hidden" name="version" value={version} />
      {theirs !== undefined && (
        <div class="note warn" role="alert">
          <p>This comment was saved while you were editing. Save again to keep your text.</p>
          <h2>Theirs</h2>
          <Prose text={theirs} />
        </div>
      )}
      <Summary filled={filled} id={`edit-${comment.id}`} />
      <Field filled={filled} name="body" rows={3} autofocus form={`edit-${comment.id}`} />
      <div class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <a class="button quiet" href={`/inventory/items/view/${comment.item}#comments`}>
          Cancel
        </a>
      </div>
    </form>
  );
}

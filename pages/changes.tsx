// GET and POST /changes/(id): what was changed at once, and taking it back. GET /changes/(table)/(id):
// all that happened to one record.
import { Elysia } from "elysia";
import type { Caller } from "../src/auth/auth.ts";
import * as history from "../src/history/history.ts";
import { notFound, type Refusal } from "../src/input/errors.ts";
import { keyNamed } from "../src/input/keys.ts";
import { lastPage } from "../src/store/paging.ts";
import { mayUndo, UNDOERS, undo } from "../src/undo/undo.ts";
import { page, redirect } from "./layout/page.tsx";
import { attempt } from "./parts/forms.tsx";
import { Icon } from "./parts/icon.tsx";
import { Timeline } from "./parts/timeline.tsx";
import { field, safePath } from "./request/form_values.ts";
import { guard } from "./request/guard.ts";

export const changePages = new Elysia({ prefix: "/changes", normalize: false })
  .use(guard)
  .get(
    "/:id",
    ({ request, caller, params }) => showSet(request, caller, { id: keyNamed(params.id) }),
    {
      see: "everyone",
    },
  )
  .post(
    "/:id",
    ({ request, caller, params, form }) =>
      takeBack(request, caller, { id: keyNamed(params.id), next: field(form, "next") }),
    { see: UNDOERS },
  )
  .get(
    "/:id/:row",
    ({ request, caller, params, search }) => {
      const of = { table: params.id, id: keyNamed(params.row) };
      return showRecord(request, caller, { of, page: Number(search.get("page") ?? 1) });
    },
    { see: "everyone" },
  );

interface ChangesRequest {
  id: number;
  /** Why it could not be taken back. */
  refusal?: Refusal;
}

async function showSet(
  request: Request,
  caller: Caller,
  { id, refusal }: ChangesRequest,
): Promise<Response> {
  const set = await history.changeSet(caller, id);
  const title = `Change ${id}`;
  return page(request, {
    title,
    status: refusal?.status,
    crumbs: [{ label: "Changes" }, { label: title }],
    body: (
      <ChangeSetPage
        set={set}
        title={title}
        refusal={refusal}
        canUndo={await mayUndo(caller, set)}
      />
    ),
  });
}

async function takeBack(
  request: Request,
  caller: Caller,
  { id, next }: { id: number; next: string },
): Promise<Response> {
  const tried = await attempt(() => undo(caller, id));
  if ("refusal" in tried) return showSet(request, caller, { id, refusal: tried.refusal });
  const to = safePath(next, `/changes/${tried.done.id}`);
  return redirect(request, to, `Change ${id} is undone`);
}

interface Set {
  set: history.ChangeSet;
  title: string;
  refusal: Refusal | undefined;
  canUndo: boolean;
}

function ChangeSetPage({ set, title, refusal, canUndo }: Set) {
  return (
    <>
      <header class="head">
        <div>
          <h1>{title}</h1>
          <p class="lead">
            By {set.user ?? "the machine"} at <time>{set.at}</time>
            {set.undoes !== null && (
              <>
                , to undo <a href={`/changes/${set.undoes}`}>change {set.undoes}</a>
              </>
            )}
            {set.undone_by !== null && (
              <>
                , undone by <a href={`/changes/${set.undone_by}`}>change {set.undone_by}</a>
              </>
            )}
          </p>
        </div>
        {canUndo && (
          <form class="actions" method="post">
            <button type="submit">
              <Icon name="history" /> Undo
            </button>
          </form>
        )}
      </header>
      {refusal && (
        <p class="note bad" role="alert">
          {refusal.errors.map(({ message }) => message).join("; ")}
        </p>
      )}
      <Timeline events={set.events} isSet={true} />
      {set.total > set.events.length && (
        <p class="muted">And {(set.total - set.events.length).toLocaleString("en")} more.</p>
      )}
    </>
  );
}

interface Wanted {
  of: history.RecordRef;
  page: number;
}

const PER_PAGE = 50;

async function showRecord(
  request: Request,
  caller: Caller,
  { of, page: number }: Wanted,
): Promise<Response> {
  if (!Number.isInteger(number) || number < 1) throw notFound();
  const timeline = await history.timelineOf(caller, of, { page: number, per_page: PER_PAGE });
  if (timeline.total === 0) throw notFound();
  const own = timeline.events.find(({ table_name }) => table_name === of.table);
  const title = `Changes of ${own?.name ?? `${of.table} ${of.id}`}`;
  return page(request, {
    title,
    crumbs: [{ label: "Changes" }, { label: title }],
    body: <RecordPage timeline={timeline} of={of} title={title} />,
  });
}

interface Shown {
  timeline: history.Timeline;
  of: history.RecordRef;
  title: string;
}

function RecordPage({ timeline, of, title }: Shown) {
  const last = lastPage(timeline, timeline.total);
  const to = (number: number) => `/changes/${of.table}/${of.id}?page=${number}`;
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
      </header>
      <Timeline events={timeline.events} of={of} />
      {last > 1 && (
        <nav class="pages" aria-label="Pages">
          {timeline.page > 1 && (
            <a rel="prev" href={to(timeline.page - 1)}>
              <Icon name="chevron-left" /> Previous
            </a>
          )}
          <span>
            Page {timeline.page} of {last}
          </span>
          {timeline.page < last && (
            <a rel="next" href={to(timeline.page + 1)}>
              Next <Icon name="chevron-right" />
            </a>
          )}
        </nav>
      )}
    </>
  );
}

// GET and POST /changes/(id): a change set, and its undo. GET /changes/(table)/(id): the history of a record.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import * as history from "../../src/history/history.ts";
import { type StoredSet, storedSet } from "../../src/history/sets.ts";
import { changePath } from "../../src/history/words.ts";
import { changeNamed } from "../../src/input/change_ids.ts";
import { notFound, type Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { lastPage, type PageRange } from "../../src/store/paging.ts";
import { mayUndo, UNDOERS, undo } from "../../src/undo/undo.ts";
import { page, redirect, withUndo } from "../layout/page.tsx";
import { attempt, RefusalNote } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { UNDONE } from "../parts/toast.tsx";
import { RecordLink } from "../records/links.tsx";
import { momentInWords, Time } from "../records/time.tsx";
import { field, safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { CHANGES } from "./list.tsx";
import { Sentence } from "./sentence.tsx";

export const changePages = new Elysia({ prefix: "/changes", normalize: false })
  .use(guard)
  .get(
    "/:id",
    ({ request, caller, params, search }) =>
      showSet(request, caller, { id: changeNamed(params.id), page: pageIn(search) }),
    {
      see: "everyone",
    },
  )
  .post(
    "/:id",
    ({ request, caller, params, form }) =>
      undoChange(request, caller, { id: changeNamed(params.id), next: field(form, "next") }),
    { see: UNDOERS },
  )
  .get(
    "/:id/:row",
    ({ request, caller, params, search }) => {
      const of = { table: params.id, id: keyNamed(params.row) };
      return showRecord(request, caller, { of, page: pageIn(search) });
    },
    { see: "everyone" },
  );

/** Lines of one page. */
const PER_PAGE = 50;
/** Beyond it every page is empty. */
const FARTHEST = 1_000_000;

function pageIn(search: URLSearchParams): number {
  const number = Number(search.get("page") ?? 1);
  if (!Number.isInteger(number) || number < 1 || number > FARTHEST) throw notFound();
  return number;
}

interface ChangesRequest {
  id: number;
  page?: number;
  /** Why it could not be undone. */
  refusal?: Refusal;
}

async function showSet(
  request: Request,
  caller: Caller,
  { id, page: number = 1, refusal }: ChangesRequest,
): Promise<Response> {
  const events = { from: (number - 1) * PER_PAGE, most: PER_PAGE };
  const set = await storedSet(caller, id, { events });
  if (set.events.length === 0) throw notFound();
  const title = `Change of ${momentInWords(set.at)}`;
  return page(request, {
    title,
    status: refusal?.status,
    crumbs: [{ label: "Changes", href: CHANGES }, { label: title }],
    body: (
      <ChangeSetPage
        set={set}
        page={number}
        title={title}
        refusal={refusal}
        canUndo={await mayUndo(caller, set)}
      />
    ),
  });
}

async function undoChange(
  request: Request,
  caller: Caller,
  { id, next }: { id: number; next: string },
): Promise<Response> {
  const tried = await attempt(() => undo(caller, id));
  if ("refusal" in tried) return showSet(request, caller, { id, refusal: tried.refusal });
  const to = safePath(next, `${CHANGES}/${tried.done.id}`);
  const { undoes } = await storedSet(caller, id, { events: { from: 0, most: 1 } });
  return redirect(request, to, withUndo(request, undoes === null ? UNDONE : "Redone"));
}

interface ChangeSetProps {
  set: StoredSet;
  page: number;
  title: string;
  refusal: Refusal | undefined;
  canUndo: boolean;
}

function ChangeSetPage({ set, page: number, title, refusal, canUndo }: ChangeSetProps) {
  return (
    <>
      <header class="head">
        <div>
          <h1>{title}</h1>
          {set.total > 1 && (
            <p class="lead">
              <Sentence set={set} isOwn />
            </p>
          )}
          <p class="lead">
            By {set.user ? <RecordLink table="users" name={set.user} /> : "system"},{" "}
            <Time at={set.at} />
            {set.undoes !== null && (
              <>
                ; undoes <a href={changePath(set.undoes)}>an earlier change</a>
              </>
            )}
            {set.undone_by !== null && (
              <>
                ; undone by <a href={changePath(set.undone_by)}>a later change</a>
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
      <RefusalNote refusal={refusal} />
      <Timeline events={set.events} isSet={true} />
      <Pages
        at={{ page: number, per_page: PER_PAGE }}
        total={set.total}
        to={(one) => `${changePath(set.id)}?page=${one}`}
      />
    </>
  );
}

interface RecordRequest {
  of: history.RecordRef;
  page: number;
}

async function showRecord(
  request: Request,
  caller: Caller,
  { of, page: number }: RecordRequest,
): Promise<Response> {
  const timeline = await history.timelineOf(caller, of, { page: number, per_page: PER_PAGE });
  if (timeline.total === 0) throw notFound();
  const own = timeline.events.find(({ table_name }) => table_name === of.table);
  const title = `History of ${own?.name ?? `${of.table} ${of.id}`}`;
  return page(request, {
    title,
    crumbs: [{ label: "Changes", href: CHANGES }, { label: title }],
    body: <RecordPage timeline={timeline} of={of} title={title} />,
  });
}

interface RecordPageProps {
  timeline: history.Timeline;
  of: history.RecordRef;
  title: string;
}

function RecordPage({ timeline, of, title }: RecordPageProps) {
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
      </header>
      <Timeline events={timeline.events} of={of} />
      <Pages
        at={timeline}
        total={timeline.total}
        to={(number) => `${CHANGES}/${of.table}/${of.id}?page=${number}`}
      />
    </>
  );
}

interface PagesProps {
  at: PageRange;
  total: number;
  to: (page: number) => string;
}

function Pages({ at, total, to }: PagesProps) {
  const last = lastPage(at, total);
  if (last === 1) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {at.page > 1 && (
        <a rel="prev" href={to(at.page - 1)}>
          <Icon name="chevron-left" /> Previous
        </a>
      )}
      <span>
        Page {at.page.toLocaleString("en")} of {last.toLocaleString("en")}
      </span>
      {at.page < last && (
        <a rel="next" href={to(at.page + 1)}>
          Next <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  );
}

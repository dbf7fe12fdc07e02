// GET /admin/jobs: the jobs of all users. POST …/cancel.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { keyNamed } from "../../src/input/keys.ts";
import * as jobs from "../../src/jobs/administration.ts";
import { type JobRow, job } from "../../src/jobs/administration.ts";
import { confirmAttributes, confirmFirst } from "../layout/confirm.tsx";
import { redirect } from "../layout/page.tsx";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { LIVE_JOBS } from "../records/live.tsx";
import { Time } from "../records/time.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { type ListPlace, readBy, showList } from "../resource/list.tsx";
import { CRUMB, JOBS, userPath } from "./paths.ts";

const ADMINS = { see: ["admin"] } as const;

export const jobPages = new Elysia({ prefix: JOBS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => showList(request, caller, LISTED, search), ADMINS)
  .post("/cancel", ({ request, caller, form }) => cancel(request, caller, form), ADMINS);

const CANCEL = {
  title: "Cancel this job?",
  detail: "Its owner can start it again.",
  verb: "Cancel the job",
};

async function cancel(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const asking = confirmFirst(request, form, { ...CANCEL, back: JOBS });
  if (asking) return asking;
  const isEnded = await jobs.cancel(caller, keyNamed(field(form, "id")));
  return redirect(
    request,
    JOBS,
    isEnded ? "Cancelled the job" : "Not cancelled: the job had already ended",
  );
}

const STATUSES = ["queued", "started", "finished", "failed"] as const;
const TONES = { queued: "", started: "", finished: "good", failed: "bad" };

const COLUMNS = columnsOf<JobRow>(job, [
  {
    name: "name",
    sortable: true,
    fixed: true,
    cell: ({ id, name }) => (
      <a class="open" href={`/status/${id}`}>
        {name}
      </a>
    ),
  },
  {
    name: "owner",
    sortable: true,
    cell: ({ owner }) => owner && <a href={userPath(owner)}>{owner}</a>,
  },
  {
    name: "status",
    sortable: true,
    cell: ({ status }) => <span class={`tag ${TONES[status]}`}>{status}</span>,
  },
  {
    name: "progress",
    sortable: true,
    class: "number",
    cell: ({ progress }) => `${progress} %`,
  },
  { name: "message", cell: ({ message }) => message },
  {
    name: "created_at",
    sortable: true,
    class: "time",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    name: "finished_at",
    sortable: true,
    class: "time",
    cell: ({ finished_at }) => finished_at && <Time at={finished_at} />,
  },
  {
    name: "cancel",
    label: "Cancel",
    class: "tight",
    fixed: true,
    cell: (row) => isOpen(row) && <CancelForm row={row} />,
  },
]);

function isOpen({ status }: JobRow): boolean {
  return status === "queued" || status === "started";
}

function CancelForm({ row }: { row: JobRow }) {
  return (
    <form method="post" action={`${JOBS}/cancel`} {...confirmAttributes(CANCEL)}>
      <button
        type="submit"
        class="quiet bad"
        name="id"
        value={row.id}
        aria-label={`Cancel the job ${row.id} of ${row.owner}`}
      >
        Cancel
      </button>
    </form>
  );
}

const LISTED: ListPlace<JobRow> = {
  resource: job,
  path: JOBS,
  title: "Jobs",
  crumbs: [CRUMB, { label: "Jobs" }],
  list: {
    lead: "Exports and other background work; kept for one day after the end",
    icon: "activity",
    purpose: (
      <>
        The next export is listed here: choose Export above a list, such as that of{" "}
        <a href="/inventory/items">items</a>
      </>
    ),
    read: readBy(JOBS, jobs.list),
    columns: () => COLUMNS,
    filters: (params) => (
      <ChoiceFilter name="status" label="Any status" params={params} options={STATUSES} />
    ),
    fields: ["status"],
    live: LIVE_JOBS,
  },
};

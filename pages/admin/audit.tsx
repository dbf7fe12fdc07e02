// GET /admin/audit: the audit log. GET …/download: the same entries as lines of JSON.
import { Elysia } from "elysia";
import { auditCaller, EVENTS } from "../../src/auth/audit.ts";
import { addLimited } from "../../src/auth/audit_limits.ts";
import type { Caller } from "../../src/auth/auth.ts";
import { linesResponse } from "../../src/http/stream.ts";
import { MOST_AUDIT_LINES } from "../../src/input/limits.ts";
import { type AuditRow, auditEntry } from "../../src/user/audit_entry.ts";
import * as auditLog from "../../src/user/audit_log.ts";
import { ChoiceFilter, filterValue } from "../lists/choice_filter.tsx";
import { Icon } from "../parts/icon.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { requireOnDemand, requireOurSite } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { type ListHooks, listParamsOf, readBy, showList } from "../resource/list.tsx";
import { detailsOf, EventTag } from "./audit_parts.tsx";
import { AUDIT, CRUMB } from "./paths.ts";

export const auditPages = new Elysia({ prefix: AUDIT, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), {
    see: auditLog.READERS,
  })
  .get(
    "/download",
    async ({ request, caller, search }) => {
      requireOnDemand(request);
      requireOurSite(request);
      return download(caller, search);
    },
    { see: auditLog.READERS },
  );

/** Parameters that only change how the list is displayed. */
const DISPLAY = ["cols", "page", "per_page", "sort"];

function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const isAdmin = caller.groups.includes("admin");
  const place = {
    resource: auditEntry,
    path: AUDIT,
    title: "Audit log",
    crumbs: [isAdmin ? CRUMB : { label: CRUMB.label }, { label: "Audit log" }],
    list: LISTED,
  };
  return showList(request, caller, place, params);
}

async function download(caller: Caller, params: URLSearchParams): Promise<Response> {
  const listParams = listParamsOf(AUDIT, params);
  for (const name of DISPLAY) listParams.delete(name);
  const day = new Date().toISOString().slice(0, 10);
  const answer = await linesResponse(auditLog.lines(caller, listParams), {
    "content-disposition": `attachment; filename="audit-${day}.ndjson"`,
  });
  await addLimited({ event: "export.requested", ...auditCaller(caller), target: "audit log" });
  return answer;
}

function Download({ params }: { params: URLSearchParams }) {
  const href = withParams(
    `${AUDIT}/download`,
    params,
    Object.fromEntries(DISPLAY.map((name) => [name, null])),
  );
  const most = MOST_AUDIT_LINES.toLocaleString("en");
  return (
    <a
      class="button quiet"
      href={href}
      download
      title={`Lines of JSON, the oldest first, at most ${most}`}
    >
      <Icon name="download" /> NDJSON
    </a>
  );
}

function filtered(name: string, value: string): string {
  return `${AUDIT}?${new URLSearchParams({ [name]: value })}`;
}

const COLUMNS = columnsOf<AuditRow>(auditEntry, [
  {
    name: "at",
    sortable: true,
    fixed: true,
    class: "time",
    cell: ({ at }) => <Time at={at} />,
  },
  { name: "event", sortable: true, cell: ({ event }) => <EventTag event={event} /> },
  {
    name: "username",
    sortable: true,
    cell: ({ username }) => username && <a href={filtered("username", username)}>{username}</a>,
  },
  {
    name: "target",
    sortable: true,
    cell: ({ target }) => target && <a href={filtered("target", target)}>{target}</a>,
  },
  {
    name: "address",
    sortable: true,
    class: "mono",
    cell: ({ address }) => address && <a href={filtered("address", address)}>{address}</a>,
  },
  {
    name: "count",
    sortable: true,
    class: "number",
    cell: ({ count }) => (count > 1 ? count : null),
  },
  { name: "details", cell: (row) => detailsOf(row) },
]);

const LISTED: ListHooks<AuditRow> = {
  lead: "Logins, refusals, tokens, users and exports; changes of records are in their history",
  icon: "history",
  purpose: "The next login, refusal or token is listed here as it happens",
  read: readBy(AUDIT, auditLog.list),
  columns: () => COLUMNS,
  filters: (params) => (
    <>
      <input
        type="text"
        name="username"
        value={filterValue(params, "username")}
        aria-label="User"
        placeholder="User"
        autocomplete="off"
      />
      <ChoiceFilter
        name="event"
        label="Any event"
        params={params}
        options={Object.keys(EVENTS)}
        labels={EVENTS}
      />
      <label class="day">
        From <input type="date" name="at__gte" value={filterValue(params, "at__gte")} />
      </label>
      <label class="day">
        To <input type="date" name="at__lte" value={filterValue(params, "at__lte")} />
      </label>
    </>
  ),
  fields: ["username", "event", "at__gte", "at__lte"],
  order: "-at",
  ways: ({ params }) => <Download params={params} />,
};

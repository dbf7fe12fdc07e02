// GET /changes: all changes, the newest first. GET /changes/export.csv: the same as a file.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { changesAsCsv } from "../../src/history/export.ts";
import { latestChanges, type ReadRequest, readRequest } from "../../src/history/feed.ts";
import { FILTERS } from "../../src/history/filters.ts";
import { contextOf } from "../../src/http/request_context.ts";
import { streamOf } from "../../src/http/stream.ts";
import { Refusal } from "../../src/input/errors.ts";
import { CSV_TYPE } from "../../src/spreadsheet/csv.ts";
import { mayUndoOf } from "../../src/undo/undo.ts";
import { usernames } from "../../src/user/accounts.ts";
import { page, wantsFragment } from "../layout/page.tsx";
import { nameInWords } from "../parts/forms.tsx";
import { requireOnDemand } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { CHANGES, ChangeList, type ChangeListProps, ChangesPage } from "./list.tsx";

export const changeListPages = new Elysia({ prefix: CHANGES, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), { see: "everyone" })
  .get(
    "/export.csv",
    ({ request, caller, search }) => {
      requireOnDemand(request);
      const { filters } = readRequest(onlyFilters(search));
      const name = `changes-${new Date().toISOString().slice(0, 10)}.csv`;
      return new Response(streamOf(changesAsCsv(caller, filters)), {
        headers: {
          "content-type": CSV_TYPE,
          "content-disposition": `attachment; filename="${name}"`,
        },
      });
    },
    { fetch: { allowed: "everyone", reach: { kinds: ["network", "inventory"] } } },
  );

const PER_PAGE = 50;
/** Events shown of each change set; a larger one is summarised, and undone on its own page. */
const EVENTS = 20;

async function show(request: Request, caller: Caller, search: URLSearchParams): Promise<Response> {
  const params = onlyFilters(search);
  const shown = await read(caller, search, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Changes",
    crumbs: [{ label: "Changes" }],
    status: shown.errors.length > 0 ? 422 : 200,
    body: isPart ? null : (
      <ChangesPage {...shown} users={await usernames()} api={apiAddress(request, params)} />
    ),
    fragment: <ChangeList {...shown} />,
    headers: isPart
      ? { "hx-push-url": withParams(CHANGES, params, { before: search.get("before") }) }
      : {},
  });
}

async function read(
  caller: Caller,
  search: URLSearchParams,
  params: URLSearchParams,
): Promise<ChangeListProps> {
  const listParams = new URLSearchParams(params);
  const cursor = search.get("before");
  if (cursor !== null) listParams.set("before", cursor);
  const request = requestIn(listParams);
  if (request instanceof Refusal) {
    const errors = request.errors.map(({ field, message }) => `${nameInWords(field)}: ${message}`);
    return { params, sets: [], before: undefined, isLater: false, undoable: new Set(), errors };
  }
  const { sets, before } = await latestChanges(caller, {
    ...request,
    most: PER_PAGE,
    events: EVENTS,
  });
  return {
    params,
    sets,
    before,
    isLater: request.before !== undefined,
    undoable: await mayUndoOf(caller, sets),
    errors: [],
  };
}

function requestIn(params: URLSearchParams): ReadRequest | Refusal {
  try {
    return readRequest(params);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Other parameters in the address of the page are not filters. */
function onlyFilters(search: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...search].filter(([name]) => FILTERS.includes(name)));
}

/** The same list in the API. */
function apiAddress(request: Request, params: URLSearchParams): string {
  return withParams(`${contextOf(request).origin}/api/v1${CHANGES}`, params, {});
}

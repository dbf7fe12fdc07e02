// GET /network/hosts and POST /network/_retrieve_hosts: the list.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { filterChoices, suggest } from "../../../src/network/hosts/choices.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import {
  containsQuery,
  fieldHintOn,
  isPartOfAddress,
  offersFor,
  queryChips,
} from "../../../src/network/hosts/query.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import * as records from "../../../src/store/records.ts";
import { markWritable } from "../../../src/store/rights/check.ts";
import { isHtmx, page, wantsFragment } from "../../layout/page.tsx";
import { choicesIn } from "../../lists/settings.ts";
import { attempt } from "../../parts/forms.tsx";
import { fieldsToRead } from "../../parts/resource_fields.tsx";
import { readTableRequest, type TableRequest, tableRows } from "../../request/data_table.ts";
import { guard } from "../../request/guard.ts";
import { bestFirst } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import {
  apiAddress,
  COLUMNS,
  HostListFragment,
  type HostListProps,
  HostsPage,
  PATH,
  SHOWN,
} from "./list.tsx";

export const hostPages = new Elysia({ prefix: "/network", normalize: false })
  .use(guard)
  .get("/hosts", ({ request, caller, search }) => show(request, caller, search), {
    see: "everyone",
  })
  .post(
    "/_retrieve_hosts",
    ({ request, caller, search, form }) => {
      const table = readTableRequest(form, search, COLUMNS);
      return isHtmx(request) ? show(request, caller, table.params) : retrieve(caller, table);
    },
    { see: "everyone" },
  )
  .get(
    "/_suggest/:kind",
    async ({ caller, params, search }) =>
      Response.json({ data: await suggest(caller, params.kind, search.get("q") ?? "") }),
    { see: "everyone" },
  );

/** The error of an invalid query is shown beside the search box. */
async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const tried = await attempt(() => read(caller, params));
  if ("done" in tried) return answer(request, caller, tried.done);
  const { refusal } = tried;
  const error = refusal.errors.find(({ field }) => field === "q");
  if (!error || refusal.errors.length > 1) throw refusal;
  const { syntax } = refusal;
  const query = {
    text: params.get("q") ?? "",
    chips: [],
    field: fieldHintOn(params.get("q") ?? ""),
    error: { message: error.message, ...(syntax && { syntax }) },
  };
  const listParams = new URLSearchParams(params);
  const listed = { json: "[]", total: 0, isCounted: true, page: 1, per_page: 20, params };
  const mayEdit = may(caller, EDITORS);
  return answer(request, caller, { params, listParams, listed, rows: [], mayEdit, query });
}

async function answer(request: Request, caller: Caller, shown: HostListProps): Promise<Response> {
  const { params, query } = shown;
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Hosts",
    crumbs: [{ label: "Network" }, { label: "Hosts" }],
    status: query.error ? 422 : 200,
    body: isPart ? null : (
      <HostsPage
        {...shown}
        choices={await choicesIn(request, caller, filterChoices)}
        api={apiAddress(request, shown.listParams)}
      />
    ),
    fragment: <HostListFragment {...shown} />,
    // The URL without empty fields.
    headers: isPart ? { "hx-push-url": query.error ? "false" : withParams(PATH, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<HostListProps> {
  const text = params.get("q") ?? "";
  const { listed, listParams } = await search(caller, params);
  const query = {
    text,
    chips: queryChips(text),
    isInPart: listParams.get("q") !== params.get("q"),
    field: fieldHintOn(text),
  };
  const isMissed = text !== "" && listed.total === 0;
  return {
    params,
    listParams,
    listed,
    rows: await markWritable(caller, "hosts", records.rowsOf(listed)),
    mayEdit: may(caller, EDITORS),
    query,
    ...(isMissed && { offers: await offersFor(caller, text) }),
  };
}

/** If no whole word matches, searches for parts of words. */
async function search(caller: Caller, params: URLSearchParams) {
  const listParams = bestFirst(params);
  listParams.delete("cols");
  listParams.delete("selected");
  const text = params.get("q") ?? "";
  const part = containsQuery(text);
  const wider = new URLSearchParams(listParams);
  if (part) wider.set("q", part);
  const names = fieldsToRead(SHOWN, COLUMNS, params);
  const list = (query: URLSearchParams) => hosts.listPicked(caller, names, query);
  if (isPartOfAddress(text)) return { listed: await list(wider), listParams: wider };
  const listed = await list(listParams);
  if (listed.total > 0 || !part) return { listed, listParams };
  const found = await list(wider);
  return found.total > 0 ? { listed: found, listParams: wider } : { listed, listParams };
}

/** The position of a host in the list that these parameters show. */
export async function neighboursInList(caller: Caller, id: number, params: URLSearchParams) {
  const listParams = bestFirst(params);
  const text = params.get("q") ?? "";
  const part = containsQuery(text);
  const exact = isPartOfAddress(text)
    ? undefined
    : await hosts.neighboursInList(caller, id, listParams);
  if (exact || !part) return exact;
  listParams.set("q", part);
  return hosts.neighboursInList(caller, id, listParams);
}

async function retrieve(caller: Caller, table: TableRequest): Promise<Response> {
  const { listParams: params } = await search(caller, table.params);
  return tableRows({ ...table, params }, (wanted) => hosts.list(caller, wanted));
}

// The list of a resource: its head, its filters, its rows, and what can be done with several of them.
import type { ComponentChildren, VNode } from "preact";
import { type Caller, may } from "../../src/auth/auth.ts";
import { contextOf } from "../../src/http/request_context.ts";
import type { Offers } from "../../src/search/suggest/did_you_mean.ts";
import { fieldNote } from "../../src/search/suggest/hints.ts";
import { type ListJson, rowsOf } from "../../src/store/records.ts";
import { type Resource, searchDocument } from "../../src/store/resource.ts";
import { markWritable } from "../../src/store/rights/check.ts";
import type { Crumb } from "../layout/layout.tsx";
import { page, wantsFragment } from "../layout/page.tsx";
import { ListBar } from "../lists/bulk_bar.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { type Example, SearchExamples } from "../lists/search_examples.tsx";
import { sources } from "../lists/sources.ts";
import { ApiCall } from "../parts/api_call.tsx";
import { type Column, Filters, List, ListHead } from "../parts/list.tsx";
import { pickBy } from "../parts/list_columns.tsx";
import { fieldValue, siteColumns } from "../parts/resource_fields.tsx";
import type { TableRequest } from "../request/data_table.ts";
import { useFrame } from "../request/frame.ts";
import { readTyped } from "../request/typed_search.ts";
import { withParams } from "../request/url_parameters.ts";
import { whoAdds } from "../texts.ts";

export interface ListRecord {
  id: number;
  mayWrite?: boolean;
}

/** The records of a list, and what else the search for them said. */
export interface ListRead<Row> {
  listed: ListJson<Row>;
  /** The parameters of the query that was run, if others would be guessed from the address. */
  listParams?: URLSearchParams;
  status?: number;
  /** Attributes of the search box. */
  box?: Record<string, string>;
  /** Between the filters and the list; htmx gets it beside the list. */
  above?: (isBeside: boolean) => VNode;
  /** Other queries, if this one found nothing. */
  offers?: Offers | undefined;
  hint?: ComponentChildren;
}

export interface ShownList<Row> extends ListRead<Row> {
  path: string;
  params: URLSearchParams;
  rows: Row[];
  mayEdit: boolean;
  mayDelete: boolean;
  /** The record that is marked. */
  selected?: number | undefined;
  /** The record whose deletion was refused, and why. */
  refused?: { id: number; message: string } | undefined;
}

/** What is special to the list of a resource. */
export interface ListHooks<Row extends ListRecord> {
  lead: string;
  /** The picture of an empty list. */
  icon: string;
  read: (caller: Caller, params: URLSearchParams) => Promise<ListRead<Row>>;
  columns: (shown: ShownList<Row>) => Column<Row>[];
  /** Inputs beside the search box, and the names of their parameters. */
  filters?: (
    params: URLSearchParams,
    request: Request,
    caller: Caller,
  ) => ComponentChildren | Promise<ComponentChildren>;
  fields?: readonly string[];
  /** Queries that show how to search. */
  examples?: Example[];
  /** The order of the list, unless another is chosen; by default that of the first column that can be sorted. */
  order?: string;
  /** Records are added elsewhere, or nowhere. */
  isAddedElsewhere?: boolean;
  /** The ways to add a record, if there are several. */
  adds?: ComponentChildren;
  /** An empty list offers to import a file. */
  hasImport?: boolean;
  /** Names the same list in the API. */
  hasApi?: boolean;
  excel?: (params: URLSearchParams) => string;
  /** The list as DataTables asks for it. */
  table?: {
    path: string;
    /** In the order of their DataTables numbers. */
    columns: ReadonlyArray<{ name: string; sortable?: boolean }>;
    rows: (caller: Caller, table: TableRequest) => Promise<Response>;
  };
  /** What it shows that others change, if it is not what its resource says: see live.tsx. */
  live?: string;
  /** Further actions of the list. */
  ways?: (shown: ShownList<Row>) => ComponentChildren;
  /** The actions on the selected rows; by default to change and to delete them. */
  bulk?: (shown: ShownList<Row>) => ComponentChildren;
  /** What an empty list says about its purpose. */
  purpose?: ComponentChildren;
  /** Instead of the usual words about an empty list. */
  empty?: (shown: ShownList<Row>) => ComponentChildren;
  /** Below the list. */
  below?: ComponentChildren;
}

/** A list with the place of its pages. */
export interface ListPlace<Row extends ListRecord> {
  resource: Resource;
  path: string;
  title: string;
  crumbs: Crumb[];
  list: ListHooks<Row>;
}

type ListReader<Row> = (
  caller: Caller,
  listParams: URLSearchParams,
  /** With the columns that are chosen. */
  params: URLSearchParams,
) => Promise<ListJson<Row>>;

/** Reads a list by the text that was typed; if it finds nothing, other queries are offered. */
export function readBy<Row extends ListRecord>(
  path: string,
  list: ListReader<Row>,
  offersFor?: (caller: Caller, text: string) => Promise<Offers>,
): ListHooks<Row>["read"] {
  return async (caller, params) => {
    const listed = await list(caller, listParamsOf(path, params), params);
    const text = params.get("q") ?? "";
    const isMissed = text.trim() !== "" && listed.total === 0;
    const offers = isMissed ? await offersFor?.(caller, text) : undefined;
    return { listed, offers };
  };
}

/** The parameters by which the list is read, without those of its look. */
export function listParamsOf(path: string, params: URLSearchParams): URLSearchParams {
  const read = sources.get(path)?.read ?? readTyped;
  const listParams = read(params);
  listParams.delete("cols");
  listParams.delete("selected");
  return listParams;
}

export async function showList<Row extends ListRecord>(
  request: Request,
  caller: Caller,
  place: ListPlace<Row>,
  params: URLSearchParams,
  refused?: ShownList<Row>["refused"],
): Promise<Response> {
  const { resource, path, title, list } = place;
  const read = await list.read(caller, params);
  const shown: ShownList<Row> = {
    ...read,
    path,
    params,
    rows: await rowsFor(caller, resource, rowsOf(read.listed)),
    mayEdit: may(caller, resource.editors),
    mayDelete: may(caller, resource.removers ?? resource.editors),
    selected: refused?.id,
    refused,
  };
  const isPart = wantsFragment(request);
  const filters = isPart ? null : await list.filters?.(params, request, caller);
  const fragment = (
    <>
      <RecordList place={place} shown={shown} />
      {read.above?.(true)}
    </>
  );
  const status = refused ? 422 : read.status;
  return page(request, {
    title,
    status,
    crumbs: place.crumbs,
    body: (
      <>
        <ListHead
          title={title}
          lead={list.lead}
          path={path}
          noun={resource.noun}
          mayAdd={shown.mayEdit && !list.isAddedElsewhere && !list.adds}
          adds={list.adds}
        />
        <Filters path={path} params={params} noun={resource.plural} box={read.box}>
          {filters}
        </Filters>
        {read.above?.(false)}
        {list.examples && <SearchExamples path={path} examples={list.examples} />}
        <RecordList place={place} shown={shown} />
        {list.below}
        {list.hasApi && <ApiCall address={apiAddress(request, place, shown)} />}
      </>
    ),
    fragment,
    // The URL without empty fields; that of a query that was refused stays.
    headers: isPart
      ? { "hx-push-url": status === 422 ? "false" : withParams(path, params, {}) }
      : {},
  });
}

/** Those that the caller may not change are marked, if anybody may. */
async function rowsFor<Row extends ListRecord>(caller: Caller, of: Resource, rows: Row[]) {
  return of.editors.length > 0 ? markWritable(caller, of.name, rows) : rows;
}

/** The same list in the API. */
function apiAddress<Row extends ListRecord>(
  request: Request,
  { resource, path }: ListPlace<Row>,
  { params, listParams = listParamsOf(path, params) }: ShownList<Row>,
): string {
  return withParams(`${contextOf(request).origin}/api/v1${resource.path}`, listParams, {});
}

export function RecordList<Row extends ListRecord>({
  place: { resource, path, list },
  shown,
}: {
  place: Omit<ListPlace<Row>, "title" | "crumbs">;
  shown: ShownList<Row>;
}) {
  const { params, listed, rows, mayEdit, mayDelete, hint, offers } = shown;
  const { caller } = useFrame();
  const query = params.get("q") ?? "";
  const pick = pickBy<Row>((row) => String(fieldValue(row, resource.key)));
  const bar = { path, mayDelete, params, listed, rows };
  const hasBulk = mayEdit && (list.bulk !== undefined || sources.get(path)?.bulk !== undefined);
  return (
    <List
      noun={resource.plural}
      singular={resource.noun}
      path={path}
      params={params}
      listed={listed}
      rows={rows}
      columns={[...(hasBulk ? [pick] : []), ...list.columns(shown), ...siteColumns<Row>(resource)]}
      selected={shown.selected}
      fields={list.fields}
      order={list.order}
      live={list.live}
      excel={list.excel?.(params)}
      ways={list.ways?.(shown)}
      bulk={hasBulk && (list.bulk?.(shown) ?? <ListBar {...bar} />)}
      hint={hint}
      offers={offers}
      field={
        caller && query !== "" ? fieldNote(query, searchDocument(resource, caller)) : undefined
      }
      empty={
        list.empty?.(shown) ?? (
          <EmptyList resource={resource} path={path} list={list} shown={shown} />
        )
      }
    />
  );
}

function EmptyList<Row extends ListRecord>({
  resource: { noun, plural, editors },
  path,
  list,
  shown,
}: Omit<ListPlace<Row>, "title" | "crumbs"> & { shown: ShownList<Row> }) {
  const add = (
    <a class="button" href={`${path}/create`}>
      Add the first {noun}
    </a>
  );
  return (
    <div class="empty">
      <EmptyPicture icon={list.icon} />
      <p>No {plural} yet</p>
      {list.purpose && <p class="muted">{list.purpose}</p>}
      {!shown.mayEdit && editors.length > 0 && <p class="muted">{whoAdds(editors)}</p>}
      {shown.mayEdit && list.adds && <p class="buttons">{list.adds}</p>}
      {shown.mayEdit && !list.adds && (
        <p class="buttons">
          {add}
          {list.hasImport && (
            <a class="button" href={`${path}/import`}>
              Import a file
            </a>
          )}
        </p>
      )}
    </div>
  );
}

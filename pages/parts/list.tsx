// The one list: sorting, filters as chips, columns, pages; all of its state is in the address, and
// every control is a link or a form that works without a script.
import type { ComponentChildren } from "preact";
import { syntaxErrorIn } from "../../src/search/language/typed_text.ts";
import type { Offers } from "../../src/search/suggest/did_you_mean.ts";
import type { Hint } from "../../src/search/suggest/hints.ts";
import { lastPage, type PageRange } from "../../src/store/paging.ts";
import { PageHead } from "../layout/page_head.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Exports } from "../lists/export.tsx";
import { sources } from "../lists/sources.ts";
import { SaveView, Views } from "../lists/views.tsx";
import { liveList } from "../records/live.tsx";
import { withParams } from "../request/url_parameters.ts";
import { CopyTemplate } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { Chooser, type Column, DensitySwitch } from "./list_columns.tsx";
import { DidYouMean, FieldHint } from "./list_hints.tsx";
import { Table, useFilterForm, useMove } from "./list_table.tsx";

export type { Column } from "./list_columns.tsx";

interface ListProps<Row> {
  /** In the plural: locations. */
  noun: string;
  singular: string;
  path: string;
  params: URLSearchParams;
  listed: PageRange & { total: number };
  rows: Row[];
  columns: Column<Row>[];
  selected?: number;
  /** The column that the list is sorted by, unless another is chosen; by default the first sortable one. */
  order?: string;
  /** Shown instead of a list that has no records at all. */
  empty: ComponentChildren;
  /** Filters that have a field of their own above the list. */
  fields?: readonly string[];
  /** Further actions of the list, such as printing labels. */
  ways?: ComponentChildren;
  /** The path that starts the job for its Excel file, if there is one. */
  excel?: string;
  /** What the list shows that others change, if it is not what its resource says: see live.tsx. */
  live?: string | undefined;
  /** The actions on the selected rows. */
  bulk?: ComponentChildren;
  /** Suggestions if nothing matches. */
  hint?: ComponentChildren;
  /** The same for a box that searches for the text literally if it is not a query. */
  offers?: Offers | undefined;
  /** A field in the query that does not exist. */
  field?: Hint | undefined;
}

/** Parameters that change how the list is displayed, but not what it contains. */
const DISPLAY = ["page", "per_page", "sort", "cols", "selected", "in"];

export function List<Row extends { id: number }>(props: ListProps<Row>) {
  const { path, params, listed, rows, field } = props;
  const isFiltered = filtersIn(params).length > 0;
  return (
    <div
      id="list"
      class="region"
      data-live={props.live ?? liveList(sources.get(props.path)?.resource)}
    >
      <Kept {...props} />
      <Chips {...props} />
      {field && <FieldHint {...field} path={path} params={params} />}
      <Tally {...props} />
      {rows.length > 0 && <Table {...props} />}
      {rows.length > 0 && <CopyTemplate />}
      {rows.length > 0 && props.bulk}
      {rows.length === 0 && (isFiltered || listed.total > 0 ? <NoMatch {...props} /> : props.empty)}
      {listed.total > 0 && <Pages {...props} />}
    </div>
  );
}

interface ListHeadProps {
  title: string;
  lead: string | undefined;
  path: string;
  noun: string;
  mayAdd: boolean;
  /** Instead of it. */
  adds?: ComponentChildren;
}

/** What the list contains, and the link to add a record for those who may add one. */
export function ListHead({ title, lead, path, noun, mayAdd, adds }: ListHeadProps) {
  return (
    <PageHead title={title} lead={lead}>
      {mayAdd && (
        <div class="actions reach">
          <a class="button primary" href={`${path}/create`} data-key="c">
            <Icon name="plus" /> Add {noun}
          </a>
        </div>
      )}
      {adds && <div class="actions">{adds}</div>}
    </PageHead>
  );
}

/**
 * The search form above a list; it is outside the region that htmx replaces, so that typing is not interrupted. Narrow
 * screens fold the inputs of further filters, and show what is set as chips.
 */
export function Filters({
  path,
  params,
  noun,
  box = {},
  children,
}: {
  path: string;
  params: URLSearchParams;
  noun: string;
  /** Further attributes of the search box. */
  box?: Record<string, string>;
  /** The inputs of the filters that are used most. */
  children?: ComponentChildren;
}) {
  const { value = params.get("q") ?? "", ...look } = box;
  const live = useFilterForm(path, 200);
  return (
    <search aria-label="In this list">
      <Views path={path} />
      <form id="filters" class="filters" method="get" action={path} {...live}>
        <input
          type="search"
          name="q"
          value={value}
          aria-label={`Filter ${noun}`}
          placeholder={`Filter ${noun}`}
          autocomplete="off"
          {...look}
        />
        {children && <Fold count={chipsOf(params).length}>{children}</Fold>}
        <button type="submit" class="no-js-only">
          Filter
        </button>
      </form>
    </search>
  );
}

/** Inputs that narrow screens fold, with the number of those that are set. */
export function Fold({ count, children }: { count: number; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary class="button narrow">
        Filters <span class="count">{count || ""}</span>
      </summary>
      {children}
    </details>
  );
}

// The rest of the state of the list, as hidden fields of the search form.
function Kept<Row>(props: ListProps<Row>) {
  const kept = [...props.params].filter(
    ([name]) => !["q", "page", "selected"].includes(name) && !isInField(props, name),
  );
  return (
    <>
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} form="filters" />
      ))}
    </>
  );
}

/** A field shows one value; of several there is a chip. */
function isInField<Row>({ fields = [], params }: ListProps<Row>, name: string): boolean {
  return fields.includes(name) && params.getAll(name).length === 1;
}

function Chips<Row>(props: ListProps<Row>) {
  const { path, params } = props;
  const move = useMove();
  const { shown = [], folded = [] } = Object.groupBy(chipsOf(params), (name) =>
    isInField(props, name) ? "folded" : "shown",
  );
  const without = (name: string) => withParams(path, params, { [name]: null, page: null });
  const chip = (name: string, link: object) => (
    <FilterChip name={name} label={inChip(props, name)} values={params.getAll(name)} link={link} />
  );
  return (
    <>
      {shown.length > 0 && (
        <ul class="chips">{shown.map((name) => chip(name, move(without(name))))}</ul>
      )}
      {/* Loads the page, with the field empty. */}
      {folded.length > 0 && (
        <ul class="chips narrow">{folded.map((name) => chip(name, { href: without(name) }))}</ul>
      )}
    </>
  );
}

interface FilterChipProps {
  name: string;
  label: string;
  values: string[];
  /** Leads to the list without the filter. */
  link: object;
}

export function FilterChip({ name, label, values, link }: FilterChipProps) {
  return (
    <li>
      {label} <b>{values.join(" or ")}</b>
      <a {...link}>
        <Icon name="x" /> <span class="hidden">Remove the filter {name}</span>
      </a>
    </li>
  );
}

function chipsOf(params: URLSearchParams): string[] {
  return filtersIn(params).filter((name) => name !== "q");
}

/** The filter in words; a field of the site has a label. */
function inChip<Row>({ columns }: ListProps<Row>, name: string): string {
  const [field = "", lookup = ""] = name.split("__");
  const label = field.includes(".") && columns.find((one) => one.name === field)?.label;
  const called = label ? `${label} ${lookup}`.trim() : name.replace("__", " ");
  return called.replaceAll("_", " ");
}

function Tally<Row>({ listed, noun, singular, ways, excel, ...state }: ListProps<Row>) {
  const { path, params } = state;
  const isKept = sources.has(path);
  const pages = lastPage(listed, listed.total);
  const place =
    pages > 1 ? `, page ${listed.page.toLocaleString("en")} of ${pages.toLocaleString("en")}` : "";
  const text = `${listed.total.toLocaleString("en")} ${listed.total === 1 ? singular : noun}${place}`;
  return (
    <div class="tally">
      <p role="status">{text}</p>
      {listed.total > 0 && <Clear path={path} params={params} />}
      <div class="ways">
        {listed.total > 0 && ways}
        {isKept && listed.total > 0 && <Exports path={path} params={params} excel={excel} />}
        {isKept && <SaveView path={path} params={params} />}
        <Chooser path={path} params={params} columns={state.columns} isKept={isKept} />
        <DensitySwitch />
      </div>
    </div>
  );
}

/** Back to the whole list, with its order and columns. */
function Clear({ path, params }: Pick<ListProps<never>, "path" | "params">) {
  const filters = filtersIn(params);
  if (filters.length === 0) return null;
  const none = Object.fromEntries(["page", "selected", ...filters].map((name) => [name, null]));
  return (
    <a class="button quiet clear" href={withParams(path, params, none)}>
      <Icon name="x" /> Clear filters
    </a>
  );
}

function filtersIn(params: URLSearchParams): string[] {
  return [...new Set(params.keys())].filter((name) => !DISPLAY.includes(name));
}

function Pages<Row>({ path, params, listed }: ListProps<Row>) {
  const move = useMove();
  const last = lastPage(listed, listed.total);
  const to = (page: number) => withParams(path, params, { page: page === 1 ? null : page });
  const sized = (size: number) => withParams(path, params, { per_page: size, page: null });
  return (
    <nav class="pages" aria-label="Pages">
      {listed.page > 1 && (
        <a rel="prev" {...move(to(Math.min(listed.page - 1, last)))}>
          <Icon name="chevron-left" /> Previous
        </a>
      )}
      {last > 1 && (
        <span>
          Page {listed.page.toLocaleString("en")} of {last.toLocaleString("en")}
        </span>
      )}
      {listed.page < last && (
        <a rel="next" {...move(to(listed.page + 1))}>
          Next <Icon name="chevron-right" />
        </a>
      )}
      <span class="per-page">
        {[20, 50, 100].map((size) =>
          size === listed.per_page ? <b>{size}</b> : <a {...move(sized(size))}>{size}</a>,
        )}
        per page
      </span>
    </nav>
  );
}

function NoMatch<Row>({ noun, path, params, listed, hint, offers }: ListProps<Row>) {
  const move = useMove();
  const isPastTheEnd = listed.total > 0;
  const clear = isPastTheEnd ? withParams(path, params, { page: null }) : path;
  return (
    <div class="empty">
      <EmptyPicture icon="search" />
      <p>{isPastTheEnd ? "This page is past the end of the list" : `No matching ${noun}`}</p>
      {!isPastTheEnd && (hint ?? <AsText params={params} />)}
      {offers && <DidYouMean offers={offers} path={path} params={params} />}
      <a class="button" {...(isPastTheEnd ? move(clear) : { href: clear })}>
        {isPastTheEnd ? "Go to the first page" : "Clear filters"}
      </a>
    </div>
  );
}

/** A text that cannot be parsed as a query was searched as it is. */
function AsText({ params }: { params: URLSearchParams }) {
  const error = syntaxErrorIn(params.get("q") ?? "");
  return error && <p>Not a valid query, so searched as plain text: {error}</p>;
}

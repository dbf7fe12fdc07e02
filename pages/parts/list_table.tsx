// The table of a list.
import type { ComponentChildren } from "preact";
import { pill as coloured } from "../lists/pill.tsx";
import { inList } from "../records/in_list.tsx";
import { useHx } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { Icon } from "./icon.tsx";
import { type Column, isShown, PICKED } from "./list_columns.tsx";
import { precompiled, precompiledBy } from "./precompiled_markup.ts";

interface SortedListAddress {
  path: string;
  params: URLSearchParams;
  order?: string | undefined;
}

interface Props<Row> extends SortedListAddress {
  noun: string;
  rows: Row[];
  columns: Column<Row>[];
  selected?: number;
}

export function Table<Row extends { id: number }>({
  rows,
  columns,
  noun,
  selected,
  ...state
}: Props<Row>) {
  const shown = columns.filter((column) => isShown(column, state.params));
  const list = inList(state.params);
  const address = { ...state, order: orderIn(columns, state) };
  const looks = shown.map(({ name, label, class: look }) => ({ name, label, look }));
  const drawn = rowOf({ columns: looks, isSelected: false });
  return DrawnTable({
    noun,
    headings: shown.map((column) => headingOf(column, address)),
    rows: rows.map((row) => {
      const draw = row.id === selected ? rowOf({ columns: looks, isSelected: true }) : drawn;
      const cells: Record<string, ComponentChildren> = { row: row.id };
      for (const column of shown) cells[column.name] = shownIn(column, row, list);
      return draw(cells);
    }),
  });
}

interface TableParts extends Record<string, ComponentChildren> {
  noun: string;
}

const DrawnTable = precompiled<TableParts>(({ noun, headings, rows }) => (
  <table class="list">
    <caption class="hidden">{noun}</caption>
    <thead>
      <tr>{headings}</tr>
    </thead>
    <tbody>{rows}</tbody>
  </table>
));

interface RowLook {
  columns: Array<{ name: string; label: string; look: string | undefined }>;
  isSelected: boolean;
}

/** The rows are alike: one is rendered once for each choice of columns, then filled in. */
const rowOf = precompiledBy<RowLook, Record<string, ComponentChildren>>(
  ({ columns, isSelected }, marks) => (
    <tr id={`row-${marks.row}`} aria-selected={isSelected ? true : undefined}>
      {columns.map(({ name, label, look }) => (
        <td data-label={label} class={look}>
          {marks[name]}
        </td>
      ))}
    </tr>
  ),
);

/** What orders the list: what is chosen, or what does so by itself. The best answers to a query have no order. */
function orderIn<Row>(
  columns: Column<Row>[],
  { params, order }: SortedListAddress,
): string | undefined {
  const chosen = params.get("sort");
  if (chosen || params.get("q")?.trim()) return chosen ?? undefined;
  return order ?? columns.find(({ sortable }) => sortable)?.name;
}

function shownIn<Row>(
  { cell, pill, class: looks }: Column<Row>,
  row: Row,
  list: string,
): ComponentChildren {
  const shown = cell(row, list);
  const colour = pill?.(row);
  if (colour) return coloured({ colour, shown });
  const longest = looks?.includes("mono") ? LONGEST_CODE : LONGEST;
  return typeof shown === "string" && shown.length > longest ? Cut({ text: shown }) : shown;
}

/** Longer texts are cut to one line; the whole is in the title. */
const LONGEST = 14;
/** A MAC address. */
const LONGEST_CODE = 17;

const Cut = precompiled<{ text: string }>(({ text }) => (
  <span class="cut" title={text}>
    {text}
  </span>
));

function headingOf<Row>(column: Column<Row>, { path, params, order }: SortedListAddress) {
  const { name, label, class: look } = column;
  if (name === PICKED) return PickHeading(look)({ label });
  if (!column.sortable) return PlainHeading(look)({ label });
  const direction = order === name ? "ascending" : order === `-${name}` ? "descending" : undefined;
  const next = direction === "ascending" ? `-${name}` : name;
  const href = withParams(path, params, { sort: next, page: null });
  return SortHeading({ look, direction })({ label, href });
}

const PickHeading = precompiledBy<string | undefined, { label: string }>((look, { label }) => (
  <th scope="col" class={look}>
    <span class="hidden">{label}</span>
    <input type="checkbox" class="js-only" data-all aria-label="Select all on this page" />
  </th>
));

const PlainHeading = precompiledBy<string | undefined, { label: string }>((look, { label }) => (
  <th scope="col" class={look}>
    {look?.includes("tight") ? <span class="hidden">{label}</span> : label}
  </th>
));

const SORT_ICONS = { ascending: "arrow-up", descending: "arrow-down", none: "arrows-sort" };

interface SortLook {
  look: string | undefined;
  direction: "ascending" | "descending" | undefined;
}

const SortHeading = precompiledBy<SortLook, { label: string; href: string }>(
  ({ look, direction }, { label, href }) => {
    const move = useMove();
    return (
      <th scope="col" class={look} aria-sort={direction}>
        <a {...move(href)}>
          {label} <Icon name={SORT_ICONS[direction ?? "none"]} />
        </a>
      </th>
    );
  },
);

const IN_PLACE = { target: "#list", swap: "outerHTML", "push-url": "true" };

/** A link that changes the list in place, or the whole page without a script. */
export function useMove(): (href: string) => Record<string, string> {
  const hx = useHx();
  return (href) => ({
    href,
    ...hx({ get: href, ...IN_PLACE }),
  });
}

/** The attributes of a form whose filters change the list while one types; the delay is in milliseconds. */
export function useFilterForm(path: string, delay: number): Record<string, string> {
  const hx = useHx();
  const trigger = `submit, input delay:${delay}ms`;
  return hx({ get: path, ...IN_PLACE, sync: "this:replace", trigger });
}

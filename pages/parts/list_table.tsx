// The table of a list.
import type { ComponentChildren, VNode } from "preact";
import { pill as coloured } from "../lists/pill.tsx";
import { inList } from "../records/in_list.tsx";
import { useHx } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { Icon } from "./icon.tsx";
import { type Column, isShown, PICKED } from "./list_columns.tsx";
import { precompiled } from "./precompiled_markup.ts";

interface ListAddress {
  path: string;
  params: URLSearchParams;
  order?: string | undefined;
}

interface Props<Row> extends ListAddress {
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
  const drawn = rowOf(shown, false);
  return (
    <table class="list">
      <caption class="hidden">{noun}</caption>
      <thead>
        <tr>
          {shown.map((column) => (
            <Heading column={column} {...address} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const draw = row.id === selected ? rowOf(shown, true) : drawn;
          const cells = shown.map((column) => [column.name, shownIn(column, row, list)]);
          return draw({ row: row.id, ...Object.fromEntries(cells) });
        })}
      </tbody>
    </table>
  );
}

type DrawRow = (cells: Record<string, ComponentChildren>) => VNode;

const MOST_ROWS = 1_000;
const rows = new Map<string, DrawRow>();

/** The rows are alike: one is rendered once for each choice of columns, then filled in. */
function rowOf<Row>(columns: Column<Row>[], isSelected: boolean): DrawRow {
  const looks = columns.map(({ name, label, class: look }) => [name, label, look]);
  const key = JSON.stringify([looks, isSelected]);
  const known = rows.get(key);
  if (known) return known;
  const made = precompiled<Record<string, ComponentChildren>>((marks) => (
    <tr id={`row-${marks.row}`} aria-selected={isSelected ? true : undefined}>
      {columns.map(({ name, label, class: look }) => (
        <td data-label={label} class={look}>
          {marks[name]}
        </td>
      ))}
    </tr>
  ));
  if (rows.size >= MOST_ROWS) rows.clear();
  rows.set(key, made);
  return made;
}

/** What orders the list: what is chosen, or what does so by itself. The best answers to a query have no order. */
function orderIn<Row>(columns: Column<Row>[], { params, order }: ListAddress): string | undefined {
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

interface HeadingProps<Row> extends ListAddress {
  column: Column<Row>;
}

function Heading<Row>({ column, path, params, order }: HeadingProps<Row>) {
  const { name, label } = column;
  if (name === PICKED) {
    return (
      <th scope="col" class={column.class}>
        <span class="hidden">{label}</span>
        <input type="checkbox" class="js-only" data-all aria-label="Select all on this page" />
      </th>
    );
  }
  if (!column.sortable) {
    return (
      <th scope="col" class={column.class}>
        {column.class?.includes("tight") ? <span class="hidden">{label}</span> : label}
      </th>
    );
  }
  const direction = order === name ? "ascending" : order === `-${name}` ? "descending" : undefined;
  const next = direction === "ascending" ? `-${name}` : name;
  const icon = { ascending: "arrow-up", descending: "arrow-down", none: "arrows-sort" }[
    direction ?? "none"
  ];
  return (
    <th scope="col" class={column.class} aria-sort={direction}>
      {SortLink({
        href: withParams(path, params, { sort: next, page: null }),
        label,
        icon: Icon({ name: icon }),
      })}
    </th>
  );
}

const SortLink = precompiled<{ href: string; label: string; icon: ComponentChildren }>(
  ({ href, label, icon }) => {
    const move = useMove();
    return (
      <a {...move(href)}>
        {label} {icon}
      </a>
    );
  },
);

/** A link that changes the list in place, or the whole page without a script. */
export function useMove(): (href: string) => Record<string, string> {
  const hx = useHx();
  return (href) => ({
    href,
    ...hx({ get: href, target: "#list", swap: "outerHTML", "push-url": "true" }),
  });
}

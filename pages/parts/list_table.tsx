// The table of a list.
import type { ComponentChildren } from "preact";
import { AskOf } from "../help/ask.tsx";
import { Pill } from "../lists/pill.tsx";
import { inList } from "../records/in_list.tsx";
import { useHx } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { Icon } from "./icon.tsx";
import { type Column, isShown, PICKED } from "./list_columns.tsx";

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
  const order = orderIn(columns, state);
  return (
    <table class="list">
      <caption class="hidden">{noun}</caption>
      <thead>
        <tr>
          {shown.map((column) => (
            <Heading column={column} {...state} order={order} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr id={`row-${row.id}`} aria-selected={row.id === selected ? true : undefined}>
            {shown.map((column) => (
              <td data-label={column.label} class={column.class}>
                {shownIn(column, row, list)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
  if (colour) return <Pill colour={colour}>{shown}</Pill>;
  const longest = looks?.includes("mono") ? LONGEST_CODE : LONGEST;
  if (typeof shown !== "string" || shown.length <= longest) return shown;
  return (
    <span class="cut" title={shown}>
      {shown}
    </span>
  );
}

/** Longer texts are cut to one line; the whole is in the title. */
const LONGEST = 14;
/** A MAC address. */
const LONGEST_CODE = 17;

const SORT_ICONS = { ascending: "arrow-up", descending: "arrow-down", none: "arrows-sort" };

function Heading<Row>({
  column,
  path,
  params,
  order,
}: SortedListAddress & { column: Column<Row> }) {
  const move = useMove();
  const { name, label, class: look } = column;
  if (name === PICKED) {
    return (
      <th scope="col" class={look}>
        <span class="hidden">{label}</span>
        <input type="checkbox" class="js-only" data-all aria-label="Select all on this page" />
      </th>
    );
  }
  if (!column.sortable) {
    return (
      <th scope="col" class={look}>
        {look?.includes("tight") ? <span class="hidden">{label}</span> : label}{" "}
        <AskOf label={label} />
      </th>
    );
  }
  const direction = order === name ? "ascending" : order === `-${name}` ? "descending" : undefined;
  const next = direction === "ascending" ? `-${name}` : name;
  return (
    <th scope="col" class={look} aria-sort={direction}>
      <a {...move(withParams(path, params, { sort: next, page: null }))}>
        {label} <Icon name={SORT_ICONS[direction ?? "none"]} />
      </a>{" "}
      {/* A count has no room for it, and is no such thing itself. */}
      {!look?.includes("number") && <AskOf label={label} />}
    </th>
  );
}

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

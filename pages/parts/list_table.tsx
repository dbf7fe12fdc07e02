// The table of a list.
import type { ComponentChildren } from "preact";
import { inList } from "../records/in_list.tsx";
import { useHx } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { Icon } from "./icon.tsx";
import { type Column, isShown } from "./list_columns.tsx";
import { precompiled } from "./precompiled_markup.ts";

interface ListAddress {
  path: string;
  params: URLSearchParams;
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
  // The cells of all rows are alike: rendered once, then filled in.
  const cells = precompiled<Record<string, ComponentChildren>>((row) => (
    <>
      {shown.map(({ name, label, class: looks }) => (
        <td data-label={label} class={looks}>
          {row[name]}
        </td>
      ))}
    </>
  ));
  return (
    <table class="list">
      <caption class="hidden">{noun}</caption>
      <thead>
        <tr>
          {shown.map((column) => (
            <Heading column={column} {...state} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr id={`row-${row.id}`} aria-selected={row.id === selected ? true : undefined}>
            {cells(Object.fromEntries(shown.map(({ name, cell }) => [name, cell(row, list)])))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadingProps<Row> extends ListAddress {
  column: Column<Row>;
}

function Heading<Row>({ column, path, params }: HeadingProps<Row>) {
  const move = useMove();
  const { name, label } = column;
  if (!column.sortable) {
    return (
      <th scope="col" class={column.class}>
        {column.class?.includes("tight") ? <span class="hidden">{label}</span> : label}
      </th>
    );
  }
  const sort = params.get("sort");
  const direction = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  const next = direction === "ascending" ? `-${name}` : name;
  const icon = { ascending: "arrow-up", descending: "arrow-down", none: "arrows-sort" }[
    direction ?? "none"
  ];
  return (
    <th scope="col" class={column.class} aria-sort={direction}>
      <a {...move(withParams(path, params, { sort: next, page: null }))}>
        {label} <Icon name={icon} />
      </a>
    </th>
  );
}

/** A link that changes the list in place, or the whole page without a script. */
export function useMove(): (href: string) => Record<string, string> {
  const hx = useHx();
  return (href) => ({
    href,
    ...hx({ get: href, target: "#list", swap: "outerHTML", "push-url": "true" }),
  });
}

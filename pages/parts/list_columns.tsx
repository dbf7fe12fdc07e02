import type { ComponentChildren } from "preact";
import { timeAgo } from "../records/time.tsx";
import { Icon } from "./icon.tsx";
import { precompiled } from "./precompiled_markup.ts";

export interface Column<Row> {
  name: string;
  label: string;
  sortable?: boolean;
  class?: string;
  /** Shown whatever columns are chosen. */
  fixed?: boolean;
  /** Shown only to those who choose it. */
  rare?: boolean;
  /** `inList` is the query by which a link to the page of the row carries the list. */
  cell: (row: Row, inList: string) => ComponentChildren;
}

/** The box that picks a row for what is done with many. */
export const PICK: Column<{ id: number; name: string }> = {
  name: "pick",
  label: "Select",
  class: "tight",
  fixed: true,
  cell: precompiled(({ id, name }) => (
    <input type="checkbox" name="id" value={id} form="bulk" aria-label={`Select ${name}`} />
  )),
};

export const UPDATED: Column<{ updated_at: string }> = {
  name: "updated_at",
  label: "Updated",
  sortable: true,
  class: "time",
  cell: (row) => timeAgo(row.updated_at),
};

interface Props<Row> {
  path: string;
  params: URLSearchParams;
  columns: Column<Row>[];
}

/** Which columns are shown. */
export function Chooser<Row>({ path, params, columns }: Props<Row>) {
  const kept = [...params].filter(([name]) => name !== "cols");
  return (
    <details class="chooser">
      <summary>
        <Icon name="columns" /> Columns
      </summary>
      <form method="get" action={path} data-auto>
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {columns
          .filter((column) => !column.fixed)
          .map((column) => (
            <label>
              <input
                type="checkbox"
                name="cols"
                value={column.name}
                checked={isShown(column, params)}
              />
              {column.label}
            </label>
          ))}
        <button type="submit" class="no-js-only">
          Show
        </button>
      </form>
    </details>
  );
}

export function isShown<Row>(column: Column<Row>, params: URLSearchParams): boolean {
  const chosen = params.getAll("cols");
  if (chosen.length === 0) return column.rare !== true;
  return column.fixed === true || chosen.includes(column.name);
}

import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  name: string;
  label: string;
  sortable?: boolean;
  class?: string;
  /** Shown whatever columns are chosen. */
  fixed?: boolean;
  /** Shown only to those who choose it. */
  rare?: boolean;
  cell: (row: Row) => ComponentChildren;
}

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

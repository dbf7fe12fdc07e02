import type { ComponentChildren } from "preact";
import type { Colour } from "../../src/inventory/attributes/attribute.ts";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  name: string;
  label: string;
  sortable?: boolean;
  class?: string;
  /** Always shown. */
  fixed?: boolean;
  /** Shown only to those who choose it. */
  rare?: boolean;
  /** Shows it as a pill of this colour. */
  pill?: (row: Row) => Colour | undefined;
  /** `inList` is the query by which a link to the page of the row carries the list. */
  cell: (row: Row, inList: string) => ComponentChildren;
}

/** The name of the column of boxes. */
export const PICKED = "pick";

/** The box that picks a row for what is done with many. Rows that the caller may not change have none. */
export function pickBy<Row extends { id: number; mayWrite?: boolean }>(
  nameOf: (row: Row) => string,
): Column<Row> {
  return {
    name: PICKED,
    label: "Select",
    class: "tight",
    fixed: true,
    cell: (row) =>
      row.mayWrite === false ? null : (
        <input
          type="checkbox"
          name="id"
          value={row.id}
          form="bulk"
          aria-label={`Select ${nameOf(row)}`}
        />
      ),
  };
}

export const PICK = pickBy<{ id: number; name: string; mayWrite?: boolean }>(({ name }) => name);

export const UPDATED: Column<{ updated_at: string }> = {
  name: "updated_at",
  label: "Updated",
  sortable: true,
  class: "time",
  cell: (row) => <Time at={row.updated_at} />,
};

interface Props<Row> {
  path: string;
  params: URLSearchParams;
  columns: Column<Row>[];
  /** The choice is remembered. */
  isKept: boolean;
}

/** Which columns are shown. */
export function Chooser<Row>({ path, params, columns, isKept }: Props<Row>) {
  const kept = [...params].filter(([name]) => name !== "cols");
  const hidden = isKept
    ? [["list", path] as const, ["query", new URLSearchParams(kept).toString()] as const]
    : kept;
  const form = isKept ? { method: "post", action: "/searches/columns" } : { action: path };
  return (
    <details class="chooser">
      <summary>
        <Icon name="columns" /> Columns
      </summary>
      <form {...form} data-auto>
        {hidden.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {columns
          .filter(({ fixed }) => !fixed)
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

const DENSITY_ICONS = {
  comfortable: "baseline-density-medium",
  compact: "baseline-density-small",
} as const;

/** Rows with more or less room between them. */
export function DensitySwitch() {
  const { density, here } = useFrame();
  const next = density === "compact" ? "comfortable" : "compact";
  const label = `Rows: ${density}`;
  return (
    <form method="post" action="/user/profile">
      <input type="hidden" name="next" value={here} />
      <button
        type="submit"
        class="quiet square"
        name="density"
        value={next}
        aria-label={label}
        title={label}
      >
        <Icon name={DENSITY_ICONS[density]} />
      </button>
    </form>
  );
}

export function isShown<Row>(column: Column<Row>, params: URLSearchParams): boolean {
  const chosen = params.getAll("cols");
  if (chosen.length === 0) return column.rare !== true;
  return column.fixed === true || chosen.includes(column.name);
}

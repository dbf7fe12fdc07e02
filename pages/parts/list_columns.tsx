import type { ComponentChildren } from "preact";
import type { Colour } from "../../src/inventory/attributes/attribute.ts";
import { timeAgo } from "../records/time.tsx";
import { type Density, useFrame } from "../request/frame.ts";
import { Icon } from "./icon.tsx";
import { precompiled, precompiledBy } from "./precompiled_markup.ts";

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
    cell: (row) => (row.mayWrite === false ? null : PickBox({ id: row.id, name: nameOf(row) })),
  };
}

const PickBox = precompiled<{ id: number; name: string }>(({ id, name }) => (
  <input type="checkbox" name="id" value={id} form="bulk" aria-label={`Select ${name}`} />
));

export const PICK = pickBy<{ id: number; name: string; mayWrite?: boolean }>(({ name }) => name);

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
  /** The choice is remembered. */
  isKept: boolean;
}

/** Which columns are shown. */
export function Chooser<Row>({ path, params, columns, isKept }: Props<Row>) {
  const kept = [...params].filter(([name]) => name !== "cols");
  const hidden = isKept
    ? [["list", path] as const, ["query", new URLSearchParams(kept).toString()] as const]
    : kept;
  const boxes = columns
    .filter((column) => !column.fixed)
    .map((column) => ({
      name: column.name,
      label: column.label,
      isChecked: isShown(column, params),
    }));
  return ChooserForm({ isKept, boxes })({
    path,
    hidden: hidden.map(([name, value]) => HiddenInput({ name, value })),
  });
}

const HiddenInput = precompiled<{ name: string; value: string }>(({ name, value }) => (
  <input type="hidden" name={name} value={value} />
));

interface ChooserLook {
  isKept: boolean;
  boxes: Array<{ name: string; label: string; isChecked: boolean }>;
}

interface ChooserParts extends Record<string, ComponentChildren> {
  path: string;
}

const ChooserForm = precompiledBy<ChooserLook, ChooserParts>(
  ({ isKept, boxes }, { path, hidden }) => {
    const form = isKept ? { method: "post", action: "/searches/columns" } : { action: path };
    return (
      <details class="chooser">
        <summary>
          <Icon name="columns" /> Columns
        </summary>
        <form {...form} data-auto>
          {hidden}
          {boxes.map(({ name, label, isChecked }) => (
            <label>
              <input type="checkbox" name="cols" value={name} checked={isChecked} />
              {label}
            </label>
          ))}
          <button type="submit" class="no-js-only">
            Show
          </button>
        </form>
      </details>
    );
  },
);

const DENSITY_ICONS = {
  comfortable: "baseline-density-medium",
  compact: "baseline-density-small",
} as const;

/** Rows with more or less room between them. */
export function DensitySwitch() {
  const { density, here } = useFrame();
  return DensityForm(density)({ here });
}

const DensityForm = precompiledBy<Density, { here: string }>((density, { here }) => {
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
});

export function isShown<Row>(column: Column<Row>, params: URLSearchParams): boolean {
  const chosen = params.getAll("cols");
  if (chosen.length === 0) return column.rare !== true;
  return column.fixed === true || chosen.includes(column.name);
}

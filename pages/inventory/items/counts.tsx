import type { Count, ItemCounts } from "../../../src/inventory/items/counts.ts";
import { ITEMS } from "./paths.ts";

interface Props {
  counts: Pick<ItemCounts, "statuses" | "models">;
  /** The filter of the list that has these items. */
  filter: Record<string, string>;
}

/** How many items of each status and model, leading to them in the list. */
export function CountsOfItems({ counts: { statuses, models }, filter }: Props) {
  return (
    <dl class="counts">
      {!filter.status && <Counted label="Status" name="status" counts={statuses} filter={filter} />}
      {!filter.model && <Counted label="Model" name="model" counts={models} filter={filter} />}
    </dl>
  );
}

interface CountedProps {
  label: string;
  name: "status" | "model";
  counts: Count[];
  filter: Record<string, string>;
}

function Counted({ label, name, counts, filter }: CountedProps) {
  if (counts.length === 0) return null;
  return (
    <div>
      <dt>{label}</dt>
      {counts.map(({ name: value, count }) => {
        const wanted = value === null ? { [`${name}__isnull`]: "true" } : { [name]: value };
        return (
          <dd>
            <a href={itemsPath({ ...filter, ...wanted })}>{value ?? "None"}</a>{" "}
            <span class="muted">{count.toLocaleString("en")}</span>
          </dd>
        );
      })}
    </div>
  );
}

export function itemsPath(filter: Record<string, string>): string {
  return `${ITEMS}?${new URLSearchParams(filter)}`;
}

/** Leads to all items where only the first of them are shown. */
export function AllItems({
  total,
  shown,
  filter,
}: { total: number; shown: number } & Pick<Props, "filter">) {
  if (total <= shown) return null;
  return (
    <p>
      <a class="button quiet" href={itemsPath(filter)}>
        All {total.toLocaleString("en")} items
      </a>
    </p>
  );
}

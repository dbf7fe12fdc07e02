// What an import would do: the verdict and changes for each row.
import type { ImportPlan } from "../../import/import.ts";
import { type NamedRecords, type StoredValues, textOf } from "../../import/stored_columns.ts";
import type { RowVerdict } from "../../import/verdicts.ts";
import { mapInSlices, yieldToOthers } from "../../input/time_slices.ts";
import { type Draft, draftsOf } from "./drafts.ts";
import type { ExistingItem, ExistingRecords } from "./existing_records.ts";
import { checkClaims, hasErrors, refuseDependents } from "./row_dependencies.ts";
import { type ImportEntry, PLACES, STORED } from "./rows.ts";
import {
  type InheritedPlace,
  inheritedPlaces,
  refuseCycles,
  refuseRemainingCycles,
} from "./tree.ts";

export interface ItemVerdict extends RowVerdict {
  /** Null for an item that will get a temporary id. */
  ics_id: string | null;
}

export interface ItemPlan extends ImportPlan<ItemVerdict> {
  known: ExistingRecords;
  drafts: Draft[];
  /** The new location and status of each item, also of those inside the rows' items. */
  places: Map<number, InheritedPlace>;
}

/** Computed from the loaded records, without further queries. */
export async function planOf(entries: ImportEntry[], known: ExistingRecords): Promise<ItemPlan> {
  const drafts = await draftsOf(entries, known);
  const dependencies = checkClaims(drafts, known);
  await yieldToOthers();
  refuseDependents(dependencies);
  for (const refuse of [refuseCycles, refuseRemainingCycles]) {
    refuse(drafts, known);
    refuseDependents(dependencies);
  }
  await yieldToOthers();
  const places = inheritedPlaces(drafts, known);
  const labels = new Map(drafts.map(({ id, label }) => [id, label]));
  for (const { id, ics_id } of known.around.values()) labels.set(id, ics_id);
  const lookup = { names: known.named.names, labels };
  const verdicts = await mapInSlices(drafts, (draft) => verdictOf(draft, places, lookup));
  // One for all rows, however many of them are refused for hidden records.
  const probe = drafts.flatMap(({ errors }) => errors).find(({ taken }) => taken !== undefined);
  return { known, drafts, places, verdicts, probes: probe ? [probe] : [] };
}

function verdictOf(
  draft: Draft,
  places: Map<number, InheritedPlace>,
  lookup: NameLookup,
): ItemVerdict {
  const { line, label, existing, errors } = draft;
  const common = { line, ics_id: label };
  if (hasErrors(draft)) {
    const shown = errors.map(({ field, message }) => ({ field, message }));
    return { ...common, verdict: "refused", changes: [], errors: shown };
  }
  const place = places.get(draft.id) ?? { location_id: null, status_id: null };
  const now = textsOf({ ...draft, ...place }, lookup);
  const old = existing ? textsOf({ ...existing, comments: [] }, lookup) : {};
  const changes = Object.entries(now)
    .map(([field, text]) => ({ field, old: old[field] ?? null, now: text }))
    .filter((one) => one.old !== one.now);
  const verdict = !existing ? "new" : changes.length > 0 ? "change" : "same";
  return { ...common, verdict, changes, errors: [] };
}

interface NameLookup {
  names: NamedRecords["names"];
  /** ICS ids of items, and of rows that will make items. */
  labels: Map<number, string | null>;
}

type DescribedItem = Omit<ExistingItem, "id" | "ics_id">;

/** In the order of the history. */
function textsOf(
  item: DescribedItem,
  { names, labels }: NameLookup,
): Record<string, string | null> {
  const isHidden = item.host_id !== null && item.host === null;
  const { location_id, status_id } = item;
  const values: StoredValues = { ...item.stored, location_id, status_id };
  return {
    ...Object.fromEntries(
      [...STORED, ...PLACES].map((one) => [one.name, textOf(one, values[one.column], names)]),
    ),
    parent: item.parent_id === null ? null : (labels.get(item.parent_id) ?? null),
    host: item.host?.name ?? null,
    stack_member: isHidden || item.stack_member === null ? null : String(item.stack_member),
    macs: item.macs.toSorted().join(", ") || null,
    comments: item.comments.join("\n") || null,
  };
}

// What an import would do: the verdict and changes for each row.
import type { ImportPlan } from "../../import/import.ts";
import { type NamedRecords, type StoredValues, textOf } from "../../import/stored_columns.ts";
import { alreadyInRow, type RowVerdict, type RowWarning } from "../../import/verdicts.ts";
import { mapInSlices, yieldToOthers } from "../../input/time_slices.ts";
import { isProbablySame, type SerialOfItem, sameSerialMessage } from "../items/same_serials.ts";
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
  const bySerial = Map.groupBy(drafts, ({ stored }) => String(stored.serial_number));
  const verdicts = await mapInSlices(drafts, (draft) => {
    const verdict = verdictOf(draft, places, lookup);
    const warnings = verdict.verdict === "refused" ? [] : serialWarnings(draft, bySerial, known);
    return warnings.length > 0 ? { ...verdict, warnings } : verdict;
  });
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

/** Rows that are probably an item of the register, or one of a row above. */
function serialWarnings(
  draft: Draft,
  bySerial: Map<string, Draft[]>,
  known: ExistingRecords,
): RowWarning[] {
  const { id, existing, label } = draft;
  const own = serialOf(draft);
  const before = existing && serialOf(existing);
  if (JSON.stringify(before) === JSON.stringify(own)) return [];
  const field = "serial_number";
  const alike = bySerial.get(own.serial_number) ?? [];
  const first = alike.find((one) => isProbablySame(own, serialOf(one)));
  if (first && first !== draft) return [alreadyInRow(field, own.serial_number, first)];
  const twins = known.serials.get(own.serial_number) ?? [];
  const others = twins.filter((one) => one.id !== id && isProbablySame(own, one));
  const [only, ...more] = others.map(({ ics_id }) => ics_id);
  if (only === undefined) return [];
  const message = sameSerialMessage([only, ...more]);
  const isOffered = label === null && more.length === 0;
  return [{ field, message, ...(isOffered && { instead: { ics_id: only } }) }];
}

function serialOf({ stored }: Pick<Draft, "stored">): SerialOfItem {
  const { serial_number, manufacturer_id } = stored;
  return {
    serial_number: String(serial_number ?? ""),
    manufacturer_id: typeof manufacturer_id === "number" ? manufacturer_id : null,
  };
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

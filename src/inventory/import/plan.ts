// What an import would do, row by row and in words.

import type { Fault } from "../../input/errors.ts";
import { letOthers, mapInSlices } from "../../input/time_slices.ts";
import type { Difference } from "../../store/resource.ts";
import { type Draft, draftsOf } from "./drafts.ts";
import type { Kept, Known } from "./existing_records.ts";
import { claimsOf, isRefused, refuseNeedy } from "./row_dependencies.ts";
import { type Entry, PLAIN, type Values } from "./rows.ts";
import { type Location, placesOf, refuseCircles, refuseOtherCircles } from "./tree.ts";

export interface Verdict {
  line: number;
  verdict: "new" | "change" | "same" | "refused";
  /** Null of an item that is to get a temporary one. */
  ics_id: string | null;
  changes: Difference[];
  errors: Fault[];
}

export interface Plan {
  drafts: Draft[];
  verdicts: Verdict[];
  /** Where each item would stand, those inside of the rows' items too. */
  places: Map<number, Location>;
}

/** Decided from what is known alone. */
export async function planOf(entries: Entry[], known: Known): Promise<Plan> {
  const drafts = await draftsOf(entries, known);
  const needs = claimsOf(drafts, known);
  await letOthers();
  refuseNeedy(needs);
  for (const refuse of [refuseCircles, refuseOtherCircles]) {
    refuse(drafts, known);
    refuseNeedy(needs);
  }
  await letOthers();
  const places = placesOf(drafts, known);
  const labels = new Map(drafts.map(({ id, label }) => [id, label]));
  for (const { id, ics_id } of known.around.values()) labels.set(id, ics_id);
  const telling = { names: known.names, labels };
  const verdicts = await mapInSlices(drafts, (draft) => verdictOf(draft, places, telling));
  return { drafts, places, verdicts };
}

function verdictOf(draft: Draft, places: Map<number, Location>, telling: Telling): Verdict {
  const { line, label, kept, faults } = draft;
  const told = { line, ics_id: label };
  if (isRefused(draft)) {
    const errors = faults.map(({ field, message }) => ({ field, message }));
    return { ...told, verdict: "refused", changes: [], errors };
  }
  const place = places.get(draft.id) ?? { location_id: null, status_id: null };
  const now = wordsOf({ ...draft, ...place }, telling);
  const old = kept ? wordsOf({ ...kept, comments: [] }, telling) : {};
  const changes = Object.entries(now)
    .map(([field, word]) => ({ field, old: old[field] ?? null, now: word }))
    .filter((one) => one.old !== one.now);
  const verdict = !kept ? "new" : changes.length > 0 ? "change" : "same";
  return { ...told, verdict, changes, errors: [] };
}

interface Telling {
  /** Of attributes by their keys: "location 7". */
  names: Map<string, string>;
  /** Of items, and of rows that will be items. */
  labels: Map<number, string | null>;
}

type Told = Omit<Kept, "id" | "ics_id">;

/** In the order in which history tells of them. */
function wordsOf(item: Told, { names, labels }: Telling): Record<string, string | null> {
  const isHidden = item.host_id !== null && item.host === null;
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, textOf(item.plain[name])])),
    manufacturer: nameOf(names, "manufacturer", item.manufacturer_id),
    model: nameOf(names, "model", item.model_id),
    location: nameOf(names, "location", item.location_id),
    status: nameOf(names, "status", item.status_id),
    parent: item.parent_id === null ? null : (labels.get(item.parent_id) ?? null),
    host: item.host?.name ?? null,
    stack_member: isHidden || item.stack_member === null ? null : String(item.stack_member),
    macs: item.macs.toSorted().join(", ") || null,
    comments: item.comments.join("\n") || null,
  };
}

function textOf(value: Values[string] | undefined): string | null {
  return value == null ? null : String(value);
}

function nameOf(names: Telling["names"], kind: string, key: number | null): string | null {
  return key === null ? null : (names.get(`${kind} ${key}`) ?? null);
}

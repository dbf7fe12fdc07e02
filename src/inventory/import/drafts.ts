// What each row would do to its item, by the rules for one item: names become keys, and fields that are left out
// stay. Dependencies between rows are checked afterwards.
import { type StoredColumn, type StoredValues, valueIn } from "../../import/stored_columns.ts";
import { alreadyInRow } from "../../import/verdicts.ts";
import { type FieldError, Refusal, unknownName } from "../../input/errors.ts";
import { REQUIRED } from "../../input/shape.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { chosenId, NO_TEMPORARY_ID, stackError, unavailableItem } from "../items/item_rules.ts";
import { newItem } from "../items/items.ts";
import {
  type ExistingItem,
  type ExistingRecords,
  type ImportHost,
  macsOf,
  wantsTemporary,
} from "./existing_records.ts";
import { blankOf, type ImportEntry, initial, PLACES, STORED } from "./rows.ts";

export interface Draft {
  line: number;
  label: string | null;
  /** The key of the item; a negative placeholder for a new one. */
  id: number;
  existing: ExistingItem | undefined;
  stored: StoredValues;
  parent_id: number | null;
  /** What the row itself gives; otherwise the item takes its parent's. */
  place: { location_id?: number | null; status_id?: number | null };
  host_id: number | null;
  /** Null also if the host is hidden from the caller. */
  host: ImportHost | null;
  stack_member: number | null;
  macs: string[];
  /** New comments only. */
  comments: string[];
  errors: FieldError[];
}

export async function draftsOf(entries: ImportEntry[], known: ExistingRecords): Promise<Draft[]> {
  const firsts = new Map<string, ImportEntry>();
  for (const entry of entries) {
    if (entry.label && !firsts.has(entry.label)) firsts.set(entry.label, entry);
  }
  // All placeholders are made first, because a row may name a parent that a later row makes.
  const keys = new Map(known.keys);
  entries.forEach(({ label }, at) => {
    if (label && !known.items.has(label) && !keys.has(label)) keys.set(label, -1 - at);
  });
  const unlabelled = new Set(entries.filter(wantsTemporary).slice(known.free.length));
  return mapInSlices(entries, (entry, at) => {
    const first = firsts.get(entry.label ?? "") ?? entry;
    const errors = [...entry.errors, ...(unlabelled.has(entry) ? [NO_TEMPORARY_ID] : [])];
    if (first !== entry) {
      errors.push(alreadyInRow("ics_id", entry.label, first));
    }
    const id = first === entry ? keys.get(entry.label ?? "") : undefined;
    const existing = known.items.get(entry.label ?? "");
    return draftOf({ entry, errors, known, keys, existing }, id ?? -1 - at);
  });
}

interface DraftContext {
  entry: ImportEntry;
  existing: ExistingItem | undefined;
  known: ExistingRecords;
  /** By ICS id, of items and of rows that will make items. */
  keys: Map<string, number>;
  errors: FieldError[];
}

function draftOf(reading: DraftContext, id: number): Draft {
  const { entry, existing, errors } = reading;
  const { filled, blank } = entry;
  if (!existing) requireNewItem(entry, errors);
  const parent_id = parentOf(reading);
  const mount = mountOf(reading);
  return {
    line: entry.line,
    label: entry.label,
    id,
    existing,
    stored: storedOf(reading),
    parent_id,
    place: placeOf(reading),
    ...mount,
    macs: filled.macs || blank.has("macs") ? macsOf(entry) : (existing?.macs ?? []),
    comments: newComments(filled.comments ?? [], existing?.comments ?? []),
    errors,
  };
}

function requireNewItem({ label, filled, errors: read }: ImportEntry, errors: FieldError[]): void {
  const isWrong = (name: string) => read.some(({ field }) => field === name);
  if (isWrong("row") || isWrong("ics_id")) return;
  const given = new Set(Object.keys(filled));
  for (const field of newItem.required ?? []) {
    if (!given.has(field) && !isWrong(field)) errors.push({ field, message: REQUIRED });
  }
  if (label) errors.push(...errorsOf(() => chosenId(label)));
}

function storedOf(reading: DraftContext): StoredValues {
  const { existing } = reading;
  return Object.fromEntries(
    STORED.map((stored) => {
      const { column } = stored;
      const given = givenIn(reading, stored);
      const now = existing ? existing.stored[column] : initial(column);
      return [column, given === undefined ? (now ?? null) : given];
    }),
  );
}

/** Null if the row clears it, undefined if it stays as it is. */
function givenIn({ entry, known, errors }: DraftContext, stored: StoredColumn) {
  const { name, column } = stored;
  if (entry.blank.has(name)) return blankOf(column);
  const value = (entry.filled as Record<string, unknown>)[name];
  return valueIn(stored, value === undefined ? undefined : { value, row: { errors } }, known.named);
}

function errorsOf(work: () => unknown): FieldError[] {
  try {
    work();
    return [];
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.errors;
    throw refusal;
  }
}

/** With a parent, a blank location or status means that of the parent. */
function placeOf(reading: DraftContext): Draft["place"] {
  const { filled, blank } = reading.entry;
  const given = PLACES.filter(
    ({ name }) => name in filled || (blank.has(name) && filled.parent === undefined),
  );
  return Object.fromEntries(given.map((stored) => [stored.column, givenIn(reading, stored)]));
}

function parentOf({ entry, existing, keys, errors }: DraftContext): number | null {
  const label = entry.filled.parent?.toUpperCase();
  if (label === undefined) return entry.blank.has("parent") ? null : (existing?.parent_id ?? null);
  const key = keys.get(label);
  if (key === undefined) errors.push(unknownName("parent", label));
  return key ?? null;
}

type DraftMount = Pick<Draft, "host_id" | "host" | "stack_member">;

function mountOf(reading: DraftContext): DraftMount {
  const { entry, existing, errors } = reading;
  const { stack_member } = entry.filled;
  const mount = hostOf(reading);
  if (!mount) return { host_id: null, host: null, stack_member: null };
  // A blank does not clear a hidden host.
  const isHidden = mount.host_id !== null && mount.host === null;
  const stays = isHidden || !entry.blank.has("stack_member");
  const now = existing && isSameOrShown(existing, mount) && stays ? existing.stack_member : null;
  const mode = stack_member ?? (mount.host_id === null ? null : now);
  const isSame = mode === existing?.stack_member && mount.host_id === existing?.host_id;
  // Nor may a guess reveal whether the value is right.
  const needsStack = isHidden ? stack_member !== undefined : !isSame && mode !== null;
  const host = mount.host ?? undefined;
  const error = needsStack && stackError({ host, stack_member: mode, isTaken: false });
  if (error) errors.push(error);
  if (!isSame) errors.push(...moveErrors(reading, mount.host));
  return { ...mount, stack_member: mode };
}

/** Only callers who may change a host may change what is mounted on it. */
function moveErrors({ entry, existing }: DraftContext, to: ImportHost | null): FieldError[] {
  const protectedHost = [existing?.host, to].find((host) => host?.editable === false);
  if (protectedHost) {
    return [
      { field: "host", message: `Only admins may change what is mounted on ${protectedHost.name}` },
    ];
  }
  const isHidden = existing !== undefined && existing.host_id !== null && existing.host === null;
  if (!isHidden || entry.filled.host === undefined) return [];
  return [unavailableItem("host", existing.ics_id)];
}

/** The stack member of an item is lost when it leaves a hidden host. */
function isSameOrShown(existing: ExistingItem, { host_id }: Pick<DraftMount, "host_id">): boolean {
  return existing.host_id === host_id || existing.host !== null;
}

/** Undefined if the row names a host that is not visible to the caller. */
function hostOf({
  entry,
  existing,
  known,
  errors,
}: DraftContext): Omit<DraftMount, "stack_member"> | undefined {
  const name = entry.filled.host;
  const now = { host_id: existing?.host_id ?? null, host: existing?.host ?? null };
  const isHidden = now.host_id !== null && now.host === null;
  if (name === undefined) {
    return entry.blank.has("host") && !isHidden ? { host_id: null, host: null } : now;
  }
  const host = known.hosts.get(name.toLowerCase());
  if (host) return { host_id: host.id, host };
  errors.push(unknownName("host", name));
  return undefined;
}

/** The comments that the item does not have yet, neither as a whole nor as a line of another one. */
function newComments(given: string[], existing: string[]): string[] {
  const has = new Set([
    ...existing,
    ...existing.flatMap((body) => body.split("\n").map((one) => one.trim())),
  ]);
  const last = given.at(-1);
  return [...new Set(given)].filter(
    (one) => !has.has(one) && !(one === last && isCutOff(one, has)),
  );
}

/** The export truncates text that is too long for a cell: the last comment is cut off. */
function isCutOff(text: string, has: Set<string>): boolean {
  return text.endsWith("…") && [...has].some((one) => one.startsWith(text.slice(0, -1)));
}

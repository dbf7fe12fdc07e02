// What each row would make of its item, by the rules that hold for one: names become keys, and what is
// left out stays as it is. What rows owe to each other is looked at afterwards.
import { type Fault, Refusal, unknownName } from "../../input/errors.ts";
import { REQUIRED } from "../../input/shape.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import type { ItemKind } from "../attributes/attribute.ts";
import { chosenId, NO_TEMPORARY_ID, stackFault, unavailable } from "../items/item_rules.ts";
import { newItem } from "../items/items.ts";
import {
  addressesOf,
  type Host,
  type Kept,
  type Known,
  wantsTemporary,
} from "./existing_records.ts";
import { type Entry, initial, isClearable, PLAIN, type Values } from "./rows.ts";

export interface Draft {
  line: number;
  label: string | null;
  /** The key of its item; of a new one a negative number that stands for it. */
  id: number;
  kept: Kept | undefined;
  plain: Values;
  manufacturer_id: number | null;
  model_id: number | null;
  parent_id: number | null;
  /** What the row gives by itself; where it gives nothing the item follows what it stands in. */
  place: { location_id?: number | null; status_id?: number | null };
  host_id: number | null;
  /** Null also where the host is hidden from the caller. */
  host: Host | null;
  stack_member: number | null;
  macs: string[];
  /** Those that the item has not got yet. */
  comments: string[];
  faults: Fault[];
}

export async function draftsOf(entries: Entry[], known: Known): Promise<Draft[]> {
  const firsts = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.label && !firsts.has(entry.label)) firsts.set(entry.label, entry);
  }
  // A stand-in has to be there before the row that stands in it is read, in whatever order they come.
  const keys = new Map(known.keys);
  entries.forEach(({ label }, at) => {
    if (label && !known.items.has(label) && !keys.has(label)) keys.set(label, -1 - at);
  });
  const unlabelled = new Set(entries.filter(wantsTemporary).slice(known.free.length));
  return mapInSlices(entries, (entry, at) => {
    const first = firsts.get(entry.label ?? "") ?? entry;
    const faults = [...entry.faults, ...(unlabelled.has(entry) ? [NO_TEMPORARY_ID] : [])];
    if (first !== entry) {
      faults.push({ field: "ics_id", message: `${entry.label} is in row ${first.line} already` });
    }
    const id = first === entry ? keys.get(entry.label ?? "") : undefined;
    const kept = known.items.get(entry.label ?? "");
    return draftOf({ entry, faults, known, keys, kept }, id ?? -1 - at);
  });
}

interface Reading {
  entry: Entry;
  kept: Kept | undefined;
  known: Known;
  /** By label, of items and of rows that will be items. */
  keys: Map<string, number>;
  faults: Fault[];
}

function draftOf(reading: Reading, id: number): Draft {
  const { entry, kept, faults } = reading;
  const { filled, blank } = entry;
  if (!kept) requireNew(entry, faults);
  const parent_id = parentOf(reading);
  const mount = mountOf(reading);
  return {
    line: entry.line,
    label: entry.label,
    id,
    kept,
    plain: plainOf(reading),
    manufacturer_id: attributeOf(reading, "manufacturer") ?? null,
    model_id: attributeOf(reading, "model") ?? null,
    parent_id,
    place: placeOf(reading),
    ...mount,
    macs: filled.macs || blank.has("macs") ? addressesOf(entry) : (kept?.macs ?? []),
    comments: newComments(filled.comments ?? [], kept?.comments ?? []),
    faults,
  };
}

function requireNew({ label, filled, faults: read }: Entry, faults: Fault[]): void {
  const isWrong = (name: string) => read.some(({ field }) => field === name);
  if (isWrong("row") || isWrong("ics_id")) return;
  const given = new Set(Object.keys(filled));
  for (const field of newItem.required ?? []) {
    if (!given.has(field) && !isWrong(field)) faults.push({ field, message: REQUIRED });
  }
  if (label) faults.push(...faultsOf(() => chosenId(label)));
}

function plainOf({ entry: { filled, blank }, kept }: Reading): Values {
  const given = new Map<string, unknown>(Object.entries(filled));
  const valueIn = (name: string) => {
    if (blank.has(name) && isClearable(name)) return null;
    const value = given.get(name) as Values[string] | undefined;
    return value ?? (kept ? kept.plain[name] : initial(name)) ?? null;
  };
  return Object.fromEntries(PLAIN.map((name) => [name, valueIn(name)]));
}

function faultsOf(work: () => unknown): Fault[] {
  try {
    work();
    return [];
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.faults;
    throw refusal;
  }
}

function attributeOf(reading: Reading, kind: ItemKind): number | null | undefined {
  const { entry, kept, known, faults } = reading;
  const name = entry.filled[kind];
  if (name === undefined) return entry.blank.has(kind) ? null : kept?.[`${kind}_id`];
  const key = known.attributes.get(`${kind} ${name}`);
  if (key === undefined) {
    faults.push(unknownName(kind, name));
  }
  return key;
}

/** Beside a parent a blank is no wish: the item is where its parent is. */
function placeOf(reading: Reading): Draft["place"] {
  const { filled, blank } = reading.entry;
  const given = (["location", "status"] as const).filter(
    (kind) => filled[kind] !== undefined || (blank.has(kind) && filled.parent === undefined),
  );
  return Object.fromEntries(given.map((kind) => [`${kind}_id`, attributeOf(reading, kind)]));
}

function parentOf({ entry, kept, keys, faults }: Reading): number | null {
  const label = entry.filled.parent?.toUpperCase();
  if (label === undefined) return entry.blank.has("parent") ? null : (kept?.parent_id ?? null);
  const key = keys.get(label);
  if (key === undefined) faults.push(unknownName("parent", label));
  return key ?? null;
}

type Mount = Pick<Draft, "host_id" | "host" | "stack_member">;

function mountOf(reading: Reading): Mount {
  const { entry, kept, faults } = reading;
  const { stack_member } = entry.filled;
  const mount = hostOf(reading);
  if (!mount) return { host_id: null, host: null, stack_member: null };
  // Nobody clears by a blank what was not shown to him.
  const isHidden = mount.host_id !== null && mount.host === null;
  const stays = isHidden || !entry.blank.has("stack_member");
  const now = kept && isSameOrShown(kept, mount) && stays ? kept.stack_member : null;
  const wanted = stack_member ?? (mount.host_id === null ? null : now);
  const isSame = wanted === kept?.stack_member && mount.host_id === kept?.host_id;
  // Nor does anybody learn by guessing.
  const asks = isHidden ? stack_member !== undefined : !isSame && wanted !== null;
  const host = mount.host ?? undefined;
  const fault = asks && stackFault({ host, stack_member: wanted, isTaken: false });
  if (fault) faults.push(fault);
  if (!isSame) faults.push(...faultsOfMove(reading, mount.host));
  return { ...mount, stack_member: wanted };
}

/** What is mounted on a host is changed by those who may change the host. */
function faultsOfMove({ entry, kept }: Reading, to: Host | null): Fault[] {
  const closed = [kept?.host, to].find((host) => host?.editable === false);
  if (closed) {
    return [{ field: "host", message: `Only admins change what is mounted on ${closed.name}` }];
  }
  const isHidden = kept !== undefined && kept.host_id !== null && kept.host === null;
  if (!isHidden || entry.filled.host === undefined) return [];
  return [unavailable("host", kept.ics_id)];
}

/** The place in a hidden host's stack goes with the host. */
function isSameOrShown(kept: Kept, { host_id }: Pick<Mount, "host_id">): boolean {
  return kept.host_id === host_id || kept.host !== null;
}

/** Undefined where the row names none that the caller may know of. */
function hostOf({ entry, kept, known, faults }: Reading): Omit<Mount, "stack_member"> | undefined {
  const name = entry.filled.host;
  const now = { host_id: kept?.host_id ?? null, host: kept?.host ?? null };
  const isHidden = now.host_id !== null && now.host === null;
  if (name === undefined) {
    return entry.blank.has("host") && !isHidden ? { host_id: null, host: null } : now;
  }
  const host = known.hosts.get(name.toLowerCase());
  if (host) return { host_id: host.id, host };
  faults.push(unknownName("host", name));
  return undefined;
}

/** A comment that stands in one of the item's already, whole or as a line of it, is no new one. */
function newComments(given: string[], kept: string[]): string[] {
  const has = new Set([
    ...kept,
    ...kept.flatMap((body) => body.split("\n").map((one) => one.trim())),
  ]);
  const last = given.at(-1);
  return [...new Set(given)].filter(
    (one) => !has.has(one) && !(one === last && isCutOff(one, has)),
  );
}

/** The export cuts what is too long for a cell, at the end of the last comment. */
function isCutOff(text: string, has: Set<string>): boolean {
  return text.endsWith("…") && [...has].some((one) => one.startsWith(text.slice(0, -1)));
}

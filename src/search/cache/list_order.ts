// The keys of all records in the order of their list: the page of a large result is found by
// walking along it, from any place in the order. It is valid by the rule of result_cache.ts;
// changed records are put into their place each time.
import { type SQL, sql } from "drizzle-orm";
import { inBackground } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { isOnReplica } from "../../../db/servers.ts";
import { integers } from "../../input/keys.ts";
import type { SearchDocument, Tracked } from "../document.ts";
import {
  countKeys,
  decodeKeys,
  difference,
  EMPTY,
  has,
  intersection,
  type KeySet,
  keysInSet,
  setOf,
  union,
} from "./key_set.ts";
import { type ChangedKeys, type ChangedRecords, committedUpTo, keySetOf } from "./result_cache.ts";

interface ListOrder {
  keys: Uint32Array;
  /** The place of each key. */
  places: Uint32Array;
  /** All changes up to this one are in it, except those of the records in `moved`. */
  upTo: number;
  moved: KeySet;
}

/** Places in the list, from 0; `to` is exclusive. */
export interface ListRange {
  from: number;
  to: number;
}

const READING = 30_000;
/** With more moved records the order is read again. */
const MOST_MOVED = 100;
/** Places up to which moved records are sorted among the others. */
const MOST_SORTED = 2_000;

const orders = new Map<Tracked, ListOrder>();
const beingRead = new Set<Tracked>();

onOpen(() => {
  orders.clear();
});

/**
 * The keys of `found` between two places, as an array; undefined if the order is not known (yet).
 */
export async function orderedPage(
  found: { keys: KeySet; changes?: ChangedKeys | undefined },
  { from, to }: ListRange,
  document: SearchDocument,
): Promise<SQL | undefined> {
  const { id, all, tracked } = document;
  if (!tracked || isOnReplica()) return undefined;
  const order = orders.get(tracked);
  const moved = order && (await movedIn(order, found.changes, tracked));
  if (!order || !moved) return readAgain(document);
  if (countKeys(moved) > MOST_MOVED) readAgain(document);
  const sorted = keysInSet(intersection(found.keys, moved));
  if (sorted.length === 0) return integers(inOrder(order, found.keys, { from, to }));
  if (to > MOST_SORTED) return undefined;
  const others = inOrder(order, difference(found.keys, moved), { from: 0, to });
  return sql`array(select ${id} from ${all} where ${id} = any(${integers([...others, ...sorted])})
    order by ${tracked.order}, ${id} offset ${from} limit ${to - from})`;
}

/** The same of a ranked result: tier after tier, each in the order of the list. */
export async function rankedPageOf(
  { tiers, changes }: { tiers: readonly KeySet[]; changes?: ChangedKeys | undefined },
  { from, to }: ListRange,
  document: SearchDocument,
): Promise<SQL | undefined> {
  const parts: SQL[] = [];
  let before = 0;
  for (const keys of tiers) {
    const size = countKeys(keys);
    const extent = { from: Math.max(0, from - before), to: Math.min(size, to - before) };
    before += size;
    if (extent.from >= extent.to) continue;
    const part = await orderedPage({ keys, changes }, extent, document);
    if (!part) return undefined;
    parts.push(part);
  }
  return parts.length > 0 ? sql`(${sql.join(parts, sql` || `)})` : integers([]);
}

/** Records whose place may have changed since the order was read; undefined if that is unknown. */
async function movedIn(
  order: ListOrder,
  changes: ChangedKeys | undefined,
  tracked: Tracked,
): Promise<KeySet | undefined> {
  const changed =
    changes && changes.after <= order.upTo && countKeys(changes.keys) <= MOST_MOVED
      ? changes.keys
      : await changedAfter(order.upTo, tracked);
  if (!changed) return undefined;
  order.moved = union(order.moved, changed);
  order.upTo = Math.max(order.upTo, changes?.upTo ?? 0);
  return order.moved;
}

async function changedAfter(change: number, tracked: Tracked): Promise<KeySet | undefined> {
  const [[changes] = []] = await database.rowsInSnapshot<ChangedRecords>([
    tracked.changedSince(change),
  ]);
  return changes && !changes.is_more ? keySetOf(changes) : undefined;
}

/** In the background. */
function readAgain(document: SearchDocument): undefined {
  const { tracked } = document;
  if (!tracked || beingRead.has(tracked)) return;
  beingRead.add(tracked);
  void inBackground("The order of a list was not read", read(document, tracked)).finally(() =>
    beingRead.delete(tracked),
  );
}

async function read({ id, all }: SearchDocument, tracked: Tracked): Promise<void> {
  const upTo = await committedUpTo();
  if (upTo === undefined) return;
  const [row] = await database.slowRows<Pick<ChangedRecords, "ids">>(
    sql`select string_agg(int4send(${id}), '' order by ${tracked.order}, ${id}) as ids from ${all}`,
    READING,
  );
  if (!row?.ids) return;
  const keys = decodeKeys(row.ids);
  orders.set(tracked, { keys, places: placesOf(keys), upTo, moved: EMPTY });
}

function placesOf(keys: Uint32Array): Uint32Array {
  const places = new Uint32Array(setOf(keys).length * 32);
  for (let place = 0; place < keys.length; place += 1) places[keys[place] ?? 0] = place;
  return places;
}

/**
 * By a walk from the start. If too few are met there, because they stand at the end, by the place
 * of each.
 */
function inOrder({ keys, places }: ListOrder, found: KeySet, { from, to }: ListRange): number[] {
  const met = walk(keys.subarray(0, countKeys(found)), found, to);
  if (met.length === to) return met.slice(from);
  const taken = setOf(Uint32Array.from(keysInSet(found), (key) => places[key] ?? 0));
  return keysInSet(taken)
    .slice(from, to)
    .map((place) => keys[place] ?? 0);
}

function walk(keys: Uint32Array, found: KeySet, most: number): number[] {
  const met: number[] = [];
  for (let at = 0; at < keys.length && met.length < most; at += 1) {
    const key = keys[at] ?? 0;
    if (has(found, key)) met.push(key);
  }
  return met;
}

// The keys of all hosts in the order of their names: a page of many hosts is found by a walk along it, wherever in
// the order they stand, and however far on the page is.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/opening.ts";
import { integers } from "../../input/keys.ts";
import { savedUpTo } from "../../search/cache/committed_changes.ts";
import {
  type Bits,
  both,
  count,
  either,
  has,
  keysIn,
  NONE,
  ofKeys,
  read,
  without,
} from "../../search/cache/key_set.ts";
import { bitsOf, type Heard, type Touched } from "../../search/cache/result_cache.ts";
import type { Evaluated } from "../../search/evaluate.ts";
import type { Page } from "../../store/paging.ts";
import { touchedSince } from "./recent_changes.ts";

interface Order {
  keys: Uint32Array;
  /** By key, where in the order it stands. */
  places: Uint32Array;
  /** All changes up to this one are in it, but for those of some: their places are found out each time. */
  since: number;
  unsure: Bits;
}

const PATIENCE = 30_000;
/** With more of them it is read again. */
const MANY_UNSURE = 100;
const MOST_SORTED = 2_000;

let order: Order | undefined;
onOpen(() => {
  order = undefined;
});
let isRead = true;

/** The change up to which it is known. */
export function orderedUpTo(): number | undefined {
  return order?.since;
}

interface Extent {
  from: number;
  to: number;
}

export function extentOf({ page, per_page }: Page): Extent {
  return { from: (page - 1) * per_page, to: page * per_page };
}

type Keys = Pick<Evaluated, "keys" | "news">;

/** Those of these hosts that stand between two places; undefined where the order is not known, or not well enough. */
export async function keysOfPage(
  { keys, news }: Keys,
  { from, to }: Extent,
): Promise<SQL | undefined> {
  const known = order;
  const unsure = known && (await unsureIn(known, news));
  if (!known || !unsure) return renew();
  if (count(unsure) > MANY_UNSURE) renew();
  const moved = keysIn(both(keys, unsure));
  if (moved.length === 0) return integers(part(known, keys, { from, to }));
  if (to > MOST_SORTED) return undefined;
  const others = part(known, without(keys, unsure), { from: 0, to });
  return sql`array(select id from hosts where id = any(${integers([...others, ...moved])})
    order by name, id offset ${from} limit ${to - from})`;
}

/** The same of hosts in tiers: one behind the other, each in its order. */
export async function keysOfRankedPage(
  { tiers, news }: Pick<Evaluated, "tiers" | "news">,
  page: Page,
): Promise<SQL | undefined> {
  const { from, to } = extentOf(page);
  const parts: SQL[] = [];
  let before = 0;
  for (const keys of tiers) {
    const size = count(keys);
    const extent = { from: Math.max(0, from - before), to: Math.min(size, to - before) };
    before += size;
    if (extent.from >= extent.to) continue;
    const some = await keysOfPage({ keys, news }, extent);
    if (!some) return undefined;
    parts.push(some);
  }
  return parts.length > 0 ? sql`(${sql.join(parts, sql` || `)})` : integers([]);
}

/** Whose place may be another than when it was read; undefined where nobody can tell. */
async function unsureIn(known: Order, news: Heard | undefined): Promise<Bits | undefined> {
  const touched =
    news && news.since <= known.since && count(news.touched) <= MANY_UNSURE
      ? news.touched
      : await touchedAfter(known.since);
  if (!touched) return undefined;
  known.unsure = either(known.unsure, touched);
  known.since = Math.max(known.since, news?.upTo ?? 0);
  return known.unsure;
}

async function touchedAfter(change: number): Promise<Bits | undefined> {
  const [[told] = []] = await database.together<Touched>([touchedSince(change)]);
  return told && !told.is_more ? bitsOf(told) : undefined;
}

/** Aside: nobody waits for it. */
export function renew(): undefined {
  if (!isRead) return;
  isRead = false;
  readAll()
    .catch(() => {})
    .finally(() => {
      isRead = true;
    });
}

async function readAll(): Promise<void> {
  const since = await savedUpTo();
  if (since === undefined) return;
  const [row] = await database.aside<Touched>(
    sql`select string_agg(int4send(id), '' order by name, id) as ids from hosts`,
    PATIENCE,
  );
  if (!row?.ids) return;
  const keys = read(row.ids);
  order = { keys, places: placesOf(keys), since, unsure: NONE };
}

function placesOf(keys: Uint32Array): Uint32Array {
  const places = new Uint32Array(ofKeys(keys).length * 32);
  for (let place = 0; place < keys.length; place += 1) places[keys[place] ?? 0] = place;
  return places;
}

/** Of what is found, in order. What stands together at its end is met late by a walk: then each is put into its place. */
function part({ keys, places }: Order, found: Bits, { from, to }: Extent): number[] {
  const met = walk(keys.subarray(0, count(found)), found, to);
  if (met.length === to) return met.slice(from);
  const taken = ofKeys(Uint32Array.from(keysIn(found), (key) => places[key] ?? 0));
  return keysIn(taken)
    .slice(from, to)
    .map((place) => keys[place] ?? 0);
}

function walk(keys: Uint32Array, found: Bits, most: number): number[] {
  const met: number[] = [];
  for (let at = 0; at < keys.length && met.length < most; at += 1) {
    const key = keys[at] ?? 0;
    if (has(found, key)) met.push(key);
  }
  return met;
}

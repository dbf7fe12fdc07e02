// The keys of all hosts in the order of their names: a page of many hosts is found by a walk along it, wherever in
// the order they stand, and however far on the page is.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { integers } from "../keys.ts";
import type { Page } from "../paging.ts";
import { type Bits, both, count, has, keysIn, read, without } from "../search/bits.ts";
import { bitsOf, type Touched } from "../search/kept.ts";
import { savedUpTo } from "../search/saved.ts";
import { touchedSince } from "./host_news.ts";

interface Order {
  keys: Uint32Array;
  /** All changes up to this one are in it. */
  since: number;
}

const PATIENCE = 30_000;
/** With more of them it is read again. Until then their places are found out each time. */
const MANY_TOUCHED = 100;
const MOST_SORTED = 2_000;

let order: Order | undefined;
let isRead = true;

/** Those of these hosts that stand on the page; undefined where the order is not known, or not well enough. */
export async function keysOfPage(found: Bits, { page, per_page }: Page): Promise<SQL | undefined> {
  const known = order;
  const [told] = known
    ? ((await database.together<Touched>([touchedSince(known.since)]))[0] ?? [])
    : [];
  if (!known || !told || told.is_more) return renew();
  const touched = bitsOf(told);
  if (count(touched) > MANY_TOUCHED) renew();
  const [from, to] = [(page - 1) * per_page, page * per_page];
  const moved = keysIn(both(found, touched));
  if (moved.length === 0) return integers(walk(known.keys, found, { from, to }));
  if (to > MOST_SORTED) return undefined;
  const others = walk(known.keys, without(found, touched), { from: 0, to });
  return sql`array(select id from hosts where id = any(${integers([...others, ...moved])})
    order by name, id offset ${from} limit ${per_page})`;
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
  if (row?.ids) order = { keys: read(row.ids), since };
}

function walk(
  keys: Uint32Array,
  found: Bits,
  { from, to }: { from: number; to: number },
): number[] {
  const page: number[] = [];
  let met = 0;
  for (const key of keys) {
    if (!has(found, key)) continue;
    met += 1;
    if (met > from) page.push(key);
    if (met === to) break;
  }
  return page;
}

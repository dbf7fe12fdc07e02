// Sets of keys that are worth keeping, because they are large or took long to find: asked for again, they are brought
// up to date by what has changed since. So they are exact on every instance, whoever wrote.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/opening.ts";
import { integers } from "../../input/keys.ts";
import { slowly, soon } from "../limits/deadline.ts";
import { savedUpTo } from "./committed_changes.ts";
import { type Bits, count, either, keysIn, NONE, ofKeys, read, without } from "./key_set.ts";

/** The keys that several statements find, under a name that stands for the same whenever it is asked. */
export interface Asked {
  name: string;
  /** Written out only where they are asked for. */
  sets: () => readonly SQL[];
  /** It is asked apart from everybody else, and may take too long. */
  isSlow: boolean;
}

/** A statement that tells Touched of all that was saved after a change. */
export type TouchedSince = (change: number) => SQL;

export interface Touched {
  /** The keys of the records that may be found by something else than before. */
  ids: Uint8Array | null;
  /** There are more than these, or it cannot be told. */
  is_more: boolean;
}

/** Of whom it tells that something was saved between two changes, or after the second one. */
export interface Heard {
  since: number;
  upTo: number | undefined;
  touched: Bits;
}

export interface Following {
  touchedSince: TouchedSince;
  /** Up to this change something else is known: where news is asked for, it is to tell of that time too. */
  also?: number | undefined;
}

interface Kept {
  bits: Bits;
  /** All changes up to this one are in it. Where none is known, the set serves once. */
  since: number | undefined;
}

/** Fewer keys are found, and sorted, as soon as it is known what has changed. */
export const MANY = 100;
const MOST_BYTES = 24 * 2 ** 20;
/** In changes. */
const FAR = 100;
const TRIES = 4;

const kept = new Map<string, Kept>();
let bytes = 0;

onOpen(() => {
  kept.clear();
  bytes = 0;
});

/** By their names, all as they are at one moment, and the news if it took any. */
export async function setsFor(
  asked: readonly Asked[],
  following: Following,
  until: number,
): Promise<{ sets: Map<string, Bits>; news?: Heard | undefined }> {
  let { also } = following;
  let touched = NONE;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const change = await savedUpTo();
    const known = await knownOf(asked, { change, until });
    const found = await lookUp(asked, {
      known,
      touched,
      following: { ...following, also },
      until,
    });
    if (found === "forget") {
      // What stands further back may be all that it is true of.
      if (also === undefined) for (const name of known.keys()) forget(name);
      also = undefined;
    } else if (count(without(found.touched, touched)) > 0) touched = either(touched, found.touched);
    else {
      for (const { name, isSlow } of asked) {
        const bits = found.sets.get(name) ?? NONE;
        if (isSlow || count(bits) > MANY) keep(name, { bits, since: change });
      }
      const { sets, since } = found;
      return { sets, news: since === undefined ? undefined : { since, upTo: change, touched } };
    }
  }
  return { sets: await unfollowed(asked, until) };
}

/** While more is written than can be followed. */
async function unfollowed(asked: readonly Asked[], until: number): Promise<Map<string, Bits>> {
  const sets = await setsNow(
    asked.filter(({ isSlow }) => !isSlow),
    until,
  );
  for (const { name, sets: slow } of asked.filter(({ isSlow }) => isSlow)) {
    sets.set(name, await foundSlowly(slow(), until));
  }
  return sets;
}

/** What is kept, and what is slow: that is asked now. */
async function knownOf(
  asked: readonly Asked[],
  { change, until }: { change: number | undefined; until: number },
): Promise<Map<string, Kept>> {
  const known = new Map<string, Kept>();
  for (const { name, sets, isSlow } of asked) {
    const before = kept.get(name);
    if (before) known.set(name, before);
    else if (isSlow) {
      const set = { bits: await foundSlowly(sets(), until), since: change };
      known.set(name, set);
      // At once: whatever is saved before the others are found, it is not asked again.
      keep(name, set);
    }
  }
  return known;
}

async function foundSlowly(sets: readonly SQL[], until: number): Promise<Bits> {
  const query = keysOf(sets);
  const [row] = query ? await slowly<Keys>(query, until) : [];
  return bitsOf(row);
}

interface Looking {
  known: ReadonlyMap<string, Kept>;
  /** Those of whom what is known is not true any more, so far. */
  touched: Bits;
  following: Following;
  until: number;
}

interface Found {
  sets: Map<string, Bits>;
  since: number | undefined;
  touched: Bits;
}

/** In one moment: what is not known, what is not true any more, and of whom. */
async function lookUp(
  asked: readonly Asked[],
  { known, touched, following, until }: Looking,
): Promise<Found | "forget"> {
  const since = beginning([...known.values()], following.also);
  const wanted = asked.filter(({ name }) => !known.has(name) || touched.length > 0);
  const { told, found } = await readAll(wanted, {
    ...(since !== undefined && { news: following.touchedSince(since) }),
    among: ({ name }) => (known.has(name) ? touched : undefined),
    until,
  });
  if (told?.is_more) return "forget";
  const sets = asked.map(({ name }): [string, Bits] => {
    const fresh = found.get(name) ?? NONE;
    const before = known.get(name);
    return [name, before ? either(without(before.bits, touched), fresh) : fresh];
  });
  return { sets: new Map(sets), since, touched: bitsOf(told) };
}

interface Reading {
  news?: SQL;
  /** Keys beside which nothing is looked for. */
  among?: (one: Asked) => Bits | undefined;
  until: number;
}

/** Each row becomes a set as it comes: as keys, many large ones would fill the memory. */
async function readAll(
  asked: readonly Asked[],
  { news, among, until }: Reading,
): Promise<{ told: Touched | undefined; found: Map<string, Bits> }> {
  if (asked.length === 0) {
    const [[told] = []] = news ? await database.together<Touched>([news]) : [];
    return { told, found: new Map() };
  }
  let told: Touched | undefined;
  const found = new Map<string, Bits>();
  const queries = asked.map((one) => () => keysOf(one.sets(), among?.(one)));
  await soon<Touched>([() => news, ...queries], {
    until,
    take: ([row], at) => {
      const one = asked[at - 1];
      if (one) found.set(one.name, bitsOf(row));
      else told = row;
    },
  });
  return { told, found };
}

/** Of the news for all of them. What stands far back asks for its own, or each set would be asked for much that it has. */
function beginning(known: readonly Kept[], also = Number.POSITIVE_INFINITY): number | undefined {
  const marks = known.flatMap(({ since }) => since ?? []);
  if (marks.length === 0) return undefined;
  const first = Math.min(...marks);
  return also < first - FAR ? first : Math.min(first, also);
}

/** Nothing that is kept: nobody tells what has changed. */
export async function setsNow(asked: readonly Asked[], until: number): Promise<Map<string, Bits>> {
  const { found } = await readAll(asked, { until });
  return found;
}

interface Keys {
  ids: Uint8Array | null;
}

/** Undefined of what can find nothing. */
function keysOf(sets: readonly SQL[], among?: Bits): SQL | undefined {
  if (sets.length === 0) return undefined;
  const which = among ? sql`where id = any(${integers(keysIn(among))})` : sql``;
  return sql`select string_agg(int4send(id), '') as ids
    from (${sql.join([...sets], sql` union all `)}) found (id) ${which}`;
}

export function bitsOf(row: Keys | undefined): Bits {
  return row?.ids ? ofKeys(read(row.ids)) : NONE;
}

// What is kept: the last asked for at the end ------------------------------------------------------

function keep(name: string, set: Kept): void {
  forget(name);
  if (set.since === undefined || sizeOf(name, set) > MOST_BYTES) return;
  kept.set(name, set);
  bytes += sizeOf(name, set);
  for (const oldest of kept.keys()) {
    if (bytes <= MOST_BYTES) return;
    forget(oldest);
  }
}

function forget(name: string): void {
  const set = kept.get(name);
  if (set) bytes -= sizeOf(name, set);
  kept.delete(name);
}

/** Names count: there is no end of long ones that find nothing. */
function sizeOf(name: string, { bits }: Kept): number {
  return 2 * name.length + bits.byteLength;
}

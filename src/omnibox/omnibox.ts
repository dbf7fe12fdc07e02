// What the one box finds, of every kind, as far as whoever asks may know of it: one statement, each part of it
// answered by an index.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowNetwork } from "../auth/visibility.ts";
import { Refusal } from "../input/errors.ts";
import { type Interpretation, interpret } from "../network/common/read_query.ts";
import { matching } from "../network/hosts/search.ts";
import { distance } from "../search/language/words.ts";
import { deadline, withinShare } from "../search/limits.ts";
import { type Place, placeAt } from "./address_lookup.ts";
import * as inventory from "./inventory_parts.ts";
import * as parts from "./network_parts.ts";
import { type Hit, type HitKind, MOST, part } from "./parts.ts";
import { findQueried, queryIn, wordsIn } from "./query_results.ts";
import { standardParts } from "./standard_parts.ts";

export type { Hit } from "./parts.ts";

export interface Found {
  meant?: Interpretation;
  /** The text, where it is a query. */
  query?: string;
  /** Where an address lies, and whether it is free. */
  place?: Place;
  /** Kind by kind, the closest first. */
  hits: Hit[];
  /** Nothing is called so, but these nearly. */
  isGuess: boolean;
}

export async function findAll(caller: Caller, typed: string): Promise<Found> {
  const read = interpret(typed);
  if (!read) return { hits: [], isGuess: false };
  const query = queryIn(typed, read);
  const [place, called, queried] = await Promise.all([
    read.ip === undefined ? undefined : placeAt(caller, read.ip),
    ask(partsFor(caller, read), read.text),
    query === undefined ? [] : findQueried(caller, query),
  ]);
  const about = { meant: read, place, ...(query !== undefined && { query }), isGuess: false };
  const hits = withoutTwins([...called, ...queried]);
  if (hits.length > 0 || place || query !== undefined) return { ...about, hits };
  const words = wordsIn(read.text);
  const apart = words === undefined ? [] : await findQueried(caller, words);
  if (apart.length > 0) return { ...about, hits: apart };
  const nearly = await ask(await similar(caller, read.text), read.text);
  return {
    ...about,
    hits: nearly.filter((hit) => isNear(hit, read.text)),
    isGuess: true,
  };
}

function withoutTwins(hits: Hit[]): Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ kind, name, label }) => {
    const isNew = !seen.has(`${kind} ${name} ${label}`);
    seen.add(`${kind} ${name} ${label}`);
    return isNew;
  });
}

/** What a host has beside the one that is nearly called so; and under one domain all share most of their letters. */
const CLOSELY: readonly HitKind[] = ["interface", "cname", "domain"];

function isNear({ kind, label }: Hit, text: string): boolean {
  return !CLOSELY.includes(kind) || distance(label, text.toLowerCase(), AMISS) <= AMISS;
}

/** What is called just so, if nothing else is: to be opened at once. */
export function onlyExact({ hits, isGuess }: Found): Hit | undefined {
  const [first, ...others] = hits.filter(({ is_exact }) => is_exact);
  if (!first || isGuess) return undefined;
  return others.every((one) => target(one) === target(first)) ? first : undefined;
}

const OF_HOSTS: readonly HitKind[] = ["interface", "address", "mac", "cname"];

/** Interfaces and what they have lead to their hosts. */
function target({ kind, name }: Hit): string {
  return `${OF_HOSTS.includes(kind) ? "host" : kind} ${name}`;
}

function partsFor(caller: Caller, read: Interpretation): SQL[] {
  if (read.code) return inventory.codeParts(read.code);
  return [
    ...parts.ofHosts(caller, read),
    ...parts.ofMacs(caller, read),
    ...parts.ofGround(caller, read),
    ...inventory.itemParts(read.text),
    ...inventory.attributeParts(read.text),
    ...standardParts(caller, read.text),
  ];
}

const AMISS = 2;

/** What is of hosts with a letter or two amiss; the others by names that share most of their letters. */
async function similar(caller: Caller, text: string): Promise<SQL[]> {
  const like = (kind: HitKind, table: SQL, label: SQL, mayKnow = sql`true`) =>
    part({
      kind,
      label,
      name: label,
      detail: sql`null::text`,
      from: table,
      where: sql`${label} % ${text} and ${mayKnow}`,
      order: sql`similarity(${label}, ${text}) desc, ${label}`,
    });
  return [
    ...parts.nearHosts(caller, text, await near(text)),
    like("network", sql`networks`, sql`networks.vlan_name`, mayKnowNetwork(caller)),
    like("scope", sql`scopes`, sql`scopes.name`),
    like("domain", sql`domains`, sql`domains.name`),
    like("group", sql`groups`, sql`groups.name`),
    ...inventory.similarParts(text),
  ];
}

async function near(text: string): Promise<parts.Near> {
  const by = (field: string) => matching(`${field}:${asWord(text)}~`).catch(orNothing);
  const [host, own, cname] = await Promise.all([
    by(text.includes(".") ? "fqdn" : "name"),
    by("interfaces.name"),
    by("interfaces.cnames"),
  ]);
  return { host, interface: own, cname };
}

/** A guess is not worth a refusal. */
function orNothing(fault: unknown): SQL {
  if (fault instanceof Refusal) return sql`false`;
  throw fault;
}

/** Whatever signs it has. */
function asWord(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "\\$&");
}

async function ask(wanted: SQL[], text: string): Promise<Hit[]> {
  const rows = await withinShare(deadline(), () =>
    database.rows<Hit>(sql.join(wanted, sql` union all `)),
  );
  const sorted = rows.toSorted(
    (one, other) =>
      farness(one, text) - farness(other, text) || one.label.localeCompare(other.label, "en"),
  );
  const seen = new Map<string, number>();
  return sorted.filter(({ kind, name, label }) => {
    const times = seen.get(kind) ?? 0;
    const isNew = times < MOST && !seen.has(`${kind} ${name} ${label}`);
    if (isNew) seen.set(kind, times + 1).set(`${kind} ${name} ${label}`, 1);
    return isNew;
  });
}

const FARTHEST = 3;

/** Called just so, then what begins so, then the others, the likest first. */
function farness({ label, is_exact }: Hit, text: string): number {
  if (is_exact) return 0;
  const [known, wanted] = [label.toLowerCase(), text.toLowerCase()];
  return known.startsWith(wanted) ? 1 : 2 + distance(known, wanted, FARTHEST);
}

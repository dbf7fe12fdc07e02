// By what hosts are found: the `q` of their list and of the search, and the query by which a group chooses its hosts.
import type { SQL } from "drizzle-orm";
import type { Caller } from "../auth.ts";
import { Refusal } from "../errors.ts";
import type { Matching } from "../records.ts";
import { HOST_ALIASES } from "../search/aliases.ts";
import { count } from "../search/bits.ts";
import type { Searched } from "../search/document.ts";
import { MANY } from "../search/kept.ts";
import { isAmong, keysFor, matchingIn, matchingKept } from "../search/matching.ts";
import { corrected } from "../search/suggest.ts";
import { hiddenHosts, mayKnowHost } from "../visibility.ts";
import { hostDocument } from "./host_document.ts";
import { touchedSince } from "./host_news.ts";
import { keysOfPage, orderedUpTo } from "./host_order.ts";

const document: Searched = { ...hostDocument, aliases: HOST_ALIASES };
const MOST = 3;
/** Milliseconds for all of what may be offered. */
const PATIENCE = 1_000;

/** The hosts that a query finds, of those that the caller may know. */
export async function found(caller: Caller, text: string): Promise<Matching> {
  const hidden = hiddenHosts(caller);
  const following = { touchedSince, also: orderedUpTo() };
  const { keys, news } = await keysFor(text, { searched: document, following, hidden });
  const total = count(keys);
  const where = isAmong(document.id, keys);
  if (total <= MANY) return { where, total };
  return { where, total, keysOfPage: (page) => keysOfPage({ keys, news }, page) };
}

/** True of each row of `hosts` that this query finds; `field` is to blame where it cannot be read. */
export function matching(text: string, field?: string): Promise<SQL> {
  return matchingIn(document, text, field);
}

/** Of the query of a group, as it was kept. */
export function chosenBy(query: string): Promise<SQL> {
  return matchingKept(document, query);
}

/** "Did you mean": the query with a word put right, as long as that finds something that the caller may see. */
export async function suggestions(caller: Caller, text: string): Promise<string[]> {
  const offered: string[] = [];
  const until = performance.now() + PATIENCE;
  const mayKnow = (host: SQL) => mayKnowHost(caller, host);
  for (const query of await corrected(text, document, mayKnow)) {
    if (offered.length === MOST || performance.now() > until) break;
    if (await finds(caller, query)) offered.push(query);
  }
  return offered;
}

/** A suggestion is not worth a refusal. */
async function finds(caller: Caller, query: string): Promise<boolean> {
  try {
    return ((await found(caller, query)).total ?? 0) > 0;
  } catch (fault) {
    if (fault instanceof Refusal) return false;
    throw fault;
  }
}

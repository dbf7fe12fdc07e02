// By what hosts are found: the `q` of their list and of the search, and the query by which a group chooses its hosts.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowHost } from "../../auth/visibility.ts";
import { count } from "../../search/cache/key_set.ts";
import { MANY } from "../../search/cache/result_cache.ts";
import { HOST_ALIASES } from "../../search/language/aliases.ts";
import { type Searched, sourcesMeant } from "../../search/language/search_document.ts";
import type { Group, Leaf } from "../../search/language/tree.ts";
import { widened } from "../../search/language/widened_query.ts";
import { isAmong, keysFor, matchingIn, matchingKept } from "../../search/matching.ts";
import { type Offering, suggestionsOf } from "../../search/suggest/offers.ts";
import type { Matching } from "../../store/records.ts";
import { withQueryGroups } from "./group_queries.ts";
import { extentOf, keysOfPage, keysOfRankedPage, orderedUpTo } from "./list_order.ts";
import { touchedSince } from "./recent_changes.ts";
import { hostDocument } from "./search_document.ts";

/** With what people call the fields of hosts. */
export const document: Searched = {
  ...hostDocument,
  aliases: HOST_ALIASES,
  names: ["name", "fqdn"],
  otherNames: { host: "name", hostname: "name", address: "ip", label: "items.ics_id" },
  unfold: withQueryGroups,
};

/** The hosts that a query finds, of those that the caller may know. */
export async function found(caller: Caller, text: string, isRanked = false): Promise<Matching> {
  const hidden = hiddenHosts(caller);
  const following = { touchedSince, also: orderedUpTo() };
  const all = await keysFor(text, { searched: document, following, hidden, isRanked });
  const total = count(all.keys);
  const where = isAmong(document.id, all.keys);
  if (isRanked) {
    return {
      where,
      total,
      tiers: all.tiers.map((tier) => isAmong(document.id, tier)),
      keysOfPage: (page) => keysOfRankedPage(all, page),
    };
  }
  if (total <= MANY) return { where, total };
  return { where, total, keysOfPage: (page) => keysOfPage(all, extentOf(page)) };
}

/** True of each row of `hosts` that this query finds; `field` is to blame where it cannot be read. */
export function matching(text: string, field?: string): Promise<SQL> {
  return matchingIn(document, text, field);
}

/** Of the query of a group, as it was kept; `late` stands for one that takes too long. */
export function chosenBy(query: string, late?: SQL): Promise<SQL> {
  return matchingKept(document, query, late);
}

/** What others than admins change of hosts that they may not change themselves: what stands in the items on them. */
const OPEN_PATH = /^(items\.(?!host$)|model$|interfaces\.model$)/;

/** Whether what a leaf finds can change without an admin: by a change of items, or as time goes by. */
function isOpen(leaf: Leaf): boolean {
  if (leaf.kind === "any") return false;
  const sources = sourcesMeant(leaf.field, document.sources);
  if (sources.some(({ path }) => OPEN_PATH.test(path))) return true;
  return isOfNow(leaf) && sources.some(({ kind }) => kind === "time");
}

function isOfNow(leaf: Leaf): boolean {
  const texts = leaf.kind === "range" ? [leaf.from?.text, leaf.to?.text] : [];
  if (leaf.kind === "term" || leaf.kind === "phrase") texts.push(leaf.text);
  return texts.some((text) => text?.startsWith("now"));
}

/** All that the query of a group could find without an admin's doing; undefined where that is what it finds now. */
export async function couldBeChosenBy(query: string): Promise<SQL | undefined> {
  let count = 0;
  const counting = (leaf: Leaf) => {
    const open = isOpen(leaf);
    count += Number(open);
    return open;
  };
  const unfold = async (read: Group) => widened(await withQueryGroups(read), counting);
  const condition = await matchingKept({ ...document, unfold }, query, sql`true`);
  return count > 0 ? condition : undefined;
}

/** "Did you mean": the query with a word put right, as long as that finds something that the caller may see. */
export function suggestions(caller: Caller, text: string): Promise<string[]> {
  return suggestionsOf(text, offering(caller));
}

/** By what is offered to somebody whose query found nothing. */
export function offering(caller: Caller): Offering {
  return {
    searched: document,
    mayKnow: (host) => mayKnowHost(caller, host),
    finds: async (query) => ((await found(caller, query)).total ?? 0) > 0,
  };
}

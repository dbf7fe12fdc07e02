// What hosts are found by: the `q` of their list and of the search, and the query by which a group chooses its hosts.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, machine } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowHost } from "../../auth/visibility.ts";
import { sourcesOf } from "../../search/document.ts";
import { find, savedCondition, searchCondition } from "../../search/find.ts";
import type { Leaf } from "../../search/language/tree.ts";
import { correctionsOf, type Offering } from "../../search/suggest/did_you_mean.ts";
import { searchDocument } from "../../store/resource.ts";
import { host } from "./host.ts";

/** Of all hosts: hidden ones are named where a caller searches. */
export const hostDocument = searchDocument(host, machine);

/** True of each row of `hosts` that this query finds; `field` is named if it is not valid. */
export function matching(text: string, field?: string): Promise<SQL> {
  return searchCondition(hostDocument, text, field);
}

/** The same of the saved query of a group; `late` stands for one that takes too long. */
export function chosenBy(query: string, late?: SQL): Promise<SQL> {
  return savedCondition(hostDocument, query, late && { late });
}

/** What others than admins change of hosts that they may not change themselves: what stands in the items on them. */
const OPEN_PATH = /^(items\.(?!host$)|model$|interfaces\.model$)/;

/** Whether what a leaf finds can change without an admin: by a change of items, or as time goes by. */
function isOpen(leaf: Leaf): boolean {
  if (leaf.kind === "any") return false;
  const sources = sourcesOf(leaf.field, hostDocument.sources);
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
  const all = await savedCondition(hostDocument, query, { late: sql`true`, isOpen: counting });
  return count > 0 ? all : undefined;
}

/** "Did you mean": the query with a word corrected, if that finds something that the caller may see. */
export function suggestions(caller: Caller, text: string): Promise<string[]> {
  return correctionsOf(text, offering(caller));
}

/** What is needed to offer something to a caller whose query found nothing. */
export function offering(caller: Caller): Offering {
  const document = { ...hostDocument, hidden: hiddenHosts(caller) };
  return {
    document,
    mayKnow: (host) => mayKnowHost(caller, host),
    finds: async (text) => (await find({ text, document })).total > 0,
  };
}

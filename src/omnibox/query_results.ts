// Results of the search box for a text that is a query or several words: the first hosts and items, in the language of the
// lists. A query that takes too long, which a list would refuse, finds nothing here.
import type { Caller } from "../auth/auth.ts";
import { Refusal } from "../input/errors.ts";
import { singular } from "../input/text.ts";
import { type Item, item } from "../inventory/items/item.ts";
import * as items from "../inventory/items/items.ts";
import type { Interpretation } from "../network/common/read_query.ts";
import { host } from "../network/hosts/host.ts";
import * as hosts from "../network/hosts/hosts.ts";
import { hostQuery } from "../network/hosts/query.ts";
import { HOST_ALIASES } from "../network/hosts/search_document.ts";
import { tryParse } from "../search/language/parser.ts";
import type { Clause } from "../search/language/tree.ts";
import { asContainsQuery, typedWords } from "../search/language/typed_text.ts";
import { fieldNote } from "../search/suggest/hints.ts";
import { type ListJson, rowsOf } from "../store/records.ts";
import { searchDocument } from "../store/resource.ts";
import { type Hit, MOST_OF_A_KIND } from "./parts.ts";

/** The text as a query, if it uses the query language. */
export function asQuery(typed: string, interpretation: Interpretation): string | undefined {
  const text = typed.trim();
  if (
    interpretation.code ||
    interpretation.mac ||
    interpretation.macPart ||
    interpretation.ip ||
    interpretation.block ||
    interpretation.vlan
  )
    return undefined;
  if (asContainsQuery(text) !== text) return undefined;
  const query = tryParse(text, HOST_ALIASES);
  return query && usesLanguage(query) ? text : undefined;
}

/** What is wrong with the fields of the query, if they are those of no list. */
export function noteOn(caller: Caller, query: string): string | undefined {
  const notes = [host, item].map((of) => fieldNote(query, searchDocument(of, caller)));
  return notes.every(Boolean) ? notes[0]?.message : undefined;
}

const SHORTEST = 2;
const SHORTEST_START = 3;
/** More than are shown, to choose from. */
const MOST_LOOKED_AT = 25;

/** What the lists find for these words, those first that have most of them in their name, if only their beginnings: kly of klystron. */
export async function findWords(caller: Caller, { text, code }: Interpretation): Promise<Hit[]> {
  if (code || text.length < SHORTEST) return [];
  const queries = { host: hostQuery(text), item: asContainsQuery(text) };
  const hits = await findEach(caller, queries, MOST_LOOKED_AT);
  const words = typedWords(text.toLowerCase()).map(singular);
  const inName = ({ label }: Hit) => {
    const name = label.toLowerCase();
    const starts = name.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= SHORTEST_START);
    return words.filter((word) => name.includes(word) || starts.some((one) => word.startsWith(one)))
      .length;
  };
  const sorted = hits.toSorted((one, other) => inName(other) - inName(one));
  return [...Map.groupBy(sorted, ({ kind }) => kind).values()].flatMap((those) =>
    those.slice(0, MOST_OF_A_KIND),
  );
}

export function findQueried(caller: Caller, query: string): Promise<Hit[]> {
  return findEach(caller, { host: query, item: query }, MOST_OF_A_KIND);
}

/** At most so many of each kind. */
async function findEach(
  caller: Caller,
  queries: Record<"host" | "item", string>,
  most: number,
): Promise<Hit[]> {
  const params = (q: string) =>
    new URLSearchParams({ q, sort: "relevance", per_page: String(most) });
  const [ofHosts, ofItems] = await Promise.all([
    rowsUnlessInvalid(() => hosts.listPicked(caller, HOST, params(queries.host))),
    rowsUnlessInvalid(() => items.listPicked(caller, ITEM, params(queries.item))),
  ]);
  return [
    ...ofHosts.map((one) => hit("host", one.name, one.description ?? one.fqdn)),
    ...ofItems.map((one) => hit("item", one.ics_id, aboutItem(one))),
  ];
}

const HOST = ["name", "fqdn", "description"] as const;
const ITEM = ["ics_id", "serial_number", "model", "location"] as const;

function aboutItem({ serial_number, model, location }: Pick<Item, (typeof ITEM)[number]>): string {
  return [serial_number, model, location].filter((one) => one !== null).join(", ");
}

function hit(kind: "host" | "item", name: string, detail: string): Hit {
  return { kind, label: name, name, detail, is_exact: false };
}

async function rowsUnlessInvalid<Row>(list: () => Promise<ListJson<Row>>): Promise<Row[]> {
  try {
    return rowsOf(await list());
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** Whether the text has a field, a pattern or an operator. A star alone does not count. */
function usesLanguage(clause: Clause): boolean {
  if (clause.kind !== "group") {
    return clause.kind !== "any" && (clause.field !== undefined || !PLAIN.includes(clause.kind));
  }
  const { must, should, must_not } = clause;
  return must.length + must_not.length > 0 || should.length > 1 || should.some(usesLanguage);
}

const PLAIN = ["term", "phrase"];

// Queries with the hosts of the example site that they find, derived by hand from the rules of the language. Names are
// separated by blanks; a star is every host, and names after a minus are every host except these.

import { names } from "./documents.ts";
import { addresses, aliases, exists, hosts, paths } from "./queries_fields.ts";
import { boolean, grammar, runs, tokens } from "./queries_grammar.ts";
import { dates, fuzzy, keywords, ranges, regexes, scalars, texts } from "./queries_leaves.ts";

export type Example = [query: string, finds: string];

export const queries: Record<string, Example[]> = {
  tokens,
  grammar,
  "and, or, not": boolean,
  "runs of bare words": runs,
  "exact values, prefixes and wildcards": keywords,
  descriptions: texts,
  "regular expressions": regexes,
  fuzzy,
  ranges,
  "numbers and booleans": scalars,
  dates,
  exists,
  "paths of fields": paths,
  "addresses, blocks and MACs": addresses,
  aliases,
  "what a host has": hosts,
};

export function expected(finds: string): string[] {
  if (finds === "*") return names;
  const wanted = finds.split(" ");
  const isIn = (name: string) => wanted.includes(name);
  const unknown = wanted.filter((name) => !["", "-", ...names].includes(name));
  if (unknown.length > 0) throw new Error(`No such hosts: ${unknown}`);
  return names.filter(wanted[0] === "-" ? (name) => !isIn(name) : isIn);
}

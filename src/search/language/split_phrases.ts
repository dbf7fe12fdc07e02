// Words side by side are one text to the search, and so are those with commas between them. When it finds nothing,
// people may have meant each of them.
import type { Clause, Group, Place, Term } from "./tree.ts";

/** The same query with any, or all, of such words, with something around each; undefined where there are none. */
export function loosened(
  query: string,
  group: Group,
  { by, around = "" }: { by: "OR" | "AND"; around?: string },
): string | undefined {
  const parts = termsIn(group)
    .map((term) => ({ ...spanOf(query, term), words: wordsOf(query, term) }))
    .filter(({ words }) => words.length > 1)
    .toSorted((one, other) => one.offset - other.offset);
  if (parts.length === 0) return undefined;
  let text = "";
  let at = 0;
  for (const { offset, end, words } of parts) {
    text += `${query.slice(at, offset)}(${words.map((word) => around + word + around).join(` ${by} `)})`;
    at = end;
  }
  return text + query.slice(at);
}

function termsIn(clause: Clause): Term[] {
  if (clause.kind !== "group") return clause.kind === "term" ? [clause] : [];
  return [...clause.must, ...clause.should, ...clause.must_not].flatMap(termsIn);
}

/** Of the words alone: a field stays before them, a boost behind. */
function spanOf(query: string, { run, field, offset, end }: Term): Place {
  const [first, last] = [run?.[0], run?.at(-1)];
  if (first && last) return { offset: first.offset, end: last.end };
  const said = query.slice(offset, end);
  const start = field && said.includes(":") ? said.indexOf(":") + 1 : 0;
  const rest = said.slice(start);
  const value = rest.trimStart().replace(/\^[\d.]+$/, "");
  const from = offset + start + rest.length - rest.trimStart().length;
  return { offset: from, end: from + value.length };
}

/** A comma separates, unless a backslash stands before it. */
function wordsOf(query: string, term: Term): string[] {
  const places = term.run ?? [spanOf(query, term)];
  const words = places.flatMap(({ offset, end }) => query.slice(offset, end).split(/(?<!\\),/));
  return words.filter((word) => word !== "");
}

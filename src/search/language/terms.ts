// What a single term of a query asks for.
import type { Aliases } from "./aliases.ts";
import { globOf } from "./glob.ts";
import type { Token } from "./lexer.ts";
import { SyntaxFault } from "./syntax_error.ts";
import type { Bound, Field, Leaf, Place, Range, Word } from "./tree.ts";

export const LONGEST_REGEX = 1000;
const EXISTS = "_exists_";

interface About extends Place {
  field?: Field;
}

export function fieldNamed(name: string, aliases: Aliases): Field {
  const paths = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  return { name, paths: paths ?? [name] };
}

/** Of a token that is neither a group nor a range, and of the sign behind it that says how fuzzy it is. */
export function ofToken(about: About, token: Token, fuzzy: string | undefined): Leaf {
  const { type, text: said } = token;
  if (type === "STAR") return everything(about);
  if (type === "PREFIX") return { kind: "prefix", text: said, ...about };
  if (type === "WILD") return { kind: "wildcard", glob: globOf(said), ...about };
  if (type === "REGEX") return { kind: "regex", source: said, ...about };
  if (type === "QUOTED") return phrase(about, said, fuzzy);
  if (fuzzy === undefined) return text(about, said);
  return { kind: "fuzzy", text: said, distance: distanceOf(fuzzy, said), ...about };
}

/** A bare word; one that begins with a sign of comparison is a range. */
export function text(about: About, said: string): Leaf {
  return comparison(about, said) ?? { kind: "term", text: said, ...about };
}

/** Several of them side by side, with one blank between them. */
export function run(about: About, words: readonly Word[]): Leaf {
  const leaf = text(about, words.map((word) => word.text).join(" "));
  return leaf.kind === "term" ? { ...leaf, run: words } : leaf;
}

/** Of the field `_exists_` the text names another field, which is asked for. */
export function existing(leaf: Leaf, named: (name: string) => Field): Leaf | undefined {
  const { field, offset, end } = leaf;
  if (field?.name !== EXISTS || (leaf.kind !== "term" && leaf.kind !== "phrase")) return undefined;
  return { kind: "exists", field: named(leaf.text), offset, end };
}

export function range(about: About, ends: Pick<Range, "from" | "to">): Range {
  return { kind: "range", ...ends, ...about };
}

/** A star leaves it open; in quotes it is itself. */
export function boundOf({ type, text }: Token, isInclusive: boolean): Bound | undefined {
  return type === "BOUND" && text === "*" ? undefined : { text, isInclusive };
}

export function refuseLong(query: string, { type, text, offset, end }: Token): void {
  if (type !== "REGEX" || text.length <= LONGEST_REGEX) return;
  const problem = `a regular expression of more than ${LONGEST_REGEX} characters`;
  throw new SyntaxFault(query, { kind: "limit", problem, offset, end });
}

function everything({ field, ...place }: About): Leaf {
  return field ? { kind: "exists", field, ...place } : { kind: "any", ...place };
}

function phrase(about: About, said: string, fuzzy: string | undefined): Leaf {
  const slop = Math.trunc(Number(fuzzy)) || 0;
  return { kind: "phrase", text: said, ...(slop > 0 && { slop }), ...about };
}

const COMPARED = /^([<>])=?(?=.)/s;

/** `>=` alone is greater than "=". */
function comparison(about: About, said: string): Leaf | undefined {
  const [sign = "", side] = COMPARED.exec(said) ?? [];
  if (!side) return undefined;
  const isInclusive = sign.length === 2;
  const bound = { text: said.slice(sign.length), isInclusive };
  return range(about, side === ">" ? { from: bound } : { to: bound });
}

/** As people expect it of a word of this length, unless they say how much may differ. */
function distanceOf(fuzzy: string, said: string): 0 | 1 | 2 {
  const { length } = [...said];
  const wanted = /^(AUTO)?$/i.test(fuzzy) ? automatic(length) : Math.trunc(Number(fuzzy));
  if (wanted < 1) return 0;
  return wanted < 2 ? 1 : 2;
}

function automatic(length: number): number {
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
}

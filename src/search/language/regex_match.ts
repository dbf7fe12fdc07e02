// Matches by derivatives: what is left to match behind each character is a regular expression again. This
// takes "not" and "and" as they come, and reads each character once.
import type { LuceneRegex } from "./lucene_regex.ts";
import { EMPTY, type Factory, NOTHING, type Regex, TooComplex } from "./regex_tree.ts";

type Matcher = (text: string) => boolean;

/** Of whole texts, in upper and lower case alike; what becomes too complex matches nothing. */
export function matcher(regex: LuceneRegex): Matcher {
  const derivatives: Derivatives = { make: regex.make, known: new Map() };
  return (text) => {
    let tree = regex.tree;
    try {
      for (const character of text) {
        if (tree === NOTHING) return false;
        tree = after(derivatives, tree, character.codePointAt(0) ?? 0);
      }
      return tree.isOptional;
    } catch (fault) {
      if (fault instanceof TooComplex) return false;
      throw fault;
    }
  };
}

interface Derivatives {
  make: Factory;
  known: Map<Regex, Map<number, Regex>>;
}

/** What is left of an expression behind this character; found out once. */
function after(derivatives: Derivatives, tree: Regex, code: number): Regex {
  const known = derivatives.known.get(tree) ?? new Map<number, Regex>();
  derivatives.known.set(tree, known);
  const regex = known.get(code) ?? derived(derivatives, tree, code);
  known.set(code, regex);
  return regex;
}

function derived(derivatives: Derivatives, tree: Regex, code: number): Regex {
  const { make } = derivatives;
  const rest = (part: Regex) => after(derivatives, part, code);
  switch (tree.kind) {
    case "nothing":
    case "empty":
      return NOTHING;
    case "one":
      return isAmong(tree, code) ? EMPTY : NOTHING;
    case "sequence": {
      const first = make.sequence(rest(tree.first), tree.rest);
      return tree.first.isOptional ? make.union([first, rest(tree.rest)]) : first;
    }
    case "union":
      return make.union(tree.parts.map(rest));
    case "intersection":
      return make.intersection(tree.parts.map(rest));
    case "complement":
      return make.complement(rest(tree.of));
    case "repeat": {
      const least = tree.of.isOptional ? 0 : Math.max(0, tree.least - 1);
      return make.sequence(rest(tree.of), make.repeat(tree.of, least, tree.most - 1));
    }
  }
}

function isAmong({ spans, isNegated }: Regex & { kind: "one" }, code: number): boolean {
  const character = String.fromCodePoint(code);
  const variants = [character, character.toLowerCase(), character.toUpperCase()];
  const codes = variants.map((one) => one.codePointAt(0) ?? code);
  return isNegated !== spans.some(([from, to]) => codes.some((one) => from <= one && one <= to));
}

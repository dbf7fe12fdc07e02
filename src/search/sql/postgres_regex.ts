// Lucene's regular expressions in the words of PostgreSQL, where it has words for them. The text travels as a
// parameter, for `~*`, which takes upper and lower case alike.
import type { Regex, Span } from "../language/regex_tree.ts";

const MOST_TIMES = 255;
const MOST_COPIES = 1000;
const ANY_ONE = ".";

/**
 * Undefined where there is "not" or "and" in it, or too much counting: then matcher() must look at each value. Not whole,
 * it may match a part of one.
 */
export function postgresRegex(tree: Regex, { isWhole = true } = {}): string | undefined {
  if (tree.kind === "nothing" || copies(tree) > MOST_COPIES) return undefined;
  const text = written(tree);
  if (text === undefined || !isWhole) return text;
  return `^(?:${text})$`;
}

function written(tree: Regex): string | undefined {
  switch (tree.kind) {
    case "empty":
      return "(?:)";
    case "one":
      return oneOf(tree.spans, tree.isNegated);
    case "sequence":
      return joined([tree.first, tree.rest], "");
    case "union": {
      const text = joined(tree.parts, "|");
      return text && `(?:${text})`;
    }
    case "repeat":
      return repeated(tree);
    default:
      return undefined;
  }
}

function joined(parts: readonly Regex[], between: string): string | undefined {
  const texts = parts.map(written);
  return texts.includes(undefined) ? undefined : texts.join(between);
}

function repeated({ of, least, most }: Regex & { kind: "repeat" }): string | undefined {
  const text = written(of);
  const isEndless = most === Number.POSITIVE_INFINITY;
  if (text === undefined || least > MOST_TIMES || (!isEndless && most > MOST_TIMES))
    return undefined;
  return `(?:${text}){${least},${isEndless ? "" : most}}`;
}

function oneOf(spans: readonly Span[], isNegated: boolean): string | undefined {
  const [first, ...others] = spans;
  if (!first) return ANY_ONE;
  if (others.length === 0 && first[0] === first[1] && !isNegated) return escaped(first[0]);
  const texts = spans.map(spanned);
  return texts.includes(undefined) ? undefined : `[${isNegated ? "^" : ""}${texts.join("")}]`;
}

function spanned(span: Span): string | undefined {
  const ends = [...new Set(span)].map(escaped);
  return ends.includes(undefined) ? undefined : ends.join("-");
}

/** A backslash before a sign makes it plain; there is no way to write NUL or half a character. */
function escaped(code: number): string | undefined {
  if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const character = String.fromCodePoint(code);
  return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
}

/** How often the innermost is written out where PostgreSQL multiplies counts. */
function copies(tree: Regex): number {
  switch (tree.kind) {
    case "sequence":
      return copies(tree.first) + copies(tree.rest);
    case "union":
    case "intersection":
      return tree.parts.map(copies).reduce((sum, one) => sum + one, 0);
    case "repeat": {
      const times = tree.most === Number.POSITIVE_INFINITY ? tree.least + 1 : tree.most;
      return Math.max(1, times) * copies(tree.of);
    }
    case "complement":
      return copies(tree.of);
    default:
      return 1;
  }
}

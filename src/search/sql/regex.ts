// Lucene's regular expressions as conditions: "and" and "not" on the outside become those of SQL,
// and what is inside them becomes a regular expression of PostgreSQL for `~*`, which ignores
// case. It travels as a parameter.
import { type SQL, sql } from "drizzle-orm";
import { type Regex, readRegex, type Span } from "../language/regex.ts";

/**
 * Undefined if "not" or "and" is inside a sequence or a repetition: PostgreSQL cannot
 * express that.
 */
export function regexCondition(value: SQL, tree: Regex): SQL | undefined {
  const text = postgresRegex(tree);
  if (text !== undefined) return matches(value, text);
  switch (tree.kind) {
    case "nothing":
      return sql`false`;
    case "complement": {
      const inner = regexCondition(value, tree.of);
      return inner && sql`not ${inner}`;
    }
    case "union":
      return combine(value, tree.parts, sql` or `);
    case "intersection":
      return combine(value, tree.parts, sql` and `);
    default:
      return undefined;
  }
}

/** Whether PostgreSQL can evaluate this expression. */
export function isExpressible(source: string): boolean {
  const regex = readRegex(source);
  return regex !== undefined && regexCondition(sql`value`, regex.tree) !== undefined;
}

/** Matches every text that contains a match: a cheap first test. Undefined if there is none. */
export function partialRegex(tree: Regex): string | undefined {
  const text = postgresRegex(tree, { isWhole: false });
  if (text !== undefined || tree.kind !== "intersection") return text;
  return tree.parts.map(partialRegex).find((part) => part !== undefined);
}

function combine(value: SQL, parts: readonly Regex[], between: SQL): SQL | undefined {
  const conditions = parts.map((part) => regexCondition(value, part));
  const known = conditions.filter((one) => one !== undefined);
  return known.length < parts.length ? undefined : sql`(${sql.join(known, between)})`;
}

/** The C collation knows upper and lower case in ASCII only. */
function matches(value: SQL, text: string): SQL {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  return isAscii ? sql`${value} ~* ${text}` : sql`${value} collate names ~* ${text}`;
}

// In PostgreSQL's syntax --------------------------------------------------------------------------

const MOST_TIMES = 255;
const MOST_COPIES = 1000;
const ANY_ONE = ".";

/**
 * Undefined if the expression contains "not" or "and", or too large counts: then matcher() has to
 * look at each value. Without `isWhole` it also matches a part of a value.
 */
export function postgresRegex(tree: Regex, { isWhole = true } = {}): string | undefined {
  if (tree.kind === "nothing" || copies(tree) > MOST_COPIES) return undefined;
  const text = translate(tree);
  if (text === undefined || !isWhole) return text;
  return `^(?:${text})$`;
}

function translate(tree: Regex): string | undefined {
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
  const texts = parts.map(translate);
  return texts.includes(undefined) ? undefined : texts.join(between);
}

function repeated({ of, least, most }: Regex & { kind: "repeat" }): string | undefined {
  const text = translate(of);
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

/** NUL and surrogates cannot be written. */
function escaped(code: number): string | undefined {
  if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const character = String.fromCodePoint(code);
  return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
}

/** How many copies PostgreSQL makes of the innermost part by multiplying counts. */
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

// From the text of a query to its meaning. The language is the query_string of Elasticsearch 7.10: white space
// is no operator, and AND, OR and NOT have no precedence; they mark the clauses beside them.
import type { Aliases } from "./aliases.ts";
import { type Token, type TokenType, tokenize } from "./lexer.ts";
import { SyntaxFault, unexpected } from "./syntax_error.ts";
import * as leaves from "./terms.ts";
import type { Clause, Field, Group, Leaf, Place } from "./tree.ts";

export const MOST_BYTES = 16_384;
export const MOST_CLAUSES = 1024;
export const DEEPEST = 500;

type Occurrence = "must" | "should" | "must_not";

interface Marked {
  occurrence: Occurrence;
  clause: Clause;
}

interface Cursor {
  text: string;
  tokens: Token[];
  at: number;
  depth: number;
  aliases: Aliases;
}

/** Throws a SyntaxFault, and nothing else, where the text cannot be read; blank text finds nothing. */
export function parse(text: string, aliases: Aliases = {}): Group {
  const whole = { offset: 0, end: text.length };
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw tooMuch(text, whole, `a query of more than ${MOST_BYTES} bytes`);
  }
  const cursor: Cursor = { text, tokens: tokenize(text), at: 0, depth: 0, aliases };
  if (peek(cursor).type === "END") return groupOf([], whole);
  const group = readQuery(cursor, undefined);
  take(cursor, "END", ["an operator", "a term", "the end"]);
  return group;
}

function readQuery(cursor: Cursor, field: Field | undefined): Group {
  const { offset } = peek(cursor);
  const clauses: Marked[] = [];
  do {
    const words = readRun(cursor, field);
    if (words) clauses.push({ occurrence: "should", clause: words });
    else readMarked(cursor, field, clauses);
    const last = clauses.at(-1)?.clause;
    if (last && clauses.length > MOST_CLAUSES) {
      throw tooMuch(cursor.text, last, `more than ${MOST_CLAUSES} clauses in a group`);
    }
  } while (!ENDS_QUERY.has(peek(cursor).type));
  return groupOf(clauses, { offset, end: clauses.at(-1)?.clause.end ?? offset });
}

const ENDS_QUERY = new Set<TokenType>(["END", ")", ":", "^", "FUZZY"]);

function groupOf(clauses: Marked[], { offset, end }: Place): Group {
  const those = (wanted: Occurrence) =>
    clauses.filter(({ occurrence }) => occurrence === wanted).map(({ clause }) => clause);
  const [must, should, must_not] = [those("must"), those("should"), those("must_not")];
  return { kind: "group", must, should, must_not, offset, end };
}

/** Bare words in a row, two at least; a word that an operator or a sign follows is not of them. */
function readRun(cursor: Cursor, field: Field | undefined): Leaf | undefined {
  const words: Token[] = [];
  let [word, next] = [peek(cursor), peek(cursor, 1)];
  if (word.type !== "TERM" || next.type !== "TERM") return undefined;
  while (word.type === "TERM" && (words.length === 0 || !ENDS_RUN.has(next.type))) {
    words.push(word);
    [word, next] = [next, peek(cursor, words.length + 1)];
  }
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || first === last) return undefined;
  cursor.at += words.length;
  const about = { ...(field && { field }), offset: first.offset, end: last.end };
  const run = words.map(({ text, offset, end }) => ({ text, offset, end }));
  return finished(cursor, leaves.run(about, run));
}

const ENDS_RUN = new Set<TokenType>([":", "STAR", "FUZZY", "^", "AND", "OR"]);

/** AND requires the clause before it, too, unless that is prohibited; OR says nothing. */
function readMarked(cursor: Cursor, field: Field | undefined, clauses: Marked[]): void {
  const before = clauses.at(-1);
  const conjunction = before && skip(cursor, "AND", "OR");
  const isAnd = conjunction?.type === "AND";
  const sign = skip(cursor, "+", "-", "NOT")?.type;
  const clause = readClause(cursor, field);
  if (isAnd && before?.occurrence === "should") before.occurrence = "must";
  if (sign === "-" || sign === "NOT") clauses.push({ occurrence: "must_not", clause });
  else clauses.push({ occurrence: isAnd || sign === "+" ? "must" : "should", clause });
}

/** Its place is all of it, from the field to the boost. */
function readClause(cursor: Cursor, outer: Field | undefined): Clause {
  const { offset, end } = peek(cursor);
  const clause = readValue(cursor, isField(cursor) ? readField(cursor) : outer);
  return { ...clause, offset, end: cursor.tokens[cursor.at - 1]?.end ?? end };
}

function isField(cursor: Cursor): boolean {
  const { type } = peek(cursor);
  return (type === "TERM" || type === "STAR") && peek(cursor, 1).type === ":";
}

/** A star names all fields, and so none. */
function readField(cursor: Cursor): Field | undefined {
  const { type, text } = peek(cursor);
  cursor.at += 2;
  return type === "STAR" ? undefined : leaves.fieldNamed(text, cursor.aliases);
}

function readValue(cursor: Cursor, field: Field | undefined): Clause {
  const { type } = peek(cursor);
  if (type === "(") return readGroup(cursor, field);
  if (type === "[" || type === "{") return readRange(cursor, field);
  return readTerm(cursor, field);
}

/** A group of one clause that nothing requires or prohibits is that clause. */
function readGroup(cursor: Cursor, field: Field | undefined): Clause {
  const open = take(cursor, "(", []);
  cursor.depth += 1;
  if (cursor.depth > DEEPEST) {
    throw tooMuch(cursor.text, open, `more than ${DEEPEST} groups inside of each other`);
  }
  const group = readQuery(cursor, field);
  take(cursor, ")", [")"]);
  cursor.depth -= 1;
  const boost = readBoost(cursor);
  const [only] = group.should;
  const isOne = only && group.should.length + group.must.length + group.must_not.length === 1;
  return isOne ? withBoost(only, boost) : withBoost(group, boost);
}

function withBoost<One extends Clause>(clause: One, boost: number | undefined): One {
  return boost === undefined ? clause : { ...clause, boost: boost * (clause.boost ?? 1) };
}

function readRange(cursor: Cursor, field: Field | undefined): Leaf {
  const open = take(cursor, ["[", "{"], []);
  const from = take(cursor, BOUNDS, ["a value"]);
  take(cursor, "TO", ["TO"]);
  const to = take(cursor, BOUNDS, ["a value"]);
  const close = take(cursor, ["]", "}"], ["]", "}"]);
  const about = { ...(field && { field }), offset: open.offset, end: close.end };
  const range = leaves.range(about, {
    from: leaves.boundOf(from, open.type === "["),
    to: leaves.boundOf(to, close.type === "]"),
  });
  return withBoost(range, readBoost(cursor));
}

/** TO is a value where a bound is expected: `[TO TO z]` is a range, `[TO z]` is not. */
const BOUNDS: TokenType[] = ["BOUND", "QUOTED", "TO"];

/** A boost may stand before or behind what says how fuzzy it is. */
function readTerm(cursor: Cursor, field: Field | undefined): Leaf {
  const token = take(cursor, TERMS, ["a term"]);
  leaves.refuseLong(cursor.text, token);
  const early = readBoost(cursor);
  const fuzzy = skip(cursor, "FUZZY");
  const boost = fuzzy && early === undefined ? readBoost(cursor) : early;
  const end = fuzzy?.end ?? token.end;
  const about = { ...(field && { field }), offset: token.offset, end };
  return withBoost(finished(cursor, leaves.ofToken(about, token, fuzzy?.text)), boost);
}

const TERMS: TokenType[] = ["TERM", "STAR", "PREFIX", "WILD", "REGEX", "QUOTED", "BARE"];

function finished({ aliases }: Cursor, leaf: Leaf): Leaf {
  return leaves.existing(leaf, (name) => leaves.fieldNamed(name, aliases)) ?? leaf;
}

function readBoost(cursor: Cursor): number | undefined {
  return skip(cursor, "^") && Number(take(cursor, "NUMBER", ["a number"]).text);
}

function peek({ tokens, at, text }: Cursor, ahead = 0): Token {
  return tokens[at + ahead] ?? { type: "END", text: "", offset: text.length, end: text.length };
}

function skip(cursor: Cursor, ...types: TokenType[]): Token | undefined {
  const token = peek(cursor);
  if (!types.includes(token.type)) return undefined;
  cursor.at += 1;
  return token;
}

function take(cursor: Cursor, types: TokenType | TokenType[], expected: readonly string[]): Token {
  const token = skip(cursor, ...[types].flat());
  if (token) return token;
  const { fault } = peek(cursor);
  throw fault ?? unexpected(cursor.text, peek(cursor), expected);
}

function tooMuch(text: string, { offset, end }: Place, problem: string): SyntaxFault {
  return new SyntaxFault(text, { kind: "limit", problem, offset, end });
}

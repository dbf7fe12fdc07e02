// From the text of a query to its tree. The language is the query_string of Elasticsearch 7.10:
// white space is no operator, and AND, OR and NOT have no precedence; they mark the clauses next
// to them.
import { globOf } from "./glob.ts";
import { type QueryToken, type TokenType, tokenize } from "./lexer.ts";
import { QuerySyntaxError, unexpected } from "./syntax_error.ts";
import type {
  Aliases,
  Bound,
  Clause,
  ClauseGroup,
  Leaf,
  QueryField,
  RangeTerm,
  TextPlace,
  Word,
} from "./tree.ts";

export const MOST_BYTES = 16_384;
export const MOST_CLAUSES = 1024;
export const DEEPEST_QUERY = 500;
export const LONGEST_REGEX = 1000;

type Occurrence = "must" | "should" | "must_not";

interface Marked {
  occurrence: Occurrence;
  clause: Clause;
}

interface Cursor {
  text: string;
  /** Those that were read so far, and the rest. */
  tokens: QueryToken[];
  rest: Iterator<QueryToken, undefined>;
  at: number;
  depth: number;
  aliases: Aliases;
}

/**
 * Throws a QuerySyntaxError, and nothing else, for text that is no query. Blank text finds nothing.
 */
export function parse(text: string, aliases: Aliases = {}): ClauseGroup {
  const whole = { offset: 0, end: text.length };
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw overLimit(text, whole, `The query is too long: use at most ${MOST_BYTES} bytes`);
  }
  const cursor: Cursor = { text, tokens: [], rest: tokenize(text), at: 0, depth: 0, aliases };
  if (peek(cursor).type === "END") return groupOf([], whole);
  const group = readQuery(cursor, undefined);
  take(cursor, "END", ["an operator", "a term", "the end"]);
  return group;
}

/** The same; undefined for text that is no query. */
export function tryParse(text: string, aliases?: Aliases): ClauseGroup | undefined {
  try {
    return parse(text, aliases);
  } catch (error) {
    if (error instanceof QuerySyntaxError) return undefined;
    throw error;
  }
}

function readQuery(cursor: Cursor, field: QueryField | undefined): ClauseGroup {
  const { offset } = peek(cursor);
  const clauses: Marked[] = [];
  do {
    const words = readRun(cursor, field);
    if (words) clauses.push({ occurrence: "should", clause: words });
    else readMarked(cursor, field, clauses);
    const last = clauses.at(-1)?.clause;
    if (last && clauses.length > MOST_CLAUSES) {
      throw overLimit(cursor.text, last, `Use at most ${MOST_CLAUSES} terms side by side`);
    }
  } while (!ENDS_QUERY.has(peek(cursor).type));
  return groupOf(clauses, { offset, end: clauses.at(-1)?.clause.end ?? offset });
}

const ENDS_QUERY = new Set<TokenType>(["END", ")", ":", "^", "FUZZY"]);

function groupOf(clauses: Marked[], { offset, end }: TextPlace): ClauseGroup {
  const those = (wanted: Occurrence) =>
    clauses.filter(({ occurrence }) => occurrence === wanted).map(({ clause }) => clause);
  const [must, should, must_not] = [those("must"), those("should"), those("must_not")];
  return { kind: "group", must, should, must_not, offset, end };
}

/**
 * Two or more bare words in a row. A word that is followed by an operator or a sign does not belong
 * to the run.
 */
function readRun(cursor: Cursor, field: QueryField | undefined): Leaf | undefined {
  const words: QueryToken[] = [];
  let [word, next] = [peek(cursor), peek(cursor, 1)];
  if (word.type !== "TERM" || next.type !== "TERM") return undefined;
  while (word.type === "TERM" && (words.length === 0 || !ENDS_RUN.has(next.type))) {
    words.push(word);
    [word, next] = [next, peek(cursor, words.length + 1)];
  }
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || first === last) return undefined;
  cursor.at += words.length;
  const base = { ...(field && { field }), offset: first.offset, end: last.end };
  const run = words.map(({ text, offset, end }) => ({ text, offset, end }));
  return existsOr(cursor, runOf(base, run));
}

const ENDS_RUN = new Set<TokenType>([":", "STAR", "FUZZY", "^", "AND", "OR"]);

/** AND also requires the clause before it, unless that is prohibited; OR does nothing. */
function readMarked(cursor: Cursor, field: QueryField | undefined, clauses: Marked[]): void {
  const before = clauses.at(-1);
  const conjunction = before && skip(cursor, "AND", "OR");
  const isAnd = conjunction?.type === "AND";
  const sign = skip(cursor, "+", "-", "NOT")?.type;
  const clause = readClause(cursor, field);
  if (isAnd && before?.occurrence === "should") before.occurrence = "must";
  if (sign === "-" || sign === "NOT") clauses.push({ occurrence: "must_not", clause });
  else clauses.push({ occurrence: isAnd || sign === "+" ? "must" : "should", clause });
}

/** The place of a clause reaches from its field to its boost. */
function readClause(cursor: Cursor, outer: QueryField | undefined): Clause {
  const { offset, end } = peek(cursor);
  const clause = readValue(cursor, isField(cursor) ? readField(cursor) : outer);
  return { ...clause, offset, end: cursor.tokens[cursor.at - 1]?.end ?? end };
}

function isField(cursor: Cursor): boolean {
  const { type } = peek(cursor);
  return (type === "TERM" || type === "STAR") && peek(cursor, 1).type === ":";
}

/** `*:` stands for all fields, like no field at all. */
function readField(cursor: Cursor): QueryField | undefined {
  const { type, text } = peek(cursor);
  cursor.at += 2;
  return type === "STAR" ? undefined : fieldNamed(text, cursor.aliases);
}

function readValue(cursor: Cursor, field: QueryField | undefined): Clause {
  const { type } = peek(cursor);
  if (type === "(") return readGroup(cursor, field);
  if (type === "[" || type === "{") return readRange(cursor, field);
  return readTerm(cursor, field);
}

/** A group of one optional clause is that clause. */
function readGroup(cursor: Cursor, field: QueryField | undefined): Clause {
  const open = take(cursor, "(", []);
  cursor.depth += 1;
  if (cursor.depth > DEEPEST_QUERY) {
    throw overLimit(cursor.text, open, `Use at most ${DEEPEST_QUERY} brackets inside each other`);
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

function readRange(cursor: Cursor, field: QueryField | undefined): Leaf {
  const open = take(cursor, ["[", "{"], []);
  const from = take(cursor, BOUNDS, ["a value"]);
  take(cursor, "TO", ["TO"]);
  const to = take(cursor, BOUNDS, ["a value"]);
  const close = take(cursor, ["]", "}"], ["]", "}"]);
  const base = { ...(field && { field }), offset: open.offset, end: close.end };
  const range = rangeOf(base, {
    from: boundOf(from, open.type === "["),
    to: boundOf(to, close.type === "]"),
  });
  return withBoost(range, readBoost(cursor));
}

/** TO is a value where a bound is expected: `[TO TO z]` is a range, `[TO z]` is not. */
const BOUNDS: TokenType[] = ["BOUND", "QUOTED", "TO"];

/** The boost may stand before or after the `~`. */
function readTerm(cursor: Cursor, field: QueryField | undefined): Leaf {
  const token = take(cursor, TERMS, ["a term"]);
  refuseLong(cursor.text, token);
  const early = readBoost(cursor);
  const fuzzy = skip(cursor, "FUZZY");
  const boost = fuzzy && early === undefined ? readBoost(cursor) : early;
  const end = fuzzy?.end ?? token.end;
  const base = { ...(field && { field }), offset: token.offset, end };
  return withBoost(existsOr(cursor, leafOf(base, token, fuzzy?.text)), boost);
}

const TERMS: TokenType[] = ["TERM", "STAR", "PREFIX", "WILD", "REGEX", "QUOTED", "BARE"];

/** `_exists_:name` asks whether the field `name` has a value. */
function existsOr({ aliases }: Cursor, leaf: Leaf): Leaf {
  const { field, offset, end } = leaf;
  if (field?.name !== EXISTS || (leaf.kind !== "term" && leaf.kind !== "phrase")) return leaf;
  return { kind: "exists", field: fieldNamed(leaf.text, aliases), offset, end };
}

const EXISTS = "_exists_";

function readBoost(cursor: Cursor): number | undefined {
  return skip(cursor, "^") && Number(take(cursor, "NUMBER", ["a number"]).text);
}

function peek({ tokens, rest, at, text }: Cursor, ahead = 0): QueryToken {
  while (tokens.length <= at + ahead) {
    const { value } = rest.next();
    if (!value) break;
    tokens.push(value);
  }
  return tokens[at + ahead] ?? { type: "END", text: "", offset: text.length, end: text.length };
}

function skip(cursor: Cursor, ...types: TokenType[]): QueryToken | undefined {
  const token = peek(cursor);
  if (!types.includes(token.type)) return undefined;
  cursor.at += 1;
  return token;
}

function take(
  cursor: Cursor,
  types: TokenType | TokenType[],
  expected: readonly string[],
): QueryToken {
  const token = skip(cursor, ...[types].flat());
  if (token) return token;
  const { error } = peek(cursor);
  throw error ?? unexpected(cursor.text, peek(cursor), expected);
}

function overLimit(text: string, { offset, end }: TextPlace, problem: string): QuerySyntaxError {
  return new QuerySyntaxError(text, { kind: "limit", problem, offset, end });
}

// Single terms ------------------------------------------------------------------------------------

/** What all leaves have: their field and their place. */
interface LeafBase extends TextPlace {
  field?: QueryField;
}

function fieldNamed(name: string, aliases: Aliases): QueryField {
  const paths = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  return { name, paths: paths ?? [name] };
}

/** The leaf for a token; `fuzzy` is what follows its `~`. */
function leafOf(base: LeafBase, token: QueryToken, fuzzy: string | undefined): Leaf {
  const { type, text } = token;
  if (type === "STAR") return everything(base);
  if (type === "PREFIX") return { kind: "prefix", text, ...base };
  if (type === "WILD") return { kind: "wildcard", glob: globOf(text), ...base };
  if (type === "REGEX") return { kind: "regex", source: text, ...base };
  if (type === "QUOTED") return phrase(base, text, fuzzy);
  if (fuzzy === undefined) return wordOf(base, text);
  return { kind: "fuzzy", text, distance: distanceOf(fuzzy, text), ...base };
}

/** A bare word; one that starts with `<` or `>` is a range. */
function wordOf(base: LeafBase, text: string): Leaf {
  return comparison(base, text) ?? { kind: "term", text, ...base };
}

/** Several words side by side are one text, joined by one space. */
function runOf(base: LeafBase, words: readonly Word[]): Leaf {
  const leaf = wordOf(base, words.map((word) => word.text).join(" "));
  return leaf.kind === "term" ? { ...leaf, run: words } : leaf;
}

function rangeOf(base: LeafBase, ends: Pick<RangeTerm, "from" | "to">): RangeTerm {
  return { kind: "range", ...ends, ...base };
}

/** `*` leaves the range open at this end; in quotation marks it is a text. */
function boundOf({ type, text }: QueryToken, isInclusive: boolean): Bound | undefined {
  return type === "BOUND" && text === "*" ? undefined : { text, isInclusive };
}

function refuseLong(query: string, { type, text, offset, end }: QueryToken): void {
  if (type !== "REGEX" || text.length <= LONGEST_REGEX) return;
  const problem = `Use at most ${LONGEST_REGEX} characters in a regular expression`;
  throw new QuerySyntaxError(query, { kind: "limit", problem, offset, end });
}

function everything({ field, ...place }: LeafBase): Leaf {
  return field ? { kind: "exists", field, ...place } : { kind: "any", ...place };
}

function phrase(base: LeafBase, text: string, fuzzy: string | undefined): Leaf {
  const slop = Math.trunc(Number(fuzzy)) || 0;
  return { kind: "phrase", text, ...(slop > 0 && { slop }), ...base };
}

const COMPARED = /^([<>])=?(?=.)/s;

/** `>=` alone means greater than "=". */
function comparison(base: LeafBase, text: string): Leaf | undefined {
  const [sign = "", side] = COMPARED.exec(text) ?? [];
  if (!side) return undefined;
  const isInclusive = sign.length === 2;
  const bound = { text: text.slice(sign.length), isInclusive };
  return rangeOf(base, side === ">" ? { from: bound } : { to: bound });
}

/** Without a number the length of the word decides. */
function distanceOf(fuzzy: string, text: string): 0 | 1 | 2 {
  const { length } = [...text];
  const wanted = /^(AUTO)?$/i.test(fuzzy) ? automatic(length) : Math.trunc(Number(fuzzy));
  if (wanted < 1) return 0;
  return wanted < 2 ? 1 : 2;
}

function automatic(length: number): number {
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
}

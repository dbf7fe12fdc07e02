// Lucene's regular expressions: `~` not, `&` and, `@` any text, `#` nothing, `"…"` literal text,
// `<1-10>` a number. A backslash makes an operator literal and gives letters no meaning: `\d` is d.

interface RegexCursor {
  /** By code points. */
  source: string[];
  at: number;
  make: Factory;
}

class Malformed extends Error {}

interface LuceneRegex {
  tree: Regex;
  make: Factory;
}

/** Undefined for an expression that is not valid; it finds nothing. */
export function readRegex(source: string): LuceneRegex | undefined {
  const cursor: RegexCursor = { source: [...source], at: 0, make: factory() };
  try {
    const tree = source === "" ? EMPTY : readUnion(cursor);
    return cursor.at === cursor.source.length ? { tree, make: cursor.make } : undefined;
  } catch (error) {
    if (error instanceof Malformed || error instanceof TooComplex) return undefined;
    throw error;
  }
}

function any({ one }: Factory): Regex {
  return one([], true);
}

function readUnion(cursor: RegexCursor): Regex {
  const parts = [readIntersection(cursor)];
  while (skip(cursor, "|")) parts.push(readIntersection(cursor));
  return cursor.make.union(parts);
}

function readIntersection(cursor: RegexCursor): Regex {
  const parts = [readSequence(cursor)];
  while (skip(cursor, "&")) parts.push(readSequence(cursor));
  return cursor.make.intersection(parts);
}

/**
 * The first part is read unconditionally: an operator that has nothing to apply to is a literal.
 */
function readSequence(cursor: RegexCursor): Regex {
  const parts = [readRepeated(cursor)];
  while (hasMore(cursor) && !isAt(cursor, ")|&")) parts.push(readRepeated(cursor));
  return parts.reduceRight((rest, part) => cursor.make.sequence(part, rest), EMPTY);
}

function readRepeated(cursor: RegexCursor): Regex {
  const { repeat } = cursor.make;
  let regex = readComplement(cursor);
  for (;;) {
    if (skip(cursor, "?")) regex = repeat(regex, 0, 1);
    else if (skip(cursor, "*")) regex = repeat(regex, 0);
    else if (skip(cursor, "+")) regex = repeat(regex, 1);
    else if (skip(cursor, "{")) regex = readCount(cursor, regex);
    else return regex;
  }
}

function readCount(cursor: RegexCursor, regex: Regex): Regex {
  const least = readNumber(cursor);
  if (least === undefined) throw new Malformed();
  const most = skip(cursor, ",") ? readNumber(cursor) : least;
  expect(cursor, "}");
  return cursor.make.repeat(regex, least, most);
}

const GREATEST = 2_147_483_647;

function readNumber(cursor: RegexCursor): number | undefined {
  let digits = "";
  while (hasMore(cursor) && isAt(cursor, "0123456789")) digits += next(cursor);
  if (Number(digits) > GREATEST) throw new Malformed();
  return digits === "" ? undefined : Number(digits);
}

function readComplement(cursor: RegexCursor): Regex {
  let isNegated = false;
  while (skip(cursor, "~")) isNegated = !isNegated;
  const regex = readSimple(cursor);
  return isNegated ? cursor.make.complement(regex) : regex;
}

function readSimple(cursor: RegexCursor): Regex {
  const { make } = cursor;
  if (skip(cursor, "[")) return readClass(cursor);
  if (skip(cursor, ".")) return any(make);
  if (skip(cursor, "#")) return NOTHING;
  if (skip(cursor, "@")) return make.repeat(any(make), 0);
  if (skip(cursor, '"')) return literally(cursor, until(cursor, '"'));
  if (skip(cursor, "(")) return readGroup(cursor);
  if (skip(cursor, "<")) return readInterval(cursor);
  return literally(cursor, [readCharacter(cursor)]);
}

function readGroup(cursor: RegexCursor): Regex {
  if (skip(cursor, ")")) return EMPTY;
  const regex = readUnion(cursor);
  expect(cursor, ")");
  return regex;
}

/** Only `]` and the backslash are special in a class. */
function readClass(cursor: RegexCursor): Regex {
  const isNegated = skip(cursor, "^");
  const spans: Span[] = [];
  do {
    const from = codeOf(readCharacter(cursor));
    const to = skip(cursor, "-") ? codeOf(readCharacter(cursor)) : from;
    if (to < from) throw new Malformed();
    spans.push([from, to]);
  } while (hasMore(cursor) && !isAt(cursor, "]"));
  expect(cursor, "]");
  return cursor.make.one(spans, isNegated);
}

const INTERVAL = /^(\d+)-(\d+)$/;

/** If both ends have the same number of digits, numbers match with that many digits. */
function readInterval(cursor: RegexCursor): Regex {
  const [, one = "", other = ""] = INTERVAL.exec(until(cursor, ">").join("")) ?? [];
  if (one === "" || Number(one) > GREATEST || Number(other) > GREATEST) throw new Malformed();
  const [least = 0, most = 0] = [Number(one), Number(other)].toSorted((a, b) => a - b);
  return numbers(cursor.make, {
    least,
    most,
    digits: one.length === other.length ? one.length : 0,
  });
}

function literally({ make }: RegexCursor, characters: string[]): Regex {
  const each = characters.map((character) => make.one([[codeOf(character), codeOf(character)]]));
  return each.reduceRight((rest, one) => make.sequence(one, rest), EMPTY);
}

function until(cursor: RegexCursor, end: string): string[] {
  const found = cursor.source.indexOf(end, cursor.at);
  if (found < 0) throw new Malformed();
  const inside = cursor.source.slice(cursor.at, found);
  cursor.at = found + 1;
  return inside;
}

function readCharacter(cursor: RegexCursor): string {
  skip(cursor, "\\");
  return next(cursor);
}

function next(cursor: RegexCursor): string {
  const character = cursor.source[cursor.at];
  if (character === undefined) throw new Malformed();
  cursor.at += 1;
  return character;
}

function hasMore({ source, at }: RegexCursor): boolean {
  return at < source.length;
}

function isAt({ source, at }: RegexCursor, characters: string): boolean {
  return characters.includes(source[at] ?? " none");
}

function skip(cursor: RegexCursor, character: string): boolean {
  const isThere = cursor.source[cursor.at] === character;
  if (isThere) cursor.at += 1;
  return isThere;
}

function expect(cursor: RegexCursor, character: string): void {
  if (!skip(cursor, character)) throw new Malformed();
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

// Numeric intervals as expressions ----------------------------------------------------------------

/**
 * All numbers from `least` to `most`, with exactly `digits` digits or, if that is 0, any number of
 * leading zeros.
 */
function numbers(
  make: Factory,
  { least, most, digits }: { least: number; most: number; digits: number },
): Regex {
  if (digits > 0) return digitsBetween(make, padded(least, digits), padded(most, digits));
  const width = String(most).length;
  const all = Array.from({ length: width }, (_, index) => index + 1).flatMap((length) => {
    const from = Math.max(least, length === 1 ? 0 : 10 ** (length - 1));
    const to = Math.min(most, 10 ** length - 1);
    return from > to ? [] : [digitsBetween(make, String(from), String(to))];
  });
  return make.sequence(make.repeat(digit(make, "0", "0"), 0), make.union(all));
}

/** `from` and `to` have the same number of digits. */
function digitsBetween(make: Factory, from: string, to: string): Regex {
  const [first, last] = [from[0], to[0]];
  if (first === undefined || last === undefined) return EMPTY;
  if (/^0+$/.test(from) && /^9+$/.test(to)) {
    return make.repeat(digit(make, "0", "9"), from.length, from.length);
  }
  const [low, high] = [from.slice(1), to.slice(1)];
  const then = (start: string, rest: Regex) => make.sequence(digit(make, start, start), rest);
  if (first === last) return then(first, digitsBetween(make, low, high));
  const [least, most] = ["0".repeat(low.length), "9".repeat(low.length)];
  const inner = digit(make, String(Number(first) + 1), String(Number(last) - 1));
  return make.union([
    then(first, digitsBetween(make, low, most)),
    make.sequence(inner, digitsBetween(make, least, most)),
    then(last, digitsBetween(make, least, high)),
  ]);
}

/** Matches nothing if `from` is greater than `to`. */
function digit({ one }: Factory, from: string, to: string): Regex {
  return from > to ? NOTHING : one([[from.charCodeAt(0), to.charCodeAt(0)]]);
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}

// Expression trees --------------------------------------------------------------------------------

// Equal expressions are the same object: the matcher compares its states by identity.

export type Span = readonly [from: number, to: number];

/** `isOptional`: matches the empty text. */
export type Regex = { readonly isOptional: boolean } & RegexShape;

type RegexShape =
  | { readonly kind: "nothing" | "empty" }
  /** One character, by its code point. */
  | { readonly kind: "one"; readonly spans: readonly Span[]; readonly isNegated: boolean }
  | { readonly kind: "sequence"; readonly first: Regex; readonly rest: Regex }
  | { readonly kind: "union" | "intersection"; readonly parts: readonly Regex[] }
  | { readonly kind: "repeat"; readonly of: Regex; readonly least: number; readonly most: number }
  | { readonly kind: "complement"; readonly of: Regex };

interface Factory {
  one(spans: readonly Span[], isNegated?: boolean): Regex;
  sequence(first: Regex, rest: Regex): Regex;
  union(parts: readonly Regex[]): Regex;
  intersection(parts: readonly Regex[]): Regex;
  repeat(of: Regex, least: number, most?: number): Regex;
  complement(of: Regex): Regex;
  /** The same number for equal expressions. */
  numberOf(regex: Regex): number;
}

class TooComplex extends Error {}

const NOTHING: Regex = { kind: "nothing", isOptional: false };
const EMPTY: Regex = { kind: "empty", isOptional: true };
const MOST_TREES = 20_000;

function factory(): Factory {
  const known = new Map<string, Regex>();
  const numbers = new Map<Regex, number>([
    [NOTHING, 0],
    [EMPTY, 1],
  ]);
  const numberOf = (regex: Regex) => numbers.get(regex) ?? 0;

  function unique(key: string, shape: RegexShape): Regex {
    const found = known.get(key);
    if (found) return found;
    if (known.size >= MOST_TREES) throw new TooComplex();
    const regex = { ...shape, isOptional: isOptional(shape) };
    known.set(key, regex);
    numbers.set(regex, numbers.size);
    return regex;
  }

  function several(kind: "union" | "intersection", parts: readonly Regex[]): Regex {
    const flat = parts.flatMap((one) => (one.kind === kind ? one.parts : [one]));
    const sorted = [...new Set(flat)].toSorted((one, other) => numberOf(one) - numberOf(other));
    const key = `${kind} ${sorted.map(numberOf).join(" ")}`;
    return sorted.length === 1 && sorted[0] ? sorted[0] : unique(key, { kind, parts: sorted });
  }

  const one: Factory["one"] = (spans, isNegated = false) =>
    unique(`one ${isNegated} ${spans.join(" ")}`, { kind: "one", spans, isNegated });

  const sequence: Factory["sequence"] = (first, rest) => {
    if (first === NOTHING || rest === NOTHING) return NOTHING;
    if (first === EMPTY) return rest;
    if (rest === EMPTY) return first;
    if (first.kind === "sequence") return sequence(first.first, sequence(first.rest, rest));
    return unique(`${numberOf(first)} then ${numberOf(rest)}`, { kind: "sequence", first, rest });
  };

  const union: Factory["union"] = (parts) => {
    const some = parts.filter((part) => part !== NOTHING);
    return some.length === 0 ? NOTHING : several("union", some);
  };

  const intersection: Factory["intersection"] = (parts) =>
    parts.includes(NOTHING) ? NOTHING : several("intersection", parts);

  const repeat: Factory["repeat"] = (of, least, most = Number.POSITIVE_INFINITY) => {
    if (least > most) return NOTHING;
    if (most === 0 || of === EMPTY) return EMPTY;
    if (of === NOTHING) return least === 0 ? EMPTY : NOTHING;
    if (least === 1 && most === 1) return of;
    return unique(`${numberOf(of)} {${least},${most}}`, { kind: "repeat", of, least, most });
  };

  const complement: Factory["complement"] = (of) =>
    of.kind === "complement" ? of.of : unique(`not ${numberOf(of)}`, { kind: "complement", of });

  return { one, sequence, union, intersection, repeat, complement, numberOf };
}

function isOptional(shape: RegexShape): boolean {
  switch (shape.kind) {
    case "sequence":
      return shape.first.isOptional && shape.rest.isOptional;
    case "union":
      return shape.parts.some((part) => part.isOptional);
    case "intersection":
      return shape.parts.every((part) => part.isOptional);
    case "complement":
      return !shape.of.isOptional;
    case "repeat":
      return shape.least === 0 || shape.of.isOptional;
    default:
      return shape.kind === "empty";
  }
}

// Matching ----------------------------------------------------------------------------------------

// By derivatives: what is left to match after each character is an expression again. This handles
// "not" and "and" directly and reads each character once.

type Matcher = (text: string) => boolean;

/** Tests whole texts, ignoring case. An expression that becomes too complex matches nothing. */
export function matcher(regex: LuceneRegex): Matcher {
  const derivatives: Derivatives = { make: regex.make, known: new Map() };
  return (text) => {
    let tree = regex.tree;
    try {
      for (const character of text) {
        if (tree === NOTHING) return false;
        tree = derivativeOf(derivatives, tree, character.codePointAt(0) ?? 0);
      }
      return tree.isOptional;
    } catch (error) {
      if (error instanceof TooComplex) return false;
      throw error;
    }
  };
}

interface Derivatives {
  make: Factory;
  known: Map<Regex, Map<number, Regex>>;
}

/** What is left to match after this character; computed once for each expression and character. */
function derivativeOf(derivatives: Derivatives, tree: Regex, code: number): Regex {
  const known = derivatives.known.get(tree) ?? new Map<number, Regex>();
  derivatives.known.set(tree, known);
  const regex = known.get(code) ?? derive(derivatives, tree, code);
  known.set(code, regex);
  return regex;
}

function derive(derivatives: Derivatives, tree: Regex, code: number): Regex {
  const { make } = derivatives;
  const rest = (part: Regex) => derivativeOf(derivatives, part, code);
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

// Splits the text of a query into tokens, as Elasticsearch's query_string does: the longest match
// wins.
import { isIP } from "node:net";
import { composed } from "../../input/text.ts";
import { QuerySyntaxError, unexpected } from "./syntax_error.ts";
import type { TextPlace } from "./tree.ts";

export type TokenType =
  | ("AND" | "OR" | "NOT" | "+" | "-" | "(" | ")" | ":" | "^" | "[" | "{" | "]" | "}" | "TO")
  | (
      | "STAR"
      | "BARE"
      | "TERM"
      | "PREFIX"
      | "WILD"
      | "REGEX"
      | "QUOTED"
      | "FUZZY"
      | "NUMBER"
      | "BOUND"
    )
  | ("END" | "ERROR");

export interface QueryToken extends TextPlace {
  type: TokenType;
  /** Without escapes and quotation marks; the text of a wildcard stays as it was written. */
  text: string;
  /**
   * Set on the last token if no token can be read there; the parser throws it when it gets that
   * far.
   */
  error?: QuerySyntaxError;
}

type TokenReader = (text: string, at: number) => QueryToken;

/** The last token is END or ERROR. One by one: a query can be wrong from the start, and long. */
export function* tokenize(text: string): Generator<QueryToken, undefined> {
  let read: TokenReader = readPlain;
  let at = 0;
  for (;;) {
    const start = read === readNumber ? at : afterSpace(text, at);
    const token = start < text.length ? composedToken(readToken(read, text, start)) : endOf(text);
    yield token;
    if (token.type === "END" || token.type === "ERROR") return;
    read = readerAfter(token, read);
    at = token.end;
  }
}

/** Stored texts are composed (NFC). The places of tokens refer to the text as it was typed. */
function composedToken(token: QueryToken): QueryToken {
  return { ...token, text: composed(token.text) };
}

function endOf(text: string): QueryToken {
  return { type: "END", text: "", offset: text.length, end: text.length };
}

function readToken(read: TokenReader, text: string, at: number): QueryToken {
  try {
    return read(text, at);
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    return { type: "ERROR", text: "", offset: error.offset, end: error.end, error };
  }
}

function readerAfter({ type }: QueryToken, read: TokenReader): TokenReader {
  if (type === "^") return readNumber;
  if (type === "[" || type === "{") return readInRange;
  return read === readInRange && type !== "]" && type !== "}" ? readInRange : readPlain;
}

function readPlain(text: string, at: number): QueryToken {
  const literal = literalAt(text, at);
  if (literal) return readLiteral(text, { ...literal, offset: at });
  const sign = text[at] ?? "";
  if ("+-!".includes(sign) && isSpace(text[at + 1])) {
    return { type: "BARE", text: sign, offset: at, end: at + 1 };
  }
  if (sign === "!") return { type: "NOT", text: sign, offset: at, end: at + 1 };
  if (isSign(sign)) return { type: sign, text: sign, offset: at, end: at + 1 };
  if (sign === '"') return readQuoted(text, at);
  if (sign === "/") return readRegex(text, at);
  if (sign === "~") return readFuzzy(text, at);
  if (sign === "]" || sign === "}") {
    throw unexpected(text, { offset: at, end: at + 1 }, ["a term"]);
  }
  return readWord(text, at);
}

type Sign = "+" | "-" | "(" | ")" | ":" | "^" | "[" | "{";

function isSign(character: string): character is Sign {
  return character !== "" && "+-():^[{".includes(character);
}

function readLiteral(
  text: string,
  { type, offset, end }: { type: "TERM" | "PREFIX" } & TextPlace,
): QueryToken {
  return { type, text: text.slice(offset, type === "PREFIX" ? end - 1 : end), offset, end };
}

const OPERATORS: Record<string, TokenType> = {
  AND: "AND",
  "&&": "AND",
  OR: "OR",
  "||": "OR",
  NOT: "NOT",
  "*": "STAR",
};

function readWord(text: string, at: number): QueryToken {
  const end = afterWord(text, at, "*?");
  const place = { offset: at, end };
  if (end === at) throw unterminated(text, at, CHARACTER);
  const raw = text.slice(at, end);
  const operator = Object.hasOwn(OPERATORS, raw) ? OPERATORS[raw] : undefined;
  if (operator) return { type: operator, text: raw, ...place };
  const plain = afterWord(text, at);
  if (plain === end) return { type: "TERM", text: unescaped(text, place), ...place };
  const isPrefix = plain === end - 1 && text[plain] === "*" && plain > at;
  return isPrefix
    ? { type: "PREFIX", text: unescaped(text, { offset: at, end: plain }), ...place }
    : { type: "WILD", text: raw, ...place };
}

function readQuoted(text: string, at: number): QueryToken {
  const end = afterQuotation(text, at);
  if (end === undefined) throw unterminated(text, at, '"');
  const inside = unescaped(text, { offset: at + 1, end: end - 1 });
  return { type: "QUOTED", text: inside, offset: at, end };
}

function readRegex(text: string, at: number): QueryToken {
  const end = afterDelimited(text, at);
  if (end === undefined) throw unterminated(text, at, "/");
  return { type: "REGEX", text: text.slice(at + 1, end - 1), offset: at, end };
}

const FUZZINESS = /^(AUTO|\d+(\.\d*)?|\.\d+)?$/i;

function readFuzzy(text: string, at: number): QueryToken {
  const end = afterWord(text, at + 1);
  const distance = text.slice(at + 1, end);
  if (FUZZINESS.test(distance)) return { type: "FUZZY", text: distance, offset: at, end };
  const problem = `Write a number or nothing after ~, not ${distance}`;
  const place = { offset: at, end };
  throw new QuerySyntaxError(text, {
    kind: "number",
    problem,
    expected: ["a number", "AUTO"],
    ...place,
  });
}

const NUMBER = /\d+(\.\d+)?/y;

function readNumber(text: string, at: number): QueryToken {
  NUMBER.lastIndex = at;
  const [number] = NUMBER.exec(text) ?? [];
  if (number) return { type: "NUMBER", text: number, offset: at, end: at + number.length };
  const problem = "Write a number right after ^, such as rack^2";
  const end = Math.min(text.length, at + 1);
  const place = { offset: at, end };
  throw new QuerySyntaxError(text, { kind: "number", problem, expected: ["a number"], ...place });
}

function readInRange(text: string, at: number): QueryToken {
  const sign = text[at];
  if (sign === "]" || sign === "}") return { type: sign, text: sign, offset: at, end: at + 1 };
  const bare = afterBound(text, at);
  const quoted = sign === '"' ? afterDelimited(text, at) : undefined;
  if (quoted !== undefined && quoted >= bare && quoted > at + 2) {
    const inside = unescaped(text, { offset: at + 1, end: quoted - 1 });
    return { type: "QUOTED", text: inside, offset: at, end: quoted };
  }
  const place = { offset: at, end: bare };
  if (text.slice(at, bare) === "TO") return { type: "TO", text: "TO", ...place };
  return { type: "BOUND", text: unescaped(text, place), ...place };
}

/** Tabs are part of a bound. */
function afterBound(text: string, at: number): number {
  let end = at;
  while (end < text.length && !" ]}".includes(text[end] ?? "")) end += 1;
  return end;
}

/** What begins here has no end, because `closing` is missing. */
function unterminated(text: string, at: number, closing: string): QuerySyntaxError {
  const problem =
    closing === CHARACTER ? "A character is missing after \\" : `A closing ${closing} is missing`;
  const place = { offset: at, end: text.length };
  return new QuerySyntaxError(text, {
    kind: "unterminated",
    problem,
    expected: [closing],
    ...place,
  });
}

const CHARACTER = "a character";

// Characters --------------------------------------------------------------------------------------

const SPACE = new Set([" ", "\t", "\n", "\r", "\u3000"]);
const SPECIAL = new Set('+-!():^[]"{}~*?\\/');

/** A no-break space is part of a word. */
function isSpace(character: string | undefined): boolean {
  return character !== undefined && SPACE.has(character);
}

/** + and - can stand in a word, but not at its start. */
function isWordCharacter(character: string | undefined): boolean {
  if (character === undefined || SPACE.has(character)) return false;
  return !SPECIAL.has(character) || character === "-" || character === "+";
}

function afterSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end])) end += 1;
  return end;
}

/** The end of the word that starts here; the characters in `more` belong to the word too. */
function afterWord(text: string, at: number, more = ""): number {
  let end = at;
  for (;;) {
    const character = text[end];
    if (character === "\\" && end + 1 < text.length) end += 2;
    else if (isWordCharacter(character) || (character !== undefined && more.includes(character)))
      end += 1;
    else return end;
  }
}

/**
 * The place after the closing quotation mark, if there is one; a backslash escapes the next
 * character.
 */
function afterQuotation(text: string, at: number): number | undefined {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === '"') return end + 1;
  }
  return undefined;
}

/**
 * The same for regular expressions and quoted bounds of ranges: a backslash is an ordinary
 * character there, and the mark after it closes only if it is the last one.
 */
function afterDelimited(text: string, at: number): number | undefined {
  const mark = text[at] ?? "";
  let last: number | undefined;
  for (let end = text.indexOf(mark, at + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    last = end + 1;
    if (text[end - 1] !== "\\") return last;
  }
  return last;
}

// Literals that need no quotes --------------------------------------------------------------------

// What people paste without quotation marks, though it contains a `:` or a `/`: blocks of
// addresses, MAC addresses and their beginnings, IPv6 addresses, times.

interface Literal {
  type: "TERM" | "PREFIX";
  end: number;
}

const COMPARISON = /[<>]=?/y;
const ADDRESS = /[0-9a-fA-F:.]{2,45}(\/[0-9]{1,3})?/y;
const MAC = /[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}/y;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?/y;
/** At least two pairs or three groups, because `a:b*` is a field and a prefix. */
const BEGINNING = /([0-9a-fA-F]{2}:[0-9a-fA-F]{1,2}|[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{0,4}){2,7})\*/y;

/** The literal that starts here, if there is one and it ends where a term can end. */
function literalAt(text: string, at: number): Literal | undefined {
  const start = at + (matched(COMPARISON, text, at)?.length ?? 0);
  if (text[start] === ":" && isBehindWord(text, start)) return undefined;
  const beginning = matched(BEGINNING, text, start);
  if (beginning) return ending("PREFIX", text, start + beginning.length);
  const found = matched(MAC, text, start) ?? matched(TIME, text, start) ?? address(text, start);
  return found === undefined ? undefined : ending("TERM", text, start + found.length);
}

/** A colon after a word ends the name of a field: `name::a` is a typing error, not an address. */
function isBehindWord(text: string, at: number): boolean {
  const before = text[at - 1];
  return before !== undefined && !":(".includes(before) && !isSpace(before);
}

function address(text: string, at: number): string | undefined {
  const found = matched(ADDRESS, text, at);
  if (!found || !/[:/]/.test(found)) return undefined;
  return isIP(found) === 6 || isBlock(found) ? found : undefined;
}

function isBlock(text: string): boolean {
  const [start = "", length = ""] = text.split("/");
  return length !== "" && isIP(start) > 0 && Number(length) <= (isIP(start) === 4 ? 32 : 128);
}

function ending(type: Literal["type"], text: string, end: number): Literal | undefined {
  const next = text[end];
  const isEnd = next === undefined || isSpace(next) || "()^~".includes(next);
  return isEnd ? { type, end } : undefined;
}

function matched(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

// Escapes: `\x` is x itself, `\u00e9` a code unit -----------------------------------------------

const HEX = /^[0-9a-fA-F]{4}$/;

/** A part of the text with its escapes replaced. */
function unescaped(text: string, { offset, end }: TextPlace): string {
  let plain = "";
  for (let at = offset; at < end; at += 1) {
    if (text[at] !== "\\") {
      plain += text[at];
    } else if (at + 1 === end) {
      throw badEscape(text, { offset: at, end }, CHARACTER);
    } else if (text[at + 1] !== "u") {
      plain += text[at + 1];
      at += 1;
    } else {
      plain += unit(text, { offset: at, end });
      at += 5;
    }
  }
  return plain;
}

function unit(text: string, { offset, end }: TextPlace): string {
  const last = Math.min(offset + 6, end);
  const digits = text.slice(offset + 2, last);
  if (!HEX.test(digits)) throw badEscape(text, { offset, end: last }, "four hexadecimal digits");
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function badEscape(text: string, place: TextPlace, expected: string): QuerySyntaxError {
  const problem = `After ${text.slice(place.offset, place.offset + 2)}, ${expected} must follow`;
  return new QuerySyntaxError(text, { kind: "escape", problem, expected: [expected], ...place });
}

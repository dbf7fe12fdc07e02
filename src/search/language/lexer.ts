// The words and signs of a query, as the query_string of Elasticsearch has them: the longest match wins.
import { composed } from "../../input/text.ts";
import { afterDelimited, afterQuotation, afterSpace, afterWord, isSpace } from "./characters.ts";
import { unescaped } from "./escapes.ts";
import { literalAt } from "./literals.ts";
import { SyntaxFault, unexpected } from "./syntax_error.ts";
import type { Place } from "./tree.ts";

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
  | ("END" | "FAULT");

export interface Token extends Place {
  type: TokenType;
  /** What it says, without backslashes and marks; of a wildcard, as it was written. */
  text: string;
  /** Of the last token, if what follows is none; whoever gets so far throws it. */
  fault?: SyntaxFault;
}

type Reader = (text: string, at: number) => Token;

/** The last one is END or FAULT. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let read: Reader = readPlain;
  let at = 0;
  for (;;) {
    const start = read === readNumber ? at : afterSpace(text, at);
    const token = start < text.length ? composedToken(reading(read, text, start)) : endOf(text);
    tokens.push(token);
    if (token.type === "END" || token.type === "FAULT") return tokens;
    read = readerAfter(token, read);
    at = token.end;
  }
}

/** What is stored is composed (NFC). The places of tokens are those of the text as it was typed. */
function composedToken(token: Token): Token {
  return { ...token, text: composed(token.text) };
}

function endOf(text: string): Token {
  return { type: "END", text: "", offset: text.length, end: text.length };
}

function reading(read: Reader, text: string, at: number): Token {
  try {
    return read(text, at);
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    return { type: "FAULT", text: "", offset: fault.offset, end: fault.end, fault };
  }
}

function readerAfter({ type }: Token, read: Reader): Reader {
  if (type === "^") return readNumber;
  if (type === "[" || type === "{") return readInRange;
  return read === readInRange && type !== "]" && type !== "}" ? readInRange : readPlain;
}

function readPlain(text: string, at: number): Token {
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
  { type, offset, end }: { type: "TERM" | "PREFIX" } & Place,
): Token {
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

function readWord(text: string, at: number): Token {
  const end = afterWord(text, at, "*?");
  const place = { offset: at, end };
  if (end === at) throw unterminated(text, { at, what: "escape", closing: "a character" });
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

function readQuoted(text: string, at: number): Token {
  const end = afterQuotation(text, at);
  if (end === undefined) throw unterminated(text, { at, what: "quotation", closing: '"' });
  const inside = unescaped(text, { offset: at + 1, end: end - 1 });
  return { type: "QUOTED", text: inside, offset: at, end };
}

function readRegex(text: string, at: number): Token {
  const end = afterDelimited(text, at);
  if (end === undefined) throw unterminated(text, { at, what: "regular expression", closing: "/" });
  return { type: "REGEX", text: text.slice(at + 1, end - 1), offset: at, end };
}

const HOW_FUZZY = /^(AUTO|\d+(\.\d*)?|\.\d+)?$/i;

function readFuzzy(text: string, at: number): Token {
  const end = afterWord(text, at + 1);
  const said = text.slice(at + 1, end);
  if (HOW_FUZZY.test(said)) return { type: "FUZZY", text: said, offset: at, end };
  throw new SyntaxFault(text, {
    kind: "number",
    problem: `unexpected "${said}" after ~`,
    expected: ["a number", "AUTO"],
    offset: at,
    end,
  });
}

const NUMBER = /\d+(\.\d+)?/y;

function readNumber(text: string, at: number): Token {
  NUMBER.lastIndex = at;
  const [number] = NUMBER.exec(text) ?? [];
  if (number) return { type: "NUMBER", text: number, offset: at, end: at + number.length };
  const problem = `unexpected "${String.fromCodePoint(text.codePointAt(at) ?? 0)}" after ^`;
  const end = Math.min(text.length, at + 1);
  const place = { offset: at, end };
  throw new SyntaxFault(text, { kind: "number", problem, expected: ["a number"], ...place });
}

function readInRange(text: string, at: number): Token {
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

function unterminated(
  text: string,
  { at, what, closing }: { at: number; what: string; closing: string },
): SyntaxFault {
  const problem = `unterminated ${what}`;
  const place = { offset: at, end: text.length };
  return new SyntaxFault(text, { kind: "unterminated", problem, expected: [closing], ...place });
}

// Why a text is no query: what is wrong, where, and what to write instead, in words for people.
import type { TextPlace } from "./tree.ts";

export type SyntaxErrorKind = "unexpected" | "unterminated" | "number" | "escape" | "limit";

interface Problem extends TextPlace {
  kind: SyntaxErrorKind;
  problem: string;
  expected?: readonly string[];
}

export class QuerySyntaxError extends Error implements TextPlace {
  override name = "QuerySyntaxError";
  readonly kind: SyntaxErrorKind;
  readonly offset: number;
  readonly end: number;
  /** In characters, counted from 1. */
  readonly column: number;
  readonly expected: readonly string[];
  /** How to correct it, unless the message says so. */
  readonly remedy: string | undefined;

  constructor(text: string, { kind, problem, offset, end, expected = [] }: Problem) {
    super(problem);
    this.kind = kind;
    this.offset = offset;
    this.end = end;
    this.column = [...text.slice(0, offset)].length + 1;
    this.expected = expected;
    this.remedy = remedyFor(text, this);
  }
}

/** A token, or the end of the text, is where one of `expected` is required. */
export function unexpected(
  text: string,
  place: TextPlace,
  expected: readonly string[],
): QuerySyntaxError {
  const problem = problemAt(text, place, expected);
  return new QuerySyntaxError(text, { kind: "unexpected", problem, expected, ...place });
}

function problemAt(
  text: string,
  { offset, end }: TextPlace,
  [expected]: readonly string[],
): string {
  const found = shortened(text.slice(offset, end));
  const before = lastWord(text.slice(0, offset));
  if (expected === "TO") return "TO is missing in the range";
  if (expected === "a value") return "A range needs a value on both sides of TO";
  if (found === ")") return `${expected === "a term" ? "Something" : "A ("} is missing before )`;
  if (found !== "")
    return before ? `${found} cannot follow ${before}` : `${found} cannot come first`;
  if (expected === ")" || expected === "]") return `A closing ${expected} is missing`;
  return `${expected === "a number" ? "A number" : "Something"} is missing after ${before}`;
}

function remedyFor(
  query: string,
  { kind, offset, end, expected }: Pick<QuerySyntaxError, "kind" | "offset" | "end" | "expected">,
): string | undefined {
  const found = query.slice(offset, end);
  const before = lastWord(query.slice(0, offset));
  if (kind === "unterminated") {
    if (found.startsWith("/"))
      return "A / starts a regular expression; put text that contains one in quotation marks";
    return found.startsWith('"')
      ? 'Close the quotation marks, or write \\" for the sign itself'
      : undefined;
  }
  if (kind !== "unexpected") return undefined;
  if (["TO", "a value", "]"].includes(expected[0] ?? ""))
    return "Write the ends of a range as [from TO until], with TO in capital letters";
  if (found === ":") return "Put text that contains a colon in quotation marks";
  if (found === "" && before.endsWith(":"))
    return "Write a value after the colon, or * for any value";
  if (OPERATOR.test(found) || OPERATOR.test(before))
    return "AND, OR and NOT connect terms; put them in quotation marks to look for the words";
  if (found === "" && expected[0] === ")")
    return "Close the bracket, or put it in quotation marks to look for it";
  return found === ""
    ? undefined
    : `Put ${shortened(found)} in quotation marks, or a backslash before it, to look for it`;
}

const OPERATOR = /^(AND|OR|NOT|&&|\|\|)$/;

const LONGEST_SHOWN = 30;

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > LONGEST_SHOWN
    ? `${characters.slice(0, LONGEST_SHOWN).join("")}…`
    : text;
}

/** Of a long word the end; an opening bracket is a word. */
function lastWord(text: string): string {
  const end = [...text.trimEnd()].slice(-LONGEST_SHOWN);
  return (
    end
      .join("")
      .split(/\s|(?<=\()/)
      .findLast((word) => word !== "") ?? ""
  );
}

// What is wrong with the text of a query, and where.
import type { Place } from "./tree.ts";

export type FaultKind = "unexpected" | "unterminated" | "number" | "escape" | "limit";

interface Fault extends Place {
  kind: FaultKind;
  problem: string;
  expected?: readonly string[];
}

export class SyntaxFault extends Error implements Place {
  override name = "SyntaxFault";
  readonly kind: FaultKind;
  readonly offset: number;
  readonly end: number;
  /** For people: in characters, from 1. */
  readonly column: number;
  readonly expected: readonly string[];

  constructor(text: string, { kind, problem, offset, end, expected = [] }: Fault) {
    super(expected.length > 0 ? `${problem}; expected ${oneOf(expected)}` : problem);
    this.kind = kind;
    this.offset = offset;
    this.end = end;
    this.column = [...text.slice(0, offset)].length + 1;
    this.expected = expected;
  }
}

/** Something stands where something else should; at the end of the text nothing does. */
export function unexpected(
  text: string,
  { offset, end }: Place,
  expected: readonly string[],
): SyntaxFault {
  const found = offset < text.length ? `"${brief(text.slice(offset, end))}"` : "end of query";
  return new SyntaxFault(text, {
    kind: "unexpected",
    problem: `unexpected ${found}`,
    offset,
    end,
    expected,
  });
}

const SHOWN = 30;

function brief(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : text;
}

function oneOf(list: readonly string[]): string {
  const [last = "", ...others] = list.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} or ${last}` : last;
}

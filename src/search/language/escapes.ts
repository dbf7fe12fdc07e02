// Backslashes: `\x` is x itself, `\u00e9` a code unit.
import { SyntaxFault } from "./syntax_error.ts";
import type { Place } from "./tree.ts";

const HEX = /^[0-9a-fA-F]{4}$/;

/** What a part of the text says without its backslashes. */
export function unescaped(text: string, { offset, end }: Place): string {
  let said = "";
  for (let at = offset; at < end; at += 1) {
    if (text[at] !== "\\") {
      said += text[at];
    } else if (at + 1 === end) {
      throw fault(text, { offset: at, end }, "a character");
    } else if (text[at + 1] !== "u") {
      said += text[at + 1];
      at += 1;
    } else {
      said += unit(text, { offset: at, end });
      at += 5;
    }
  }
  return said;
}

function unit(text: string, { offset, end }: Place): string {
  const last = Math.min(offset + 6, end);
  const digits = text.slice(offset + 2, last);
  if (!HEX.test(digits)) throw fault(text, { offset, end: last }, "four hexadecimal digits");
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function fault(text: string, place: Place, expected: string): SyntaxFault {
  const problem = "incomplete escape";
  return new SyntaxFault(text, { kind: "escape", problem, expected: [expected], ...place });
}

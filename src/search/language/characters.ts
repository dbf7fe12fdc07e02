// What the characters of a query mean to the lexer.

const SPACE = new Set([" ", "\t", "\n", "\r", "\u3000"]);
const SPECIAL = new Set('+-!():^[]"{}~*?\\/');

/** A no-break space is part of a word. */
export function isSpace(character: string | undefined): boolean {
  return character !== undefined && SPACE.has(character);
}

/** Of a word, though not at its beginning for + and -. */
function isOfWord(character: string | undefined): boolean {
  if (character === undefined || SPACE.has(character)) return false;
  return !SPECIAL.has(character) || character === "-" || character === "+";
}

export function afterSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end])) end += 1;
  return end;
}

/** Where the word that begins here ends; `more` characters are of it, too. */
export function afterWord(text: string, at: number, more = ""): number {
  let end = at;
  for (;;) {
    const character = text[end];
    if (character === "\\" && end + 1 < text.length) end += 2;
    else if (isOfWord(character) || (character !== undefined && more.includes(character))) end += 1;
    else return end;
  }
}

/** Behind the closing mark, if there is one; a backslash takes the meaning from what follows it. */
export function afterQuotation(text: string, at: number): number | undefined {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === '"') return end + 1;
  }
  return undefined;
}

/**
 * The same, where a backslash is a character like others: it keeps the mark behind it from closing unless
 * that is the last one. Regular expressions and the quoted ends of ranges are read so.
 */
export function afterDelimited(text: string, at: number): number | undefined {
  const mark = text[at] ?? "";
  let last: number | undefined;
  for (let end = text.indexOf(mark, at + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    last = end + 1;
    if (text[end - 1] !== "\\") return last;
  }
  return last;
}

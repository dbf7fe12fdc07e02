// What a word of a description is.

/** Letters and digits, and in the midst of them also `-`, `_` and `.`, as PostgreSQL's words_of() has them. */
const WORD = /[\p{L}\p{Nd}]+(?:[-_.]+[\p{L}\p{Nd}]+)*/gu;

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Accents on their own, vowels of Hindi and Thai, fractions: they part words there. */
const SIGN = /[\p{M}\p{Nl}\p{No}]/u;
const SIGNED = /[\p{L}\p{M}\p{N}]+/gu;

/** What a text must have in it besides such words, which say nothing of their signs. */
export function signedIn(text: string): string[] {
  return (text.match(SIGNED) ?? []).filter((part) => SIGN.test(part));
}

/** The index of words takes so much of each. */
export const LONGEST_WORD = 500;

/** For the index of words: all of these, or what begins with one. */
export function askedAs(words: readonly string[], { joined = "&", isPrefix = false } = {}): string {
  const quoted = words.map((word) => {
    const text = [...word].slice(0, LONGEST_WORD).join("").replaceAll(/['\\]/g, "$&$&");
    return `'${text}'${isPrefix ? ":*" : ""}`;
  });
  return quoted.join(joined);
}

/** Whether some words follow each other among others, with at most so many between them. */
export function follows(words: string[], wanted: string[], slop = 0): boolean {
  if (wanted.length === 0) return false;
  return words.some((_, start) => isFrom(words, { wanted, start, slop }));
}

function isFrom(
  words: string[],
  { wanted, start, slop }: { wanted: string[]; start: number; slop: number },
): boolean {
  let at = start;
  for (const word of wanted) {
    const found = words.indexOf(word, at);
    if (found < 0) return false;
    if (at === start && found !== start) return false;
    at = found + 1;
  }
  return at - start - wanted.length <= slop;
}

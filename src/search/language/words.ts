// Words of descriptions and comments, and how far one word is from another.

/** Letters and digits, with `-`, `_` and `.` between them; the same as words_of() in PostgreSQL. */
const WORD = /[\p{L}\p{Nd}]+(?:[-_.]+[\p{L}\p{Nd}]+)*/gu;

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Combining accents, vowel signs of Hindi and Thai, fractions: they separate words. */
const MARK = /[\p{M}\p{Nl}\p{No}]/u;
const MARKED = /[\p{L}\p{M}\p{N}]+/gu;

/** Parts with such characters, which a text must contain in addition to the words. */
export function partsWithMarks(text: string): string[] {
  return (text.match(MARKED) ?? []).filter((part) => MARK.test(part));
}

/** Letters in a row that a trigram index needs. */
export const TRIGRAM = 3;

/** The index of words keeps this many characters of a word. */
export const LONGEST_WORD = 500;

/** A tsquery for the index of words; `isPrefix` finds words that start so, `before` is what each word has before it there. */
export function wordQuery(
  words: readonly string[],
  { joined = "&", isPrefix = false, before = "" } = {},
): string {
  const quoted = words.map((word) => {
    const text = [...before, ...word].slice(0, LONGEST_WORD).join("").replaceAll(/['\\]/g, "$&$&");
    return `'${text}'${isPrefix ? ":*" : ""}`;
  });
  return quoted.join(joined);
}

/** Whether the wanted words follow each other, with at most `slop` other words between them. */
export function follows(words: string[], wanted: string[], slop = 0): boolean {
  if (wanted.length === 0) return false;
  return words.some((_, start) => followsFrom(words, { wanted, start, slop }));
}

function followsFrom(
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

// Edit distance -----------------------------------------------------------------------------------

/**
 * Longest text for Lunr's automaton, which grows with the cube of the length: seconds and a
 * gigabyte at 150. Few values are longer than this.
 */
export const LONGEST_FUZZY = 64;

/**
 * Damerau-Levenshtein distance in code points; `most + 1` as soon as it is certain to exceed
 * `most`.
 */
export function distance(one: string, other: string, most: number): number {
  const [left, right] = [[...one], [...other]];
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let [before, last]: [number[], number[]] = [[], right.map((_, index) => index)];
  last.push(right.length);
  for (const [index, character] of left.entries()) {
    const row = [index + 1];
    for (const [column, wanted] of right.entries()) {
      const isSame = character === wanted;
      const changed = at(last, column) + (isSame ? 0 : 1);
      const isSwap = left[index - 1] === wanted && character === right[column - 1];
      const swapped = isSwap ? at(before, column - 1) + 1 : changed;
      row.push(Math.min(changed, swapped, at(last, column + 1) + 1, at(row, column) + 1));
    }
    if (Math.min(...row) > most && Math.min(...last) > most) return most + 1;
    [before, last] = [last, row];
  }
  return Math.min(at(last, right.length), most + 1);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Numbers are not misspelt: another one is another rack. */
export function haveSameNumbers(one: string, other: string): boolean {
  return numbersIn(one).join() === numbersIn(other).join();
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

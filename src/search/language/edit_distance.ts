// How many characters one text is from another: changed, left out, put in, or two neighbours swapped.

/**
 * Of texts that are compared by Lunr's automaton, which grows with the cube of its text: seconds and a gigabyte at 150.
 * Few values are longer than this.
 */
export const LONGEST_NEAR = 64;

/** By code points; `most + 1` if it is more than that, found out as soon as it is certain. */
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

// Similar texts among sorted values are the same as by the edit distance of each value.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { distance } from "../../src/search/language/words.ts";
import { extended, indexedValues, similarTo } from "../../src/search/suggest/word_index.ts";

/** The edit distance with transpositions, by dynamic programming over prefixes. */
function farFrom(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const table = left.map(() => [] as number[]).concat([[]]);
  for (let i = 0; i <= left.length; i += 1) {
    for (let j = 0; j <= right.length; j += 1) {
      const ways = [i + j];
      if (i > 0) ways.push(table[i - 1]![j]! + 1);
      if (j > 0) ways.push(table[i]![j - 1]! + 1);
      if (i > 0 && j > 0) ways.push(table[i - 1]![j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1));
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) ways.push(table[i - 2]![j - 2]! + 1);
      table[i]![j] = Math.min(...ways);
    }
  }
  return table[left.length]![right.length]!;
}

/** Few characters, so that many values share prefixes; two of them have two code units. */
const text = fc.array(fc.constantFrom("a", "b", "c", "-", "é", "😀", "😁"), { maxLength: 7 });
const word = text.map((characters) => characters.join(""));
const words = fc.uniqueArray(word, { maxLength: 60 }).map((some) => some.toSorted());
const most = fc.constantFrom(0, 1, 2);

describe("similar texts", () => {
  test.each([
    ["storm", "strom", 1],
    ["storm", "stom", 1],
    ["storm", "storrm", 1],
    ["storm", "starm", 1],
    ["sto", "", 3],
    ["ca", "abc", 3],
    ["a😀b", "ab", 1],
    ["a😀b", "a😁b", 1],
  ])("the distance of %p and %p is %p", (one, other, far) => {
    expect([distance(one, other, 3), distance(other, one, 3), farFrom(one, other)]).toEqual([
      far,
      far,
      far,
    ]);
    expect(distance(one, other, far - 1)).toBe(far);
  });

  test("are all within the distance, and no others", () => {
    const isSame = (values: string[], wanted: string, far: number) => {
      const found = similarTo(wanted, far)(extended(values)).toSorted();
      expect(found).toEqual(values.filter((value) => farFrom(value, wanted) <= far));
      for (const value of values) {
        expect(distance(value, wanted, far)).toBe(Math.min(farFrom(value, wanted), far + 1));
      }
    };
    fc.assert(fc.property(words, word, most, isSame), { numRuns: 500 });
  });

  test("are found for long texts, too, for which there is no automaton", () => {
    const long = "mmmmmmmmmmmmmmmmmmm".repeat(4);
    const isSame = (values: string[], wanted: string, far: number) => {
      const index = extended(values.map((value) => long + value));
      const expected = values.filter((value) => farFrom(long + value, long + wanted) <= far);
      expect(similarTo(long + wanted, far)(index)).toEqual(expected.map((value) => long + value));
    };
    fc.assert(fc.property(words, word, most, isSame), { numRuns: 20 });
    expect(similarTo("y".repeat(2_000), 2)(extended([long]))).toEqual([]);
  });

  test("are found in whatever order the values were added", () => {
    const isSame = (values: string[], wanted: string, cut: number) => {
      const index = extended(values.slice(cut), extended(values.slice(0, cut)));
      expect([...indexedValues(index)]).toEqual(values);
      expect(similarTo(wanted, 2)(index)).toEqual(similarTo(wanted, 2)(extended(values)));
    };
    fc.assert(fc.property(words, word, fc.nat(60), isSame));
  });
});

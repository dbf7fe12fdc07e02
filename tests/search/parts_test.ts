import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOST_ALIASES } from "../../src/network/hosts/search_document.ts";
import { keysInSet, setOf } from "../../src/search/cache/key_set.ts";
import { periodBetween, periodOf } from "../../src/search/language/dates.ts";
import { describe as chips } from "../../src/search/language/describe.ts";
import { globOf, matches } from "../../src/search/language/glob.ts";
import { parse } from "../../src/search/language/parser.ts";
import { splitPhrases } from "../../src/search/language/typed_text.ts";
import { distance, wordsOf } from "../../src/search/language/words.ts";
import { tiersOf } from "../../src/search/rank.ts";

const few = fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 7 });

describe("a wildcard", () => {
  test("matches what its plain definition matches", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "😀", "*", "?"), maxLength: 7 });
    fc.assert(
      fc.property(pattern, few, (source, text) => {
        expect(matches(globOf(source), text)).toBe(isLike([...source], [...text]));
      }),
      { numRuns: 2000 },
    );
  });

  test("supports backslash escapes", () => {
    expect(globOf("a\\*b*\\?\\\\")).toEqual(["a*b", { wild: "*" }, "?\\"]);
    expect(globOf("")).toEqual([]);
  });

  test("of many stars is matched, though it could take for ever", () => {
    expect(matches(globOf(`${"*a".repeat(60)}b`), "a".repeat(5_000))).toBe(false);
  });
});

function isLike([sign, ...rest]: string[], text: string[]): boolean {
  if (sign === undefined) return text.length === 0;
  if (sign === "*")
    return isLike(rest, text) || (text.length > 0 && isLike(["*", ...rest], text.slice(1)));
  return text.length > 0 && (sign === "?" || sign === text[0]) && isLike(rest, text.slice(1));
}

describe("a search result", () => {
  test("is ranked by the plain definition, each record once", () => {
    const keys = fc.uniqueArray(fc.nat(70), { maxLength: 20 });
    const scored = fc.record({ best: fc.constantFrom(0, 1, 2, 4), sum: fc.nat(2), keys });
    const bitsOf = (some: number[]) => setOf(Uint32Array.from(some));
    fc.assert(
      fc.property(keys, fc.array(scored, { maxLength: 4 }), (found, all) => {
        const tiers = tiersOf(
          bitsOf(found),
          all.map((one) => ({ ...one, keys: bitsOf(one.keys) })),
        );
        const scoreOf = (key: number) => {
          const met = all.filter((one) => one.keys.includes(key));
          const best = Math.max(0, ...met.map((one) => one.best));
          return best * 100 + met.reduce((total, { sum }) => total + sum, 0);
        };
        const scores = [...new Set(found.map(scoreOf))].toSorted((one, other) => other - one);
        expect(tiers.map(keysInSet)).toEqual(
          scores.map((score) =>
            found.filter((key) => scoreOf(key) === score).toSorted((a, b) => a - b),
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("the distance of two texts", () => {
  test.each([
    ["storm", "storm", 0],
    ["storm", "strom", 1],
    ["storm", "storms", 1],
    ["storm", "torm", 1],
    ["storm", "stork", 1],
    ["ca", "abc", 3],
    ["", "ab", 2],
    ["😀a", "a😀", 1],
  ])("of %s and %s is %i", (one, other, expected) => {
    expect(distance(one, other, 5)).toBe(expected);
    expect(distance(other, one, 5)).toBe(expected);
  });

  test("is that of its plain definition, up to the maximum", () => {
    fc.assert(
      fc.property(few, few, fc.nat(4), (one, other, most) => {
        const expected = Math.min(plainDistance([...one], [...other]), most + 1);
        expect(distance(one, other, most)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Optimal string alignment, from the ends of both. */
function plainDistance(one: string[], other: string[]): number {
  const [n, m] = [one.length, other.length];
  if (n === 0 || m === 0) return n + m;
  const without = (a: number, b: number) =>
    plainDistance(one.slice(0, n - a), other.slice(0, m - b));
  if (one[n - 1] === other[m - 1]) return without(1, 1);
  const ways = [without(1, 1) + 1, without(0, 1) + 1, without(1, 0) + 1];
  const isSwap = n > 1 && m > 1 && one[n - 1] === other[m - 2] && one[n - 2] === other[m - 1];
  return Math.min(...ways, isSwap ? without(2, 2) + 1 : Number.POSITIVE_INFINITY);
}

describe("a date", () => {
  const now = Date.UTC(2024, 1, 29, 15, 45, 30, 500);
  const at = (time: string) => Date.parse(time);

  test.each([
    ["2024", "2024-01-01T00:00Z", "2024-01-02T00:00Z"],
    ["2024-03", "2024-03-01T00:00Z", "2024-03-02T00:00Z"],
    ["2024-03-04", "2024-03-04T00:00Z", "2024-03-05T00:00Z"],
    ["2024-03-04 05:06", "2024-03-04T05:06Z", "2024-03-04T05:07Z"],
    ["2024-03-04T05", "2024-03-04T05:00Z", "2024-03-04T06:00Z"],
    ["2024-03-04T05:06:07", "2024-03-04T05:06:07Z", "2024-03-04T05:06:08Z"],
    ["2024-03-04T05:06:07.008", "2024-03-04T05:06:07.008Z", "2024-03-04T05:06:07.009Z"],
    ["2024-03-04T05:06+0200", "2024-03-04T03:06Z", "2024-03-04T03:07Z"],
    ["now", "2024-02-29T15:45:30.500Z", "2024-02-29T15:45:30.501Z"],
    ["now/d", "2024-02-29T00:00Z", "2024-03-01T00:00Z"],
    ["now/w", "2024-02-26T00:00Z", "2024-03-04T00:00Z"],
    ["now-7d/d", "2024-02-22T00:00Z", "2024-02-23T00:00Z"],
    ["now-1M/M", "2024-01-01T00:00Z", "2024-02-01T00:00Z"],
    ["now+1y/d", "2025-02-28T00:00Z", "2025-03-01T00:00Z"],
    ["now/h+30m", "2024-02-29T15:30Z", "2024-02-29T16:30Z"],
    ["2024-01-31||+1M/d", "2024-02-29T00:00Z", "2024-03-01T00:00Z"],
    ["2024-01-01||+1M/M", "2024-02-01T00:00Z", "2024-03-01T00:00Z"],
  ])("%s is a period", (text, from, until) => {
    expect(periodOf(text, now)).toEqual({ from: at(from), until: at(until) });
  });

  test.each([
    ...["", "garbage", "20240101", "2024-1-1", "2024-02-30", "2024-13-01", "2024-01-01 10", "24"],
    ...["2024-01-01T25:00", "2024-01-01T10:60", "2024-01-01 10:30:00", "2024-01-01T"],
    ...["nowhere", "now-", "now-1", "now-1q", "now/2d", "now/", "now+99999999999y", "||"],
  ])("'%s' is invalid", (text) => {
    expect(periodOf(text, now)).toBeUndefined();
  });

  test("beyond the years 1 to 9999 is their end", () => {
    const open = { from: { text: "now-9000y", isInclusive: true } };
    expect(periodBetween(open, now)).toEqual({ from: at("0001-01-01T00:00Z") });
    const shut = { to: { text: "9999||+9y", isInclusive: false } };
    expect(periodBetween(shut, now)).toEqual({ until: at("9999-12-31T23:59:59.999Z") });
    expect(periodOf("0050-06-01||/y", now)?.from).toBe(at("0050-01-01T00:00Z"));
  });

  test("at the end of a range fills the time, and month and day with 01", () => {
    const ends = {
      from: { text: "2024-02", isInclusive: false },
      to: { text: "2024-03", isInclusive: true },
    };
    const expected = { from: at("2024-02-02T00:00Z"), until: at("2024-03-02T00:00Z") };
    expect(periodBetween(ends, now)).toEqual(expected);
  });
});

describe("a word of a description", () => {
  test.each([
    ["Fan replaced, works again.", "Fan replaced works again"],
    ["sw01.lab.example.org (new)", "sw01.lab.example.org new"],
    ["a_b-c .d. --e", "a_b-c d e"],
    ["Café 日本語 😀", "Café 日本語"],
    ["x́ is 2½", "x is 2"],
  ])("%s", (text, words) => {
    expect(wordsOf(text)).toEqual(words.split(" "));
  });
});

describe("the explanation of a query", () => {
  const chipTexts = (query: string) =>
    chips(query, parse(query, HOST_ALIASES)).map(({ text, role, meaning }) => [
      text,
      role,
      meaning,
    ]);

  test("is one chip for each clause", () => {
    expect(chipTexts("+name:ts2*^2 -ip:(10.0.0.0/8 OR 10.1.1.1) created_at:>=2024")).toEqual([
      ["name:ts2*^2", "required", 'name begins with "ts2"'],
      ["ip:(10.0.0.0/8 OR 10.1.1.1)", "excluded", 'ip is "10.0.0.0/8" or ip is "10.1.1.1"'],
      ["created_at:>=2024", "preferred", 'created_at is at least "2024"'],
    ]);
  });

  test("says when adjacent words were one text", () => {
    expect(chipTexts("web server")).toEqual([
      ["web server", "one of", 'any field is "web server" as one text'],
    ]);
  });

  test("says that a regular expression cannot be parsed", () => {
    expect(chipTexts("/a(/")[0]?.[2]).toBe("any field matches /a(/, which cannot be read");
  });

  test("offers each of such words instead", () => {
    const query = 'a\\ b  c -name:(d e "f g") *';
    const group = parse(query);
    expect(splitPhrases(query, group, { by: "OR" })).toBe('(a\\ b OR c) -name:((d OR e) "f g") *');
    expect(splitPhrases("a OR b", parse("a OR b"), { by: "OR" })).toBeUndefined();
  });
});

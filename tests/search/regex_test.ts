import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { matcher, readRegex } from "../../src/search/language/regex.ts";
import { postgresRegex } from "../../src/search/sql/regex.ts";
import { service } from "../support/service.ts";

function isMatch(source: string, text: string): boolean {
  const regex = readRegex(source);
  return regex !== undefined && matcher(regex)(text);
}

describe("a regular expression of Lucene", () => {
  test.each([
    ["", "", "a"],
    ["ab", "ab AB", "a abc xab"],
    ["a.c", "abc a😀c", "ac"],
    ["a|bc", "a bc", "ab"],
    ["ab?c*d+", "ad abcccdd", "abbd a"],
    ["a{2}", "aa", "a aaa"],
    ["a{2,}", "aa aaaa", "a"],
    ["(ab){1,2}", "ab abab", "ababab"],
    ["a{0}b", "b", "ab"],
    ["[a-c]x", "ax Cx", "dx"],
    ["[^a-c]x", "dx", "ax Ax x"],
    ["[]a]", "] a", "b"],
    ["[a\\-c]", "- c", "b"],
    ["~a", "b aa", "a"],
    ["~(ab*)c", "bc xxc", "ac abbc"],
    ["~~a", "a", "b"],
    [".*a.*&.*b.*", "ab xbxa", "a b"],
    ["a&b", "", "a b"],
    ["@a", "a xxa", "ab"],
    ["a#|b", "b", "a"],
    ['"a*[b"c', "a*[bc", "aac"],
    ["()a", "a", "b"],
    ["<1-10>", "1 10 007", "0 11"],
    ["<01-10>", "01 10", "1 010"],
    ["<7-123>", "7 99 123 0100", "6 124"],
    ["\\d", "d", "1"],
    ["\\*\\\\", "*\\", "a"],
    ["*a", "*a", "a"],
    ["a||b", "a |b", "b"],
    ["|a", "|a", "a"],
    ["^a$", "^a$", "a"],
    ["x{1000}", "x".repeat(1000), "x"],
  ])("%s", (source, yes, no) => {
    for (const text of yes.split(" ").filter(Boolean))
      expect([text, isMatch(source, text)]).toEqual([text, true]);
    for (const text of no.split(" ").filter(Boolean))
      expect([text, isMatch(source, text)]).toEqual([text, false]);
  });

  test.each([
    "(",
    "a(",
    "(a",
    "[a",
    "[b-a]",
    "[",
    "a{",
    "a{x}",
    "a{2",
    '"a',
    "<1-",
    "<a-b>",
    "<5>",
    "a\\",
    "~",
  ])("%s cannot be parsed", (source) => {
    expect(readRegex(source)).toBeUndefined();
  });

  test("of the empty text matches the empty text", () => {
    expect(isMatch("", "")).toBe(true);
    expect(isMatch("a*", "")).toBe(true);
    expect(isMatch("~()", "")).toBe(false);
  });

  test.each([
    ["(a*)*b", false],
    ["(a|a)*b", false],
    ["(.*a){12}", true],
    ["~(.*a.{12})&.*b", false],
    ["((a{1,99}){1,99}){1,99}b", false],
    ["(a?){99}a{99}", false],
  ])("%s is matched, though it could take for ever", (source, isWanted) => {
    expect(isMatch(source, "a".repeat(2_000))).toBe(isWanted);
  });
});

const piece = fc.constantFrom(
  ...[
    "a",
    "b",
    "é",
    ".",
    "[ab]",
    "[^a]",
    "[a-]",
    "@",
    "(a|b)",
    "<1-12>",
    "<01-12>",
    "1",
    "-",
    '"a.b"',
  ],
  ...[
    "*",
    "+",
    "?",
    "{2}",
    "{1,}",
    "{0,2}",
    "|",
    "()",
    "(",
    ")",
    "\\.",
    "\\d",
    "#",
    "[\\]^]",
    "$",
    "^",
  ],
);
const text = fc.string({
  unit: fc.constantFrom("a", "B", "b", "é", "1", "2", ".", "-", "^"),
  maxLength: 5,
});

describe("the translation to PostgreSQL", () => {
  test("matches the same texts", async () => {
    const { sql } = await service();
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.array(text), async (pieces, texts) => {
        const regex = readRegex(pieces.join(""));
        const pattern = regex && postgresRegex(regex.tree);
        fc.pre(pattern !== undefined && texts.length > 0);
        const rows = await sql`
          select one.text ~* ${pattern} as found from json_array_elements_text(${JSON.stringify(texts)}::text::json) one(text)`;
        const found = rows.map((row: { found: boolean }) => row.found);
        expect({ pattern, found }).toEqual({ pattern, found: texts.map(matcher(regex!)) });
      }),
      { numRuns: 300 },
    );
  });

  test.each(["~a", "a&b", "#", "a{300}", "(a{99}){99}", "[\0-z]"])(
    "is not possible for %j",
    (source) => {
      const regex = readRegex(source)!;
      expect(postgresRegex(regex.tree)).toBeUndefined();
    },
  );
});

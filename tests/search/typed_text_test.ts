import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { matches } from "../../src/search/language/glob.ts";
import { parse } from "../../src/search/language/parser.ts";
import { asContainsQuery, syntaxErrorIn } from "../../src/search/language/typed_text.ts";

const PLAIN = [
  ["rack", "*rack*"],
  [" rack 12 ", "*rack\\ 12*"],
  ["R&D", "*R\\&D*"],
  ["a-b", "*a\\-b*"],
  ["100%", "*100\\%*"],
  ["SN-1/A", "*SN\\-1\\/A*"],
  ["10.1.1", "*10.1.1*"],
  ["02:42", "*02\\:42*"],
  ["02:42:42:0", "*02\\:42\\:42\\:0*"],
  ["2001:db8:", "*2001\\:db8\\:*"],
  ["name:(rack", "*name\\:\\(rack*"],
  ['"rack', '*\\"rack*'],
  ["AND", "*AND*"],
  ["rack (old)", "*rack\\ \\(old\\)*"],
] as const;

const QUERIES = [
  ...["", " ", "*", "rack*", "?ack", "r~", "/r.ck/", '"rack"', "name:rack", "rack AND 12"],
  ...["NOT rack", "-rack", "+rack 12", ">5", "[a TO b]", "(rack OR 12)", "rack\\ 12"],
  ...["10.1.1.0/24", "02:42:42:00:00:01", "2001:db8::1", "2026-01-01T10:00", "_exists_:name"],
];

describe("text that is typed into a box", () => {
  test.each(PLAIN)("%j matches parts of texts", (typed, query) => {
    expect(asContainsQuery(typed)).toBe(query);
  });

  test.each(QUERIES)("%j is a query", (typed) => {
    expect(asContainsQuery(typed)).toBe(typed);
  });

  test("matches within a text, or is a query, and is converted once", () => {
    const typed = fc.string({
      unit: fc.constantFrom(...'ab12 -+:/\\()[]{}"^~*?&|!<>=.%ÉĄ😀'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(typed, (text) => {
        const query = asContainsQuery(text);
        const { should } = parse(query);
        expect(asContainsQuery(query)).toBe(query);
        if (query === text) return;
        const [only] = should;
        expect(only?.kind).toBe("wildcard");
        if (only?.kind === "wildcard") {
          expect(matches(only.glob, `xx${text.trim()}yy`)).toBe(true);
          expect(matches(only.glob, "xxyy")).toBe(false);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("and cannot be parsed as a query says why", () => {
    expect(syntaxErrorIn("name:(rack")).toStartWith("unexpected end of query");
    expect(syntaxErrorIn("rack 12")).toBeUndefined();
    expect(syntaxErrorIn("")).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "../../src/search/language/parser.ts";
import { asContainsQuery, syntaxErrorIn } from "../../src/search/language/typed_text.ts";

const PLAIN = [
  ["rack", '+*rack* "rack"^9'],
  [" safety  PLC ", '+*safety* +*PLC* "safety  PLC"^9'],
  ["rack, crate;card", '+*rack* +*crate* +*card* "rack, crate;card"^9'],
  ["rack 12", '+*rack* +/(.*[\\- \\/])?0*12([\\- \\/.:].*)?/ "rack 12"^9'],
  ["10", '+/(.*[\\- \\/])?0*10([\\- \\/.:].*)?/ "10"^9'],
  ["a08", '+(a08* OR *\\ a08* OR *\\-a08* OR *\\/a08*) "a08"^9'],
  ["R&D", '+*R\\&D* "R&D"^9'],
  ["a-b", '+*a\\-b* "a-b"^9'],
  ["SN-1/A", '+*SN\\-1\\/A* "SN-1/A"^9'],
  ["10.1.1", '+*10.1.1* "10.1.1"^9'],
  ["02:42:42:0", '+*02\\:42\\:42\\:0* "02:42:42:0"^9'],
  ["2001:db8:", '+*2001\\:db8\\:* "2001:db8:"^9'],
  ["name:(rack", '+*name\\:\\(rack* "name:(rack"^9'],
  ['"rack', '+*\\"rack* "\\"rack"^9'],
  ["AND", '+*AND* "AND"^9'],
  [
    "one two three four five six seven 8 9",
    "*one\\ two\\ three\\ four\\ five\\ six\\ seven\\ 8\\ 9*",
  ],
] as const;

const QUERIES = [
  ...["", " ", "*", "rack*", "?ack", "r~", "/r.ck/", '"rack"', "name:rack", "rack AND 12"],
  ...["NOT rack", "-rack", "+rack 12", ">5", "[a TO b]", "(rack OR 12)", "rack\\ 12"],
  ...["10.1.1.0/24", "02:42:42:00:00:01", "2001:db8::1", "2026-01-01T10:00", "_exists_:name"],
];

describe("text that is typed into a box", () => {
  test.each(PLAIN)("%j means all of its words", (typed, query) => {
    expect(asContainsQuery(typed)).toBe(query);
  });

  test.each(QUERIES)("%j is a query", (typed) => {
    expect(asContainsQuery(typed)).toBe(typed);
  });

  test("also means what a word is said to mean, and nothing that objects have", () => {
    const meanings = { ioc: "is_ioc:true" };
    expect(asContainsQuery("IOC", meanings)).toBe('+(*IOC* OR is_ioc:true) "IOC"^9');
    expect(asContainsQuery("constructor", meanings)).toBe('+*constructor* "constructor"^9');
  });

  test("asks for each of its words, or is a query, and is converted once", () => {
    const typed = fc.string({
      unit: fc.constantFrom(...'ab12 -+:/\\()[]{}"^~*?&|!<>=.%ÉĄ😀'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(typed, (text) => {
        const query = asContainsQuery(text);
        const { must } = parse(query);
        expect(asContainsQuery(query)).toBe(query);
        if (query === text) return;
        const words = text.split(/[\s,;]+/).filter((word) => word !== "");
        expect(must.length).toBe(words.length > 8 ? 0 : words.length);
      }),
      { numRuns: 3000 },
    );
  });

  test("and cannot be parsed as a query says why", () => {
    expect(syntaxErrorIn("name:(rack")).toStartWith("A closing ) is missing. Close the bracket");
    expect(syntaxErrorIn("rack 12")).toBeUndefined();
    expect(syntaxErrorIn("")).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOST_ALIASES } from "../../src/network/hosts/search_document.ts";
import { QuerySyntaxError } from "../../src/search/language/lexer.ts";
import { parse } from "../../src/search/language/parser.ts";
import { documents } from "./documents.ts";
import { found } from "./evaluator.ts";
import { expected, queries } from "./queries.ts";
import { errors } from "./syntax_errors.ts";

const NOW = Date.UTC(2025, 5, 15, 12);

function errorOf(text: string): QuerySyntaxError {
  try {
    parse(text, HOST_ALIASES);
  } catch (error) {
    if (error instanceof QuerySyntaxError) return error;
    throw error;
  }
  throw new Error(`${text} was read`);
}

describe("the query language", () => {
  for (const [section, examples] of Object.entries(queries)) {
    test.each(examples)(`${section}: %j`, (query, finds) => {
      expect(found(parse(query, HOST_ALIASES), documents, NOW)).toEqual(expected(finds));
    });
  }

  test("is not parsed twice", () => {
    const all = Object.values(queries).flatMap((examples) => examples.map(([query]) => query));
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("an invalid query", () => {
  for (const [kind, cases] of Object.entries(errors)) {
    test.each(cases)(`is ${kind}: %p`, (query, offset) => {
      const error = errorOf(query);
      expect(error).toMatchObject({ kind, offset });
      expect(error.end).toBeGreaterThanOrEqual(offset);
      expect(error.end).toBeLessThanOrEqual(query.length);
    });
  }

  test("reports what is wrong, and what was expected", () => {
    expect(errorOf("a AND").message).toBe("unexpected end of query; expected a term");
    expect(errorOf("a AND").expected).toEqual(["a term"]);
    expect(errorOf("a:b)").message).toBe('unexpected ")"; expected an operator, a term or the end');
    expect(errorOf('"abc').message).toBe('unterminated quotation; expected "');
    expect(errorOf("[a to b]").message).toBe('unexpected "to"; expected TO');
  });

  test("reports the column in characters, from 1", () => {
    expect(errorOf("😀 AND )").column).toBe(7);
    expect(errorOf("😀 AND )").offset).toBe(7);
  });
});

const wild = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          '"',
          "/",
          "\\",
          "(",
          ")",
          "[",
          "]",
          "{",
          "}",
          " ",
          "~",
          "^",
          "*",
          "?",
          ":",
          "+",
          "-",
          "!",
        ],
        ...[
          "AND",
          "OR",
          "NOT",
          "TO",
          "a",
          "name",
          "1",
          "\\u00e9",
          "\\u",
          "&&",
          "||",
          "<",
          ">=",
          "\t",
        ],
        ...[
          "10.0.0.0/8",
          "02:42:42*",
          "2024-01-01T10:30",
          "::",
          "_exists_",
          "\ud800",
          "😀",
          "AUTO",
        ],
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join("")),
);

describe("any text", () => {
  test("is parsed, or has an error within it", () => {
    fc.assert(
      fc.property(wild, (text) => {
        try {
          const group = parse(text, HOST_ALIASES);
          expect(group.kind).toBe("group");
          expect(() => found(group, documents, NOW)).not.toThrow();
        } catch (error) {
          if (!(error instanceof QuerySyntaxError)) throw error;
          expect(error.offset).toBeLessThanOrEqual(error.end);
          expect(error.end).toBeLessThanOrEqual(text.length);
          expect(error.offset).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("finds the same when it is trimmed, and in a group", () => {
    fc.assert(
      fc.property(wild, (text) => {
        fc.pre(isQuery(text) && text.trim() !== "" && !/\\$/.test(text));
        const finds = (one: string) => found(parse(one, HOST_ALIASES), documents, NOW);
        expect(finds(` ${text} `)).toEqual(finds(text));
        expect(finds(`(${text})`)).toEqual(finds(text));
        expect(finds(`NOT (NOT (${text}))`)).toEqual(finds(text));
      }),
      { numRuns: 300 },
    );
  });

  const longest = 16_384;
  const heavy = {
    brackets: "(".repeat(longest),
    "signs of fuzziness": "~".repeat(longest),
    stars: "*a".repeat(longest / 2),
    "hexadecimal groups": "a:".repeat(longest / 2),
    slashes: `/${"\\/".repeat(longest / 2 - 1)}`,
    "open quotations": '["a '.repeat(longest / 4),
    backslashes: "\\".repeat(longest),
    words: "a ".repeat(longest / 2),
    groups: "(a) ".repeat(1_024),
    digits: "1".repeat(longest),
    "combining marks": "a\u0301\u0323".repeat(longest / 5),
    "marks in a row": `a${"\u0301\u0323".repeat(longest / 4 - 1)}`,
  };
  // In linear time: see common/linear_time_test.ts.
  test.each(Object.entries(heavy))("is parsed, or refused: %s", (_, text) => {
    expect(isQuery(text)).toBeBoolean();
  });
});

function isQuery(text: string): boolean {
  try {
    parse(text, HOST_ALIASES);
    return true;
  } catch (error) {
    if (error instanceof QuerySyntaxError) return false;
    throw error;
  }
}

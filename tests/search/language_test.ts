import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOST_ALIASES } from "../../src/network/hosts/search_document.ts";
import { parse } from "../../src/search/language/parser.ts";
import { QuerySyntaxError } from "../../src/search/language/syntax_error.ts";
import { documents } from "./documents.ts";
import { found } from "./evaluator.ts";
import { expected, queries } from "./queries.ts";
import { errors } from "./syntax_errors.ts";

/** How the explanation of each error begins. */
const MESSAGES = {
  "a AND": "Something is missing after AND. AND, OR and NOT connect terms; put them in quotation",
  "AND a": "AND cannot come first. AND, OR and NOT connect terms",
  "a AND OR b": "OR cannot follow AND. AND, OR and NOT connect terms",
  "name:": "Something is missing after name:. Write a value after the colon, or * for any value",
  "(a": "A closing ) is missing. Close the bracket",
  "a:b)": "A ( is missing before ). Put ) in quotation marks",
  "()": "Something is missing before )",
  "x:y:z": ": cannot follow x:y. Put text that contains a colon in quotation marks",
  "a ]": "] cannot follow a. Put ] in quotation marks, or a backslash before it",
  "[a to b]": "TO is missing in the range. Write the ends of a range as [from TO until]",
  "[a TO]": "A range needs a value on both sides of TO",
  "[a TO b": "A closing ] is missing. Write the ends",
  '"abc': 'A closing " is missing. Close the quotation marks, or write \\" for the sign itself',
  "/abc": "A closing / is missing. A / starts a regular expression; put text that",
  "abc\\": "A character is missing after \\",
  "\\u12": "After \\u, four hexadecimal digits must follow",
  "a^": "A number is missing after a^",
  "a^x": "Write a number right after ^, such as rack^2",
  "a~x": "Write a number or nothing after ~, not x",
};

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

  test.each(Object.entries(MESSAGES))(
    "%s: says what is wrong, and what to write",
    (query, said) => {
      const { message, remedy } = errorOf(query);
      expect(remedy ? `${message}. ${remedy}` : message).toStartWith(said);
    },
  );

  test("is never explained in the words of a parser", () => {
    for (const [query] of Object.values(errors).flat()) {
      const { message, remedy } = errorOf(query);
      const said = `${message}. ${remedy}`;
      expect(said, query).toMatch(/missing|cannot|at most|[Ww]rite|needs|must/);
      expect(said, query).not.toMatch(/unexpected|unterminated|expected|operator|the end\b/);
    }
  });

  test("names what was expected, for programs", () => {
    expect(errorOf("a AND").expected).toEqual(["a term"]);
    expect(errorOf("a:b)").expected).toEqual(["an operator", "a term", "the end"]);
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

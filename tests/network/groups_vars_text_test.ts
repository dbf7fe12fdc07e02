import { describe, expect, spyOn, test } from "bun:test";
import { Refusal } from "../../src/input/errors.ts";
import { readVars } from "../../src/network/variables/text.ts";

const READ: Array<[string, object]> = [
  ["", {}],
  ["# nothing yet", {}],
  ["port: 5432 # PostgreSQL", { port: 5432 }],
  ['{"port": 5432, "tags": ["a", null]}', { port: 5432, tags: ["a", null] }],
  ["on: yes\nat: 2026-01-31\nmode: '0644'", { on: "yes", at: "2026-01-31", mode: "0644" }],
  ['path: "{{ home }}/bin"', { path: "{{ home }}/bin" }],
  ["base: &base [1, 2]\nsame: *base", { base: [1, 2], same: [1, 2] }],
  ['name: " kept "', { name: " kept " }],
  ["text: |\n  one\n  two\n", { text: "one\ntwo\n" }],
];

const REFUSED: Array<[string, string]> = [
  ["a: 1\nb: [1, 2\nc: 3", "Line 2: Unexpected token"],
  ["a: 1\n\tb: 2", "Line 2: Tab characters cannot be used as indentation"],
  ["a:\n  - 1\n  - b: 2\n   c: 3\nd: 1", "Line 4: Unexpected token"],
  ['a: >\n  text\nb: "x', "Line 3: Unexpected EOF"],
  ['{"a": 1,\n "b": }', "Line 2: Unexpected token '}'"],
  ['{\n"a": 1\n"b": 2}', "Line 3: Expected '}'"],
  ['{"a": 1', "Line 1: Expected '}'"],
  ["just words", "Enter a name, a colon and a value for each variable"],
  ["- a list", "Enter a name, a colon and a value for each variable"],
  ["path: {{ home }}", "Put a value that begins with { in quotes"],
  ["size: .inf", "Use finite numbers"],
  ["self: &self {again: *self}", "Use at most 10000 values"],
  ['deep: "\\u0000"', "deep: Leave out control characters"],
];

describe("variables as YAML and JSON", () => {
  test.each(READ)("%j is parsed", (text, vars) => {
    expect(readVars(text)).toEqual(vars as ReturnType<typeof readVars>);
  });

  test.each(REFUSED)("%j is refused with its position", (text, message) => {
    expect(errorsOf(text)).toEqual([{ field: "vars", message }]);
  });

  test("that are nested too deep are refused", () => {
    expect(errorsOf(`a: ${"[".repeat(40)}${"]".repeat(40)}`)[0]?.message).toContain(
      "Nest at most 32",
    );
  });

  test("of many lines are refused after few parses", () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `k${n}: [1, 2, 3]`);
    const parse = spyOn(Bun.YAML, "parse");
    const [error] = errorsOf([...lines, "k: ["].join("\n"));
    const readings = parse.mock.calls.length;
    parse.mockRestore();
    expect(error?.message).toStartWith("Line 3001:");
    expect(readings).toBeLessThan(20);
  });
});

function errorsOf(text: string) {
  try {
    readVars(text);
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.errors : [];
  }
}

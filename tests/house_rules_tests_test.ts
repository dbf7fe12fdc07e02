import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const TESTS = [...new Glob("**/*.{ts,tsx}").scanSync({ cwd: import.meta.dir })].toSorted();
const CLOCK = /performance\.now|[cC]puUsage\(|memoryUsage\(/;
const MEASURED =
  /performance\.now|Date\.now|\b(milliseconds|took|elapsed)\b|[cC]puUsage|memoryUsage/;

/** Without texts and comments; templates are left, because they have code. */
function codeOf(text: string): string {
  return text.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=^|\s)\/\/.*$/gm, '""');
}

/** From `expect(` to the end of its matcher. */
function assertionsIn(code: string): string[] {
  return [...code.matchAll(/\bexpect\(/g)].map(({ index }) => {
    let depth = 0;
    for (let at = index; at < code.length; at += 1) {
      if ("([{".includes(code[at]!)) depth += 1;
      if (")]}".includes(code[at]!)) depth -= 1;
      const isOver = code[at] === ";" || depth < 0;
      if (depth <= 0 && isOver) return code.slice(index, at);
    }
    return code.slice(index);
  });
}

/** Names of values and of functions that a clock gives. */
function measuredNamesIn(code: string): string[] {
  const values = [...code.matchAll(/\b(?:const|let) (\w+) = ([^;]*);/g)];
  return values.flatMap(([, name = "", value = ""]) =>
    CLOCK.test(value) && !value.includes("=>") ? [name] : [],
  );
}

/** What a test asserts about a time or a memory that it has measured. */
function measurementsIn(text: string): string[] {
  const code = codeOf(text);
  const names = measuredNamesIn(code).map((name) => new RegExp(`\\b${name}\\b(?! *[:(])`));
  return assertionsIn(code).filter(
    (one) => MEASURED.test(one) || names.some((name) => name.test(one)),
  );
}

// A busy machine fails such a test. Wait for the event, prove the order of events, compare counts, or measure in bench/.
test("no test compares a measured time or memory with a number", () => {
  expect(TESTS.length).toBeGreaterThan(300);
  const found = TESTS.flatMap((path) =>
    measurementsIn(readFileSync(join(import.meta.dir, path), "utf8")).map(
      (assertion) => `${path}: ${assertion}`,
    ),
  );
  expect(found).toEqual([]);
});

test.each([
  ["expect(performance.now() - begun).toBeLessThan(2_000);", true],
  ["const lasted = performance.now() - begun;\nexpect(lasted).toBeLessThan(9);", true],
  [
    "expect(\n  Math.max(...answers.map(({ milliseconds }) => milliseconds)),\n).toBeLessThan(9);",
    true,
  ],
  ["expect(end - Date.now()).toBeLessThan(1);", true],
  ["expect(took).toBeLessThan(limit);", true],
  ['expect(text).toBe("This took too long");', false],
  ["// It took long.\nexpect(order).toEqual([1, 2]);", false],
  ["const until = Date.now() + LIMIT;\nexpect(found).toBe(1);", false],
])("%s", (text, isFound) => {
  expect(measurementsIn(text).length > 0).toBe(isFound);
});

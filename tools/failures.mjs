// Collects the failures of a test run for a summary of one screen at its end.
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "./child.mjs";

/** What `bun test` prints before the results of a file. */
const FILE = /^(\S+_test\.tsx?):$/;
/** The line of a test, without and with colours. */
const RESULT = /^(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) (.*?)(?: \[[\d.]+m?s\])?$/u;
const OUTSIDE = /^# Unhandled error between tests/;
const RULE = /^-{10,}$/;
/** At the end of a long run Bun repeats the failures. */
const REPEATED = /^\s*\d+ tests? failed:$/;
/** A note after a test, such as a timeout. */
const NOTE = /^ {2}\^ /;
const ERROR = /^(?:\w*error|\w*Error|Uncaught|AggregateError)\b.*/;
/** Source lines around an error, the mark below, rules, counts, and additional fields of an error. */
const DETAIL =
  /^\s*(?:\d+ \| |\^\s*$|=+(?: \w+ =+)?$|log: \[|[+-] (?:Expected|Received) {2}[+-] \d+$)/;
const FRAME = /^\s+at /;

/** The size of a terminal, without the closing counts and some lines of the shell. */
const MAX_LINES = 36;
const MAX_COLUMNS = 200;
/** Failures that are shown with their error, and those of which only the name is shown. */
const MAX_DETAILED = 3;
const MAX_NAMED = 9;

/** Reads what one part of the suite prints, line by line. */
export function readFailures() {
  const failures = [];
  let file = "";
  let last = "";
  let lines = [];
  let outside;
  let isOver = false;
  const add = (name, said) => failures.push({ file, name, lines: said });
  const read = (printed) => {
    const line = stripVTControlCharacters(printed);
    isOver ||= REPEATED.test(line);
    if (isOver) return;
    if (outside) return readOutside(line);
    if (FILE.test(line)) [file, last, lines] = [FILE.exec(line)[1], "", []];
    else if (OUTSIDE.test(line)) outside = [];
    else if (RESULT.test(line)) endTest(RESULT.exec(line));
    else if (NOTE.test(line)) failures.at(-1)?.lines.push(line.trim());
    else lines.push(line);
  };
  const readOutside = (line) => {
    if (!RULE.test(line)) return outside.push(line);
    if (outside.length === 0) return;
    add("outside of the tests", outside);
    outside = undefined;
  };
  const endTest = ([, word, mark, name]) => {
    if (word === "fail" || mark === "✗") add(name, lines);
    [last, lines] = [name, []];
  };
  /** A part that ended early has failed at the test that was running. */
  const breakOff = (code) => {
    const where = last ? `after "${last}"` : "before its first test";
    add(`${where}, the process ended with ${code}`, lines.slice(-MAX_LINES));
  };
  return { failures, read, breakOff };
}

/** The last lines of a run; none if nothing failed. */
export function summary(failures) {
  if (failures.length === 0) return [];
  // An error outside of the tests of a file may be printed several times.
  const all = [...new Map(failures.map((one) => [titleOf(one), one])).values()];
  const detailed = all.slice(0, MAX_DETAILED);
  const others = all.slice(MAX_DETAILED, MAX_DETAILED + MAX_NAMED);
  const unnamed = all.length - detailed.length - others.length;
  const room = Math.floor((MAX_LINES - others.length - 2 * detailed.length) / detailed.length);
  return [
    "",
    `Failed: ${failures.length}`,
    ...detailed.flatMap((one) => [titleOf(one), ...excerpt(one.lines, room).map(indented)]),
    ...others.map(titleOf),
    ...(unnamed > 0 ? [`… and ${unnamed} more`] : []),
  ].map((line) => (line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)} …` : line));
}

function titleOf({ file, name }) {
  return `${file || "before the first file"}: ${name}`;
}

function indented(line) {
  return line && `  ${line}`;
}

/** The message, the difference and the place, without source lines and other output. */
function excerpt(lines, room) {
  const begun = lines.findIndex((line) => ERROR.test(line));
  const all = lines
    .slice(Math.max(begun, 0))
    .filter((line) => line.trim() && !DETAIL.test(line))
    .map((line) => line.replaceAll(`${ROOT}/`, ""));
  // Where the error was thrown, and the line of the test, which may have called a helper.
  const stack = all.filter((line) => FRAME.test(line));
  const inTest = stack.find((line) => line.includes("_test.ts"));
  const frames = [...new Set([stack[0], inTest])].filter(Boolean);
  const said = all.filter((line) => !FRAME.test(line));
  return [...shortened(said, room - frames.length), ...frames];
}

/** Leaves out the lines that are equal on both sides; if that is not enough, the middle. */
function shortened(lines, room) {
  if (lines.length <= room) return lines;
  const [first = "", ...rest] = lines;
  const differing = rest.filter((line) => /^(?:[+-]|Expected|Received)/.test(line));
  const kept = differing.length > 0 ? [first, ...differing] : lines;
  if (kept.length <= room) return kept;
  const half = Math.floor((room - 1) / 2);
  return [...kept.slice(0, room - 1 - half), "…", ...kept.slice(-half)];
}

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { end, ROOT } from "./child.mjs";

const COUNT = /^\s*(\d+) (pass|fail|skip|todo|error)s?$/;
/** The last line of a run that came to its end. */
const END = /^Ran \d+ tests? across/;
/** What `bun test` prints before the results of a file. */
const FILE = /^\S+_test\.tsx?:$/;

/** Of one test, in milliseconds: on a busy machine a browser takes its time. */
const TIMEOUT = "120000";

/** The whole suite runs in parts side by side, each with a PostgreSQL of its own. */
const PARTS = Math.min(2, availableParallelism());

/** How long each file takes, so that the parts take equally long. */
const TIMINGS = "tests/timings.json";

/** Runs `bun test`, shows what it prints, and counts. */
export async function runTests(bun, args) {
  const parts = await Promise.all(partsOf(args).map((part) => runPart(bun, part)));
  const sum = (kind) => parts.reduce((all, { counts }) => all + counts[kind], 0);
  const named = Math.max(sum("fail"), sum("error"));
  // A run that ends badly without naming a failure has failed, and so has one without any test.
  const isBad = parts.some((part) => !part.isWhole) || sum("pass") + named === 0;
  return {
    passed: sum("pass"),
    failed: named || Number(isBad),
    skipped: sum("skip") + sum("todo"),
  };
}

function partsOf(args) {
  if (args.length > 0 || PARTS === 1) return [args];
  const timings = existsSync(join(ROOT, TIMINGS)) ? [`--timings=${TIMINGS}`] : [];
  return Array.from({ length: PARTS }, (_, at) => [
    `--shard=${at + 1}/${PARTS}`,
    "--pass-with-no-tests",
    ...timings,
  ]);
}

async function runPart(bun, args) {
  const child = spawn(bun, ["test", "--timeout", TIMEOUT, ...args], {
    cwd: ROOT,
    env: environment(),
    stdio: ["inherit", "pipe", "pipe"],
  });
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0, error: 0, ended: 0 };
  const printer = printByFile();
  for (const stream of [child.stdout, child.stderr]) follow(stream, counts, printer.print);
  const code = await end(child);
  printer.flush();
  return { counts, isWhole: code === 0 && counts.ended > 0 };
}

function follow(stream, counts, print) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      count(line, counts);
      print(line);
    }
  });
  stream.on("end", () => rest && print(rest));
}

/** The results of a file are printed together, when the next file begins: parts do not interleave. */
function printByFile() {
  let lines = [];
  const flush = () => {
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
    lines = [];
  };
  const print = (line) => {
    if (FILE.test(stripVTControlCharacters(line))) flush();
    lines.push(line);
  };
  return { print, flush };
}

function count(line, counts) {
  const text = stripVTControlCharacters(line);
  const [, number, kind] = COUNT.exec(text) ?? [];
  if (kind) counts[kind] = Number(number);
  if (END.test(text)) counts.ended += 1;
}

function environment() {
  const { NODE_ENV, ...rest } = process.env;
  const colours = process.stdout.isTTY && !rest.NO_COLOR;
  return colours ? { FORCE_COLOR: "1", ...rest } : rest;
}

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { end, ROOT } from "./child.mjs";
import { readFailures, summary } from "./failures.mjs";

const COUNT = /^\s*(\d+) (pass|fail|skip|todo|error)s?$/;
/** The last line of a completed run. */
const END = /^Ran \d+ tests? across/;
/** What `bun test` prints before the results of a file. */
const FILE = /^\S+_test\.tsx?:$/;

/** The time limit of a test in milliseconds: a browser is slow on a busy machine. */
const TIMEOUT = "120000";

const CHECKS_ALL = process.env.CADASTRE_CHECKS === "all";

/**
 * The files run in parts side by side, each part with a PostgreSQL of its own. A quarter of their time is waiting, so
 * two parts more than there are cores keep them busy. With all checks times are compared, which then would fail.
 */
const PARTS = Math.min(4, availableParallelism() + (CHECKS_ALL ? 0 : 2));

/** In characters: names of tests may contain long requests, and errors long responses. */
const WIDEST = 1_000;

const TESTS = "tests";
const IS_TEST = /_test\.tsx?$/;

/** The duration of each file, so that the parts take equally long; with all checks some files take longer. */
const TIMINGS = ["tests/timings.json"];
if (CHECKS_ALL) TIMINGS.push("tests/timings_all.json");

/** Runs `bun test`, shows what it prints, counts, and closes with what failed. */
export async function runTests(bun, args) {
  const parts = await Promise.all(partsOf(args).map((part) => runPart(bun, part)));
  const sum = (kind) => parts.reduce((all, { counts }) => all + counts[kind], 0);
  const named = Math.max(sum("fail"), sum("error"));
  for (const line of summary(parts.flatMap(({ failures }) => failures))) console.log(line);
  // A run that ends badly without naming a failure has failed, and so has one without any test.
  const skipped = sum("skip") + sum("todo");
  const isBad = parts.some((part) => !part.isWhole) || sum("pass") + named + skipped === 0;
  return {
    passed: sum("pass"),
    failed: named || Number(isBad),
    skipped,
  };
}

function partsOf(args) {
  const count = Math.min(PARTS, filesOf(args).length);
  // With an option, such as a test's name, a part might find nothing to run, which is a failure.
  if (count < 2 || args.some((one) => one.startsWith("-"))) return [args];
  const timings = TIMINGS.filter((path) => existsSync(join(ROOT, path)));
  return Array.from({ length: count }, (_, at) => [
    `--shard=${at + 1}/${count}`,
    "--pass-with-no-tests",
    ...timings.map((path) => `--timings=${path}`),
    ...args,
  ]);
}

/** The test files whose path contains one of the arguments, as `bun test` chooses them. */
function filesOf(args) {
  const all = readdirSync(join(ROOT, TESTS), { recursive: true }).map((path) => join(TESTS, path));
  return all.filter((path) => {
    return IS_TEST.test(path) && (args.length === 0 || args.some((one) => path.includes(one)));
  });
}

async function runPart(bun, args) {
  const child = spawn(bun, ["test", "--timeout", TIMEOUT, ...args], {
    cwd: ROOT,
    env: environment(),
    stdio: ["inherit", "pipe", "pipe"],
  });
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0, error: 0, ended: 0 };
  const printer = printByFile();
  const reader = readFailures();
  const see = (line) => {
    count(line, counts);
    reader.read(line);
    printer.print(line);
  };
  for (const stream of [child.stdout, child.stderr]) follow(stream, see);
  const code = await end(child);
  printer.flush();
  const isWhole = code === 0 && counts.ended > 0;
  if (counts.ended === 0 || (!isWhole && reader.failures.length === 0)) reader.breakOff(code);
  return { counts, isWhole, failures: reader.failures };
}

function follow(stream, see) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) see(line);
  });
  stream.on("end", () => rest && see(rest));
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
    lines.push(line.length > WIDEST ? `${line.slice(0, WIDEST)} …` : line);
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

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, freemem } from "node:os";
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
 * So many runs of `bun test` go on side by side, each with a PostgreSQL of its own. A quarter of their time is waiting,
 * so two more than there are cores keep them busy. With all checks times are compared, which then would fail.
 */
const RUNS = Math.min(4, availableParallelism() + (CHECKS_ALL ? 0 : 2));

/** What the runs take of the work that is left, in equal parts: the last parts are short, so that all runs end together. */
const SHARE = 0.75;
/** In seconds: what is left for each run is taken as a whole, because each part starts a PostgreSQL and a browser. */
const LAST_PART = 40;

/** In characters: names of tests may contain long requests, and errors long responses. */
const WIDEST = 1_000;

const TESTS = "tests";
const IS_TEST = /_test\.tsx?$/;

/** The duration of each file in milliseconds; with all checks some files take longer. */
const TIMINGS = ["tests/timings.json"];
if (CHECKS_ALL) TIMINGS.push("tests/timings_all.json");
/** Of a file that was not measured yet. */
const USUAL_DURATION = 3_000;

/** Runs `bun test`, shows what it prints, counts, and closes with what failed. */
export async function runTests(bun, args) {
  const waiting = partsOf(args);
  const parts = [];
  const run = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      parts.push(await runPart(bun, part));
    }
  };
  await Promise.all(Array.from({ length: RUNS }, run));
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

/** The arguments of each run of `bun test`, the longest run first. */
function partsOf(args) {
  const files = filesOf(args);
  // With an option, such as a test's name, a part might find nothing to run, which is a failure.
  if (files.length < 2 || args.some((one) => one.startsWith("-"))) return [args];
  const durations = durationsOf(files);
  const parts = lengthsOf(durations).map((left) => ({ left, paths: [] }));
  // A part gets long and short files.
  for (const [path, duration] of durations) {
    const part = parts.reduce((most, one) => (one.left > most.left ? one : most));
    part.left -= duration;
    part.paths.push(`./${path}`);
  }
  return parts.map(({ paths }) => paths.sort()).filter((paths) => paths.length > 0);
}

/** The files with their durations, the longest first. */
function durationsOf(files) {
  const known = TIMINGS.map((path) => join(ROOT, path)).filter((path) => existsSync(path));
  const read = (path) => JSON.parse(readFileSync(path, "utf8")).files;
  const all = Object.assign({}, ...known.map(read));
  return files
    .map((path) => [path, all[path] ?? USUAL_DURATION])
    .sort(([, one], [, other]) => other - one);
}

/** How long each part should take: less and less. */
function lengthsOf(durations) {
  let left = durations.reduce((sum, [, duration]) => sum + duration, 0);
  const lengths = [];
  while (left > 0) {
    const isLast = left / RUNS < LAST_PART * 1_000;
    const taken = isLast ? left : left * SHARE;
    lengths.push(...Array(RUNS).fill(taken / RUNS));
    left -= taken;
  }
  return lengths;
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
  const { NODE_ENV, ...given } = process.env;
  const colours = process.stdout.isTTY && !given.NO_COLOR;
  const inMemory = !given.TMPDIR && hasRoomInMemory();
  return {
    ...(colours && { FORCE_COLOR: "1" }),
    ...given,
    ...(inMemory && { TMPDIR: MEMORY }),
  };
}

/**
 * A file system in memory, for temporary files: on a disk, making and dropping the database of a test file can take half
 * a second.
 */
const MEMORY = "/dev/shm";
/** In bytes. All runs together use a quarter of it. */
const ROOM = 4 * 1024 ** 3;

function hasRoomInMemory() {
  if (!existsSync("/proc/mounts") || freemem() < 2 * ROOM) return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const mount = mounts.find((line) => line.split(" ")[1] === MEMORY);
  // Tests run programs from there.
  if (!mount || /\bnoexec\b/.test(mount)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM;
}

import { spawn } from "node:child_process";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { end, ROOT } from "./child.mjs";

const COUNT = /^\s*(\d+) (pass|fail|skip|todo|error)s?$/;

/** Of one test, in milliseconds: on a busy machine a browser takes its time. */
const TIMEOUT = "120000";

/** Runs `bun test`, shows what it prints, and counts. */
export async function runTests(bun, args) {
  const child = spawn(bun, ["test", "--timeout", TIMEOUT, ...args], {
    cwd: ROOT,
    env: environment(),
    stdio: ["inherit", "pipe", "pipe"],
  });
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0, error: 0 };
  follow(child.stdout, process.stdout, counts);
  follow(child.stderr, process.stderr, counts);
  const code = await end(child);
  return results(counts, code);
}

/** A run that ends badly without naming a failure has failed, and so has one without any test. */
function results({ pass, fail, skip, todo, error }, code) {
  const named = Math.max(fail, error);
  const unnamed = code !== 0 || pass + named === 0 ? 1 : 0;
  return { passed: pass, failed: named || unnamed, skipped: skip + todo };
}

function follow(stream, output, counts) {
  let rest = "";
  stream.on("data", (chunk) => {
    output.write(chunk);
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) count(line, counts);
  });
}

function count(line, counts) {
  const [, number, kind] = COUNT.exec(stripVTControlCharacters(line)) ?? [];
  if (kind) counts[kind] = Number(number);
}

function environment() {
  const { NODE_ENV, ...rest } = process.env;
  const colours = process.stdout.isTTY && !rest.NO_COLOR;
  return colours ? { FORCE_COLOR: "1", ...rest } : rest;
}

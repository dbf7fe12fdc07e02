// Called by package.json: installs the packages and finds Bun, then runs the command. It needs only Node 20 or Bun.
import process from "node:process";
import { findBun } from "./bun.mjs";
import { printed, runStatic } from "./checks.mjs";
import { run, UserError } from "./child.mjs";
import { install } from "./install.mjs";
import { runTests } from "./test.mjs";

const BIOME = "node_modules/@biomejs/biome/bin/biome";

const commands = {
  start: (args) => bun("src/main.ts", "serve", ...args),
  dev: (args) => bun("--watch", "src/main.ts", "serve", ...args),
  demo: (args) => bun("src/main.ts", "seed", ...args),
  bench: (args) => bun("bench/main.ts", ...args),
  failover: (args) => bun("tests/failover/main.ts", ...args),
  migrate: (args) => bun("src/main.ts", "migrate", ...args),
  build: (args) => bun("tools/build.ts", ...args),
  package: (args) => bun("tools/package/main.ts", ...args),
  screenshots: (args) => bun("tools/screenshots.ts", ...args),
  fix: (args) => run(process.execPath, [BIOME, "check", "--write", ...args]),
  test: async (args) => printed(await runTests(findBun(), args)),
  static: async () => printed(await runStatic()),
  check: async (args) => printed(await checkAll(args)),
};

const [name = "", ...args] = process.argv.slice(2);

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main() {
  if (!Object.hasOwn(commands, name)) {
    throw new UserError(`Say what to run: ${Object.keys(commands).join(", ")}`);
  }
  await install();
  return commands[name](args);
}

function bun(...given) {
  return run(findBun(), given);
}

async function checkAll(args) {
  const checks = await runStatic();
  const tests = await runTests(findBun(), args);
  return {
    passed: checks.passed + tests.passed,
    failed: checks.failed + tests.failed,
    skipped: tests.skipped,
  };
}

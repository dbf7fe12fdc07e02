import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { allChecks } from "../support/checks.ts";
import { endAll, isAlive, launch, type Started, until } from "./processes.ts";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "..", "..");

/** A program that prints its arguments and runs until it is stopped; stopping takes a while. */
const MAIN = `
console.log("called", ...process.argv.slice(2));
if (process.argv[2] === "fail") process.exit(7);
if (process.argv[2] === "serve") setInterval(() => {}, 1_000);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    console.log("heard", signal);
    setTimeout(() => process.exit(0), 400);
  });
}
console.log("pid", process.pid);
`;

/** A stub of npm: installs a Bun, slowly on request, and logs its calls. */
const NPM = `#!/bin/sh
echo "installed with $* NODE_ENV=$NODE_ENV" >> installs
[ -e broken ] && echo "npm error the registry is gone" && exit 9
[ -e slow ] && sleep 1
mkdir -p node_modules/@oven/bun-here/bin
ln -sf "${process.execPath}" node_modules/@oven/bun-here/bin/bun
`;

const directories: string[] = [];

afterEach(() => {
  endAll();
  for (const path of directories.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe("the launcher", () => {
  test("installs once and then runs the command directly", async () => {
    const checkout = aCheckout();
    const first = launcher(checkout, ["migrate", "--now"]);
    expect(await first.ended).toBe(0);
    expect(first.said()).toMatch(/^Installing packages \(first run only\) … \d+ s$/m);
    expect(first.said()).toMatch(/^called migrate --now$/m);
    const second = launcher(checkout, ["demo"]);
    expect(await second.ended).toBe(0);
    expect(second.said()).not.toContain("Installing");
    expect(second.said()).toMatch(/^called seed$/m);
    expect(installs(checkout)).toHaveLength(1);
  });

  test("installs again when the list of packages has changed", async () => {
    const checkout = aCheckout();
    await launcher(checkout, ["migrate"]).ended;
    writeFileSync(join(checkout, "package-lock.json"), "{}");
    const again = launcher(checkout, ["migrate"]);
    expect(await again.ended).toBe(0);
    expect(again.said()).toContain("the list of packages has changed");
    expect(installs(checkout)).toHaveLength(2);
  });

  test("installs once when two start at the same time", async () => {
    const checkout = aCheckout();
    writeFileSync(join(checkout, "slow"), "");
    const both = [launcher(checkout, ["migrate"]), launcher(checkout, ["demo"])];
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(installs(checkout)).toHaveLength(1);
    expect(readdirSync(checkout)).not.toContain(".installing");
  });

  test("installs what the tests need where NODE_ENV says production", async () => {
    const checkout = aCheckout();
    await launcher(checkout, ["migrate"], { NODE_ENV: "production" }).ended;
    expect(installs(checkout)).toEqual([expect.stringMatching(/^installed with ci .*NODE_ENV=$/)]);
  });

  test("shows the output of npm and ends with a message when it fails", async () => {
    const checkout = aCheckout();
    writeFileSync(join(checkout, "broken"), "");
    const failed = launcher(checkout, ["start"]);
    expect(await failed.ended).toBe(1);
    expect(failed.said()).toContain("npm error the registry is gone");
    expect(failed.said()).toMatch(/The packages could not be installed: .* ended with 9\n$/);
  });

  test("ends with a message when there is nothing to install with", async () => {
    const nothing = launcher(aCheckout(), ["start"], { PATH: "/nonexistent" });
    expect(await nothing.ended).toBe(1);
    expect(nothing.said()).toMatch(/^npm was not found: install .*\n$/);
  });

  test.each([
    ["have run", true],
    ["have not run", false],
  ])("finds the Bun of the package when install scripts %s", async (_, scriptsRan) => {
    const checkout = await anInstalledCheckout();
    placeBun(checkout, scriptsRan);
    const started = launcher(checkout, ["migrate"], { PATH: "/usr/bin:/bin" });
    expect(await started.ended).toBe(0);
  });

  test("ends with the exit code of the command", async () => {
    const checkout = await anInstalledCheckout();
    writeFileSync(join(checkout, "src", "main.ts"), "process.exit(7)");
    expect(await launcher(checkout, ["migrate"]).ended).toBe(7);
    writeFileSync(join(checkout, "src", "main.ts"), "process.kill(process.pid, 'SIGKILL')");
    expect(await launcher(checkout, ["migrate"]).ended).toBe(128 + 9);
  });

  test("lists the commands for an unknown one", async () => {
    const lost = launcher(await anInstalledCheckout(), ["fly"]);
    expect(await lost.ended).toBe(1);
    expect(lost.said()).toMatch(/^Say what to run: start, /);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`forwards ${signal} once and waits for the end`, async () => {
      const started = launcher(await anInstalledCheckout(), ["start", "--quietly"]);
      await pidOf(started);
      started.child.kill(signal);
      started.child.kill(signal);
      expect(await started.ended).toBe(0);
      expect(started.said()).toContain("called serve --quietly");
      expect(started.said().match(/heard/g)).toHaveLength(1);
    });
  }

  test("leaves nothing behind when npm is told to end", async () => {
    const checkout = await anInstalledCheckout();
    const npm = launch(["npm", "start"], { cwd: checkout });
    const server = await pidOf(npm);
    npm.child.kill("SIGTERM");
    await until("the end of the server", () => !isAlive(server));
  });
});

describe("npm test", () => {
  test("ends with the counts, and fails when a test fails", async () => {
    const checkout = await anInstalledCheckout();
    aTestFile(checkout, "good", "test('one', () => {}); test.skip('two', () => {});");
    const good = launcher(checkout, ["test"]);
    expect(await good.ended).toBe(0);
    expect(good.said()).toMatch(/\n1 passed, 0 failed, 1 skipped\n$/);
    aTestFile(checkout, "bad", "test('three', () => { throw new Error('no'); });");
    const bad = launcher(checkout, ["test"]);
    expect(await bad.ended).toBe(1);
    expect(bad.said()).toMatch(/\n1 passed, 1 failed, 1 skipped\n$/);
  });

  test("ends with what failed and where, in one screen", async () => {
    const checkout = await anInstalledCheckout();
    aTestFile(
      checkout,
      "long",
      `import { expect } from "bun:test";
      test("noise", () => console.log("noise ".repeat(5_000)));
      test("a list", () => {
        console.log("noise\\n".repeat(100));
        const wanted = Array.from({ length: 500 }, (_, number) => number);
        expect(wanted.with(250, 7)).toEqual(wanted);
      });`,
    );
    aTestFile(
      checkout,
      "other",
      "for (const one of Array(80).keys()) test(String(one), () => {});",
    );
    const screen = await screenOf(checkout);
    expect(screen).toContain("Failed: 1\ntests/long_test.ts: a list\n");
    expect(screen).toContain("error: expect(received).toEqual(expected)\n");
    expect(screen).toMatch(/^ *- +250,$/m);
    expect(screen).toMatch(/^ *\+ +7,$/m);
    expect(screen).toMatch(/^ *at .*tests\/long_test.ts:\d+:\d+\)$/m);
    expect(screen.slice(screen.indexOf("Failed: 1\n"))).not.toContain("noise");
  });

  test.each([
    ["is killed", "process.kill(process.pid, 'SIGKILL')", 137],
    ["ends early", "process.exit(0)", 0],
  ])("names the last test of a part that %s", async (_, deed, code) => {
    const checkout = await anInstalledCheckout();
    aTestFile(checkout, "odd", `test("one", () => {}); test("two", () => { ${deed}; });`);
    aTestFile(
      checkout,
      "other",
      "for (const one of Array(80).keys()) test(String(one), () => {});",
    );
    expect(await screenOf(checkout)).toContain(
      `Failed: 1\ntests/odd_test.ts: after "one", the process ended with ${code}\n`,
    );
  });

  test("shows the first of many failures, and names the others", async () => {
    const checkout = await anInstalledCheckout();
    const failing =
      "for (const one of Array(30).keys())\ntest('T' + one, () => { throw Error('E' + one); });";
    aTestFile(checkout, "bad", failing);
    const screen = await screenOf(checkout);
    expect(screen).toMatch(/^Failed: 30\n.*T0\n +error: E0\n/m);
    expect(screen).toMatch(/_test.ts: T11\n… and 18 more\n/);
  });

  test("runs only the files that are named", async () => {
    const checkout = await anInstalledCheckout();
    aTestFile(checkout, "good", "test('one', () => {});");
    aTestFile(checkout, "bad", "test('two', () => { throw new Error('no'); });");
    expect(await launcher(checkout, ["test", "good"]).ended).toBe(0);
  });

  test.each([
    ["cannot be loaded", "import './missing.ts';"],
    ["ends early with 0", "process.exit(0);"],
    ["ends early with 3", "process.exit(3);"],
    ["holds no test", ""],
  ])("fails when a file %s", async (_, source) => {
    const checkout = await anInstalledCheckout();
    aTestFile(checkout, "odd", source);
    const odd = launcher(checkout, ["test"]);
    expect(await odd.ended).toBe(1);
    expect(odd.said()).toMatch(/\n0 passed, 1 failed\n$/);
  });

  test("fails when one part of the suite ends early while the other passes", async () => {
    const checkout = await anInstalledCheckout();
    for (const name of ["a", "b", "c"]) aTestFile(checkout, name, "test('one', () => {});");
    aTestFile(checkout, "d", "process.exit(0);");
    const odd = launcher(checkout, ["test"]);
    expect(await odd.ended).toBe(1);
    expect(odd.said()).toMatch(/\n\d passed, 1 failed\n$/);
  });
});

describe.skipIf(!allChecks)("a fresh clone", () => {
  test("installs and runs by one command, with install scripts off and for production", async () => {
    const checkout = aCheckout();
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      cpSync(join(ROOT, name), join(checkout, name));
    }
    const npm = launch(["npm", "run", "demo"], {
      cwd: checkout,
      env: { NODE_ENV: "production", npm_config_ignore_scripts: "true" },
    });
    expect(await npm.ended).toBe(0);
    expect(npm.said()).toMatch(/^called seed$/m);
    expect(existsSync(join(checkout, "node_modules", "typescript"))).toBe(true);
  }, 300_000);
});

/** A copy of the launcher under a path with a space, with nothing installed. */
function aCheckout(): string {
  const path = join(mkdtempSync(join(tmpdir(), "cadastre-launcher-")), "my checkout");
  directories.push(join(path, ".."));
  cpSync(join(ROOT, "tools"), join(path, "tools"), { recursive: true });
  for (const name of ["src", "tests", "bin"]) mkdirSync(join(path, name));
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(path, "package.json"), JSON.stringify({ name: "copy", scripts }));
  writeFileSync(join(path, "package-lock.json"), "");
  writeFileSync(join(path, "src", "main.ts"), MAIN);
  writeFileSync(join(path, "bin", "npm"), NPM);
  chmodSync(join(path, "bin", "npm"), 0o755);
  return path;
}

async function anInstalledCheckout(): Promise<string> {
  const path = aCheckout();
  expect(await launcher(path, ["migrate"]).ended).toBe(0);
  return path;
}

function launcher(checkout: string, args: string[], env: Record<string, string> = {}): Started {
  const PATH = [join(checkout, "bin"), process.env.PATH].join(delimiter);
  return launch(
    [Bun.which("node") ?? process.execPath, join(checkout, "tools", "run.mjs"), ...args],
    {
      cwd: checkout,
      env: { NODE_ENV: undefined, PATH, ...env },
    },
  );
}

/** The package `bun` after its install script, or with its stub if install scripts are off. */
function placeBun(checkout: string, scriptsRan: boolean): void {
  const modules = join(checkout, "node_modules");
  mkdirSync(join(modules, "bun", "bin"), { recursive: true });
  const binary = join(modules, "bun", "bin", "bun.exe");
  if (scriptsRan) {
    rmSync(join(modules, "@oven"), { recursive: true });
    symlinkSync(process.execPath, binary);
  } else {
    writeFileSync(binary, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
}

function installs(checkout: string): string[] {
  return readFileSync(join(checkout, "installs"), "utf8").trim().split("\n");
}

function aTestFile(checkout: string, name: string, source: string): void {
  const path = join(checkout, "tests", `${name}_test.ts`);
  writeFileSync(path, `import { test } from "bun:test";\n${source}\n`);
}

/** The last screen of a terminal after the tests. */
async function screenOf(checkout: string): Promise<string> {
  const run = launcher(checkout, ["test"]);
  expect(await run.ended).toBe(1);
  return run.said().split("\n").slice(-40).join("\n");
}

async function pidOf(started: Started): Promise<number> {
  return Number(await until("the server", () => /^pid (\d+)$/m.exec(started.said())?.[1]));
}

// During an upgrade the last release works on the database of the next one. So tests of the last release run here with
// its own code and the present migrations. It is the newest tag, or without one the commit before the newest migration.
import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations } from "../../db/migrations/mod.ts";
import { allChecks } from "../support/checks.ts";
import { run } from "../support/programs.ts";

const LIMIT = 300_000;
const ROOT = join(import.meta.dir, "..", "..");
const MIGRATIONS = "db/migrations";
/** Reading and writing of most tables, history, undo, imports and tokens. */
const CORE = [
  "tests/network/hosts_test.ts",
  "tests/network/networks_test.ts",
  "tests/network/undo_test.ts",
  "tests/inventory/macs_test.ts",
  "tests/inventory/import_test.ts",
  "tests/common/history_test.ts",
  "tests/user/tokens_test.ts",
];

const directory = mkdtempSync(join(tmpdir(), "cadastre-last-release-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

// A source archive and a shallow clone do not have it.
const lastRelease = allChecks ? (newestTag() ?? beforeNewestMigration()) : undefined;

describe("the last release", () => {
  test.skipIf(!lastRelease)(
    "passes its own tests on the present schema",
    async () => {
      const unpack = 'git -C "$0" archive "$1" | tar -x -C "$2"';
      await run(["sh", "-c", unpack, ROOT, lastRelease ?? "", directory]);
      symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
      rmSync(join(directory, MIGRATIONS), { recursive: true });
      cpSync(join(ROOT, MIGRATIONS), join(directory, MIGRATIONS), { recursive: true });
      const files = CORE.filter((path) => existsSync(join(directory, path)));
      expect(files.length).toBeGreaterThan(4);
      const testing = ["test", "--timeout", "120000", ...files];
      const inside = ["sh", "-c", 'cd "$0" && exec "$@"', directory, process.execPath, ...testing];
      const { code, said } = await run(inside, { CADASTRE_CHECKS: "" });
      const failures = said.split("\n").filter((line) => /^(\(fail\)|error:)/.test(line));
      expect({ code, failures }).toEqual({ code: 0, failures: [] });
      const [, passed] = /^ *(\d+) pass$/m.exec(said) ?? [];
      expect(Number(passed)).toBeGreaterThan(50);
    },
    LIMIT,
  );
});

function newestTag(): string | undefined {
  const [tag] = git("tag", "--list", "v*", "--merged", "HEAD^", "--sort=-creatordate");
  return tag;
}

function beforeNewestMigration(): string | undefined {
  const newest = migrations
    .map(({ name }) => name)
    .toSorted()
    .at(-1);
  const path = `${MIGRATIONS}/${newest}.sql`;
  const [added] = git("log", "-1", "--format=%H", "--diff-filter=A", "--", path);
  return added && git("rev-parse", "--verify", "--quiet", `${added}^{commit}~`)[0];
}

/** The lines that it prints; none if it fails. */
function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter(Boolean) : [];
}

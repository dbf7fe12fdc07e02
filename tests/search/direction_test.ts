// A query goes through the search in one direction, so the files of the search import each other in one direction.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../../src/search");
/** Each imports from those behind it; `sql` and `cache` not from each other. */
const ORDER = [
  ["find.ts"],
  ["evaluate.ts"],
  ["rank.ts", "suggest"],
  ["sql", "cache"],
  ["document.ts"],
  ["language"],
  ["limits.ts"],
];

function partOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function placeOf(part: string): number {
  return ORDER.findIndex((parts) => parts.includes(part));
}

const files = [...new Glob("**/*.ts").scanSync({ cwd: ROOT })].filter(
  (one) => !/\.d\.ts$/.test(one),
);

test.each(files.map((file) => [file]))("%s imports what comes after it", (file) => {
  const part = partOf(file);
  expect(placeOf(part)).toBeGreaterThanOrEqual(0);
  const text = readFileSync(join(ROOT, file), "utf8");
  const imports = [...text.matchAll(/ from "(\.[^"]+)";$/gm)].map(([, path = ""]) =>
    normalize(join(file, "..", path)),
  );
  const inside = imports.filter((path) => !path.startsWith("..")).map(partOf);
  expect(inside.filter((one) => one !== part && placeOf(one) <= placeOf(part))).toEqual([]);
});

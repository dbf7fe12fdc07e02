import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const DOCUMENTS = ["*.md", "*/README.md", "docs/*.md"].flatMap((pattern) => [
  ...new Glob(pattern).scanSync({ cwd: ROOT }),
]);
const ROOMS = readdirSync(ROOT).filter((name) => name !== "node_modules");

/** What a document names in `code` that looks like a file or a folder of ours, and where its links lead. */
function pathsIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), "utf8").replace(/^```[\s\S]*?^```/gm, "");
  const codes = [...text.matchAll(/`([\w.-]+(?:\/[\w.*-]+)*\/?)`/g)].map(([, path]) => path!);
  const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, path]) => path!);
  return [...codes.filter(isOurs), ...links];
}

function isOurs(path: string): boolean {
  const [first = "", ...rest] = path.split("/");
  return rest.length > 0 && ROOMS.includes(first);
}

/** From the root, or from where the document stands. */
function exists(document: string, path: string): boolean {
  return [ROOT, join(ROOT, dirname(document))].some((from) =>
    path.includes("*")
      ? new Glob(path).scanSync({ cwd: from }).next().done === false
      : existsSync(join(from, path)),
  );
}

describe("documents", () => {
  test.each(DOCUMENTS.map((document) => [document]))("%s names only what is there", (document) => {
    expect(pathsIn(document).filter((path) => !exists(document, path))).toEqual([]);
  });

  test("are not too many to read", () => {
    expect(DOCUMENTS.length).toBeLessThan(40);
  });
});

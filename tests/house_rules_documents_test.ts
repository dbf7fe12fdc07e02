import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const DECISIONS = filesOf("docs/decisions/0*.md");
const DOCUMENTS = ["*.md", "*/*.md", "docs/decisions/README.md"].flatMap(filesOf);
/** Made by `npm run bench`. */
const GENERATED = "bench/README.md";
const MAPS = DOCUMENTS.filter((path) => path.endsWith("README.md") && path !== GENERATED);
const ROOMS = readdirSync(ROOT).filter((name) => name !== "node_modules");

function filesOf(pattern: string): string[] {
  const files = [...new Glob(pattern).scanSync({ cwd: ROOT })];
  return files.filter((path) => !path.startsWith("node_modules/")).toSorted();
}

function read(document: string): string {
  return readFileSync(join(ROOT, document), "utf8");
}

/**
 * The files and folders of the project that a document names in `code`, and the targets of its links, except pages of the
 * product, which tests/pages/help_test.ts opens.
 */
function pathsIn(document: string): string[] {
  const text = read(document)
    .replace(/^ *```[\s\S]*?^ *```/gm, "")
    // Files that the reader adds.
    .replace(/`[^`]+`, a new file|`\/[^`]+`/g, "");
  const codes = [...text.matchAll(/`([\w.-]+(?:\/[\w.*-]+)*\/?)`/g)].map(([, path]) => path!);
  const links = [...text.matchAll(/\]\((?!https?:|mailto:|#|\/)([^)#\s]+)/g)].map(
    ([, path]) => path!,
  );
  return [...codes.filter((path) => isOurs(path, document)), ...links];
}

/** A path from the root; in the README of a folder also from that folder. */
function isOurs(path: string, document: string): boolean {
  const [first = "", ...rest] = path.split("/");
  // The build makes `dist`.
  if (rest.length === 0 || first === "dist") return false;
  const isOfMap = MAPS.includes(document) && existsSync(join(ROOT, dirname(document), first));
  return ROOMS.includes(first) || isOfMap || (MAPS.includes(document) && path.endsWith("/"));
}

/** From the root, or from the folder of the document. */
function exists(document: string, path: string): boolean {
  return [ROOT, join(ROOT, dirname(document))].some((from) =>
    path.includes("*")
      ? new Glob(path).scanSync({ cwd: from }).next().done === false
      : existsSync(join(from, path)),
  );
}

/** In words. Measurements (`bench/`) repeat their conditions. Shorter ones are mostly instructions that begin alike. */
const SHORTEST_REPETITION = 15;

/** Passages that a document has twice, and first cells that one of its tables has twice. */
function repeatedIn(document: string): string[] {
  const text = read(document).replace(/^ *```[\s\S]*?^ *```/gm, "");
  const parts = Object.groupBy(text.split("\n"), (line) =>
    line.startsWith("|") ? "rows" : "prose",
  );
  const words = (parts.prose ?? []).join(" ").split(/\s+/);
  const passages = words
    .slice(0, 1 - SHORTEST_REPETITION)
    .map((_, at) => words.slice(at, at + SHORTEST_REPETITION).join(" "));
  const tables = text.split(/\n(?!\|)/).filter((one) => one.includes("|---|"));
  const cells = tables.map((rows) =>
    [...rows.matchAll(/^\| (.+?) \| /gm)].map(([, cell]) => cell!),
  );
  return [passages, ...cells].flatMap((all) => all.filter((one, at) => all.indexOf(one) < at));
}

describe("documents", () => {
  test.each([...DOCUMENTS, ...DECISIONS].map((document) => [document]))(
    "%s names only existing files, commands and settings",
    (document) => {
      expect(pathsIn(document).filter((path) => !exists(document, path))).toEqual([]);
    },
  );

  test.each(DOCUMENTS.filter((path) => !path.startsWith("bench/")).map((path) => [path]))(
    "%s says nothing twice",
    (document) => {
      expect(repeatedIn(document)).toEqual([]);
    },
  );

  test("stay below the limits of number and size", () => {
    // The bench writes its own pages.
    const written = DOCUMENTS.filter((path) => !path.startsWith("bench/"));
    expect(written.length).toBeLessThan(27);
  });
});

const MOST_IDEAS = 35;

describe("a README", () => {
  test.each(MAPS.filter((path) => path !== "docs/decisions/README.md").map((path) => [path]))(
    "%s fits on one page, with the ideas on two",
    (document) => {
      const most = document === "src/README.md" ? 61 + MOST_IDEAS : 61;
      expect(read(document).split("\n").length).toBeLessThanOrEqual(most);
    },
  );

  test("src/README.md lists the ideas behind a write, and they are few", () => {
    const [, ideas = ""] = read("src/README.md").split("## The ideas behind a write");
    const rows = ideas.split("\n## ")[0]!.match(/^\| (?!idea|---)/gm) ?? [];
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThanOrEqual(MOST_IDEAS);
  });
});

describe("decisions", () => {
  const numbers = DECISIONS.map((path) => Number(/\/(\d{4})-[\w-]+\.md$/.exec(path)?.[1]));

  test("have a number each", () => {
    expect(new Set(numbers).size).toBe(DECISIONS.length);
  });

  test.each(DECISIONS.map((path) => [path]))("%s says why, what, and what was rejected", (path) => {
    const text = read(path);
    const number = Number(/\/(\d{4})-/.exec(path)?.[1]);
    expect(text).toStartWith(`# ${number}. `);
    expect(text).toMatch(/^Date: \d{4}-\d{2}-\d{2}$/m);
    const parts = [...text.matchAll(/^\*\*(.+?)\.\*\* /gm)].map(([, name]) => name!);
    expect(parts).toEqual(["Context", "Decision", "Instead of", "Consequences"]);
  });

  test("are listed by number and title", () => {
    const rows = [
      ...read("docs/decisions/README.md").matchAll(/^\| \[(\d+)\]\((.+?)\) \| (.+?) \|/gm),
    ];
    const actual = rows.map(([, number, file, title]) => [
      `docs/decisions/${file}`,
      `# ${number}. ${title}`,
    ]);
    const written = DECISIONS.map((path) => [path, read(path).split("\n")[0]]);
    expect(actual).toEqual(written as string[][]);
  });
});

test("docs/glossary.md has at most 25 terms, in alphabetical order", () => {
  const terms = [...read("docs/glossary.md").matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(
    ([, term]) => term!,
  );
  expect(terms.length).toBeGreaterThan(10);
  expect(terms.length).toBeLessThanOrEqual(25);
  expect(terms).toEqual(terms.toSorted((one, other) => one.localeCompare(other, "en")));
});

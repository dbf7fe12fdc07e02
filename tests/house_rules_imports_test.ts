// Imports have one direction, between files and between folders, which have a size that one can read; types and what is
// imported by name have names of their own.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const LINES_IN_A_FILE = 700;

/** From the lowest: a folder imports only from lower layers. Biome has the same rules for each folder. */
const LAYERS = [
  ["db"],
  ["src/input"],
  ["src/config.ts"],
  ["src/config_file.ts"],
  ["src/auth", "src/help", "src/monitoring"],
  ["src/search", "src/spreadsheet"],
  ["src/client"],
  ["src/store"],
  ["src/http", "src/jobs", "src/system"],
  ["src/import", "src/files"],
  ["src/user"],
  ["src/site"],
  ["src/inventory"],
  ["src/network"],
  ["src/resources.ts"],
  ["src/tags.ts"],
  ["src/history"],
  ["src/undo", "src/omnibox", "src/events"],
  ["src/api", "pages"],
  ["src/app.ts", "src/start.ts", "src/demo"],
  ["src/commands"],
  ["src/main.ts"],
];

const files = ["src", "pages", "db"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join(folder, name)),
);

/** Imports of types count, because a file cannot be understood without them. */
const IMPORT = /^(?:import|export)\s+(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/gm;
const imports = new Map<string, string[]>();
const TYPE = /^(?:export )?(?:interface|type) (\w+)/gm;
/** The same idea in several places: of a component, of a form and its page, of what a form sends, of imports. */
const SHARED_TYPES = [
  "Props",
  ...["FormProps", "FormRequest", "FormState", "ViewRequest"],
  ...["NewEntry", "ChangedEntry"],
  ...["ExistingRecords", "Transaction"],
];
/** Names that are imported by themselves, not as `users.find`, and mean the same for each resource that has them. */
const SHARED_IMPORTS = [
  // The list and the form of a resource, and what its form sends.
  ...["PATH", "viewPath", "apiAddress", "COLUMNS", "SHOWN", "EDITORS", "questionFor", "valuesOf"],
  ...["choices", "filterChoices", "offersFor", "findNamed", "neighboursInList", "newEntry"],
  // Of a resource, of every resource, and of what the search finds.
  "find",
  // The steps of an import.
  ...["importRoutes", "readRow", "initial", "STORED", "loadExisting", "draftsOf", "checkClaims"],
  ...["planOf", "lockRows", "writePlan"],
  // Webhooks and triggers.
  ...["sealSecrets", "openSecrets"],
];
const NAMES = /^import \{([^}]*)\} from "(\.[^"]+)"/gm;
const DEFINITION = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const types: Array<{ name: string; file: string }> = [];
const lines = new Map<string, number>();
const definitions: Array<{ name: string; file: string }> = [];
const importedNames = new Set<string>();
for (const file of files) {
  const source = await Bun.file(join(ROOT, file)).text();
  lines.set(file, source.split("\n").length - 1);
  for (const [, name = ""] of source.matchAll(TYPE)) types.push({ name, file });
  for (const [, name = ""] of source.matchAll(DEFINITION)) definitions.push({ name, file });
  for (const [, names = "", path = ""] of source.matchAll(NAMES)) {
    const from = posix.join(posix.dirname(file), path);
    for (const name of names.split(",")) importedNames.add(`${from} ${name.trim()}`);
  }
  const paths = Array.from(source.matchAll(IMPORT), ([, path = ""]) =>
    posix.join(posix.dirname(file), path),
  );
  imports.set(
    file,
    paths.filter((path) => files.includes(path)),
  );
}

/** Paths that lead from a node back to it, one for each import that closes one. */
function circlesIn(graph: Map<string, string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  function visit(node: string, path: string[]): void {
    const start = path.indexOf(node);
    if (start >= 0) circles.push([...path.slice(start), node].join(" -> "));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  }
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

function folderOf(file: string): string {
  return LAYERS.flat().find((folder) => file === folder || file.startsWith(`${folder}/`)) ?? file;
}

test("imports are found", () => {
  expect(imports.get("src/app.ts")).toContain("src/http/server.ts");
  expect(Array.from(imports.values()).flat().length).toBeGreaterThan(1000);
});

test("no file imports itself through others", () => {
  expect(circlesIn(imports)).toEqual([]);
});

test("a file imports only from its own folder and from lower layers", () => {
  const layerOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder));
  const upwards = Array.from(imports).flatMap(([file, paths]) =>
    paths
      .filter((path) => {
        const [from, to] = [folderOf(file), folderOf(path)];
        return from !== to && layerOf(to) >= layerOf(from);
      })
      .map((path) => `${file} -> ${path}`),
  );
  expect(upwards).toEqual([]);
  expect(files.filter((file) => layerOf(folderOf(file)) < 0)).toEqual([]);
});

test("no file has more than 700 lines", () => {
  expect([...lines].filter(([, count]) => count > LINES_IN_A_FILE)).toEqual([]);
});

/** With the files that have them. */
function sharedNames(several: Array<{ name: string; file: string }>, allowed: string[]) {
  const byName = Map.groupBy(several, ({ name }) => name);
  return Array.from(byName, ([name, all]) => ({
    name,
    files: new Set(all.map(({ file }) => file)),
  }))
    .filter(({ name, files }) => files.size > 1 && !allowed.includes(name))
    .map(({ name, files }) => `${name}: ${[...files].join(", ")}`);
}

test("a type has a name of its own, also one that is not exported", () => {
  expect(types.length).toBeGreaterThan(1000);
  expect(sharedNames(types, SHARED_TYPES)).toEqual([]);
});

test("a name that is imported by itself means one thing", () => {
  const imported = definitions.filter(({ name, file }) => importedNames.has(`${file} ${name}`));
  expect(imported.length).toBeGreaterThan(1000);
  expect(sharedNames(imported, SHARED_IMPORTS)).toEqual([]);
});

// The program in a few files, which start with half of the processor time that its many sources take.
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENTRY_POINTS } from "../../tools/package/binary.ts";
import { ROOT } from "../../tools/package/commands.ts";
import { onTeardown } from "../support/teardown.ts";

let built: Promise<string> | undefined;

/** The path of its main file, built once a run. */
export function programFile(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "cadastre-program-"));
  onTeardown(async () => rmSync(directory, { recursive: true }));
  // The program looks for the packages of PostgreSQL when it runs.
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  await Bun.build({
    entrypoints: ENTRY_POINTS,
    // The program looks for its worker threads beside itself, by the names of their sources.
    naming: { entry: "[name].ts" },
    outdir: directory,
    target: "bun",
    splitting: true,
    minify: { whitespace: true, syntax: true },
  });
  return join(directory, "main.ts");
}

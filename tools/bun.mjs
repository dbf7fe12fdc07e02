import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { ROOT, UserError } from "./child.mjs";

const SUFFIX = process.platform === "win32" ? ".exe" : "";

/** The Bun of node_modules, else the one on the PATH. */
export function findBun() {
  const found = [...packaged(), onPath("bun")].find((path) => path && works(path));
  if (found) return found;
  throw new UserError("Bun was not found: run npm ci, or install Bun 1.4 or newer");
}

/** The first program of this name on the PATH. Those in node_modules are skipped, because they may be stubs. */
export function onPath(name) {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories
    .filter((directory) => directory && !directory.includes("node_modules"))
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}

/** The install script of `bun` moves the binary out of the package of the platform. With scripts off it
 * is still there, and `bun` holds a stub that fails. */
function packaged() {
  const scope = join(ROOT, "node_modules", "@oven");
  const platforms = existsSync(scope) ? readdirSync(scope) : [];
  return [
    ...platforms.map((platform) => join(scope, platform, "bin", `bun${SUFFIX}`)),
    join(ROOT, "node_modules", "bun", "bin", "bun.exe"),
  ];
}

function works(path) {
  return spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0;
}

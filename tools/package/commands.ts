// Runs the programs of Debian and npm that make packages.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";

export const ROOT = dirname(dirname(import.meta.dir));
export const TEMPLATES = join(ROOT, "packaging");

/** A package could not be made; the message is one sentence. */
export class Failed extends Error {}

const MOST_OUTPUT = 2 ** 28;
/** Administration programs are there, also for users whose PATH leaves them out. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** For standard input. */
  input?: string | Uint8Array;
}

/** Runs a program to its end, and returns what it has printed. */
export function runCommand(command: string[], options: Options = {}): string {
  return runForBytes(command, options).toString();
}

export function runForBytes([program = "", ...args]: string[], options: Options = {}): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    env: { ...process.env, PATH, ...options.env },
    maxBuffer: MOST_OUTPUT,
  });
  if (error) throw new Failed(`${program} could not be run: ${error.message}`);
  if (status === 0) return stdout;
  const said = stderr.toString().trim() || stdout.toString().trim();
  throw new Failed(`${program} ${args.slice(0, 3).join(" ")} failed:\n${said}`);
}

export function isInstalled(program: string): boolean {
  return Bun.which(program, { PATH }) !== null;
}

/** Refuses early and by name, with the Debian package to install. */
export function requirePrograms(programs: Record<string, string>): void {
  const missing = Object.keys(programs).filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => programs[program]).join(" ");
  throw new Failed(
    `${missing.join(", ")} not found: install the Debian packages with apt install ${packages}`,
  );
}

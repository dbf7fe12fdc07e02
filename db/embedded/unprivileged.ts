// PostgreSQL refuses to run as root. Root therefore runs it in a user namespace, where our files need
// no new owner; where the system allows none (in many containers), as another user.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import type { Paths } from "./paths.ts";

export interface ProcessUser {
  /** The prefix of the command line. */
  prefix: string[];
  user?: { uid: number; gid: number };
}

const NAMESPACE: ProcessUser = { prefix: ["unshare", "-U", "--map-user=1000", "--map-group=1000"] };
const NOBODY: ProcessUser = { prefix: [], user: { uid: 65_534, gid: 65_534 } };
/** The files that PostgreSQL makes have one owner, so what worked at first must be done for ever. */
const REACH = 'cd -- "$1" && exec "$2" --version';

export function unprivileged(postgres: string, paths: Paths): ProcessUser {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const made = existsSync(paths.cluster);
  const ways = made ? [ownerOf(paths.cluster)] : [NAMESPACE, ownerOf(postgres), NOBODY];
  const processUser = ways.find((candidate) => reaches(candidate, postgres, paths.dataDir));
  if (processUser) return processUser;
  throw new CannotStart(
    `PostgreSQL does not run as root and no other user can reach ${paths.shown}: start Cadastre as an ordinary user, or set DATABASE_URL`,
  );
}

/** Runs a program to its end, in an environment that holds none of our secrets or settings. */
export function runUnprivileged(
  processUser: ProcessUser,
  program: string,
  args: string[],
): SpawnSyncReturns<string> {
  const [command = program, ...rest] = [...processUser.prefix, program, ...args];
  return spawnSync(command, rest, { encoding: "utf8", env: environment(), ...processUser.user });
}

export function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
}

function ownerOf(path: string): ProcessUser {
  const { uid, gid } = lstatSync(path);
  return uid === 0 ? NAMESPACE : { prefix: [], user: { uid, gid } };
}

function reaches(processUser: ProcessUser, postgres: string, dataDir: string): boolean {
  return runUnprivileged(processUser, "sh", ["-c", REACH, "sh", dataDir, postgres]).status === 0;
}

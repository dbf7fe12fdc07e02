// PostgreSQL refuses to run as root. Root therefore runs it in a user namespace, where our files need
// no new owner; where the system allows none (in many containers), as another user.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import type { Places } from "./places.ts";

export interface Way {
  /** What stands before the program on the command line. */
  prefix: string[];
  user?: { uid: number; gid: number };
}

const NAMESPACE: Way = { prefix: ["unshare", "-U", "--map-user=1000", "--map-group=1000"] };
const NOBODY: Way = { prefix: [], user: { uid: 65_534, gid: 65_534 } };
/** The files that PostgreSQL makes have one owner, so what worked at first must be done for ever. */
const REACH = 'cd -- "$1" && exec "$2" --version';

export function unprivileged(postgres: string, place: Places): Way {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const made = existsSync(place.cluster);
  const ways = made ? [ownerOf(place.cluster)] : [NAMESPACE, ownerOf(postgres), NOBODY];
  const way = ways.find((candidate) => reaches(candidate, postgres, place.dataDir));
  if (way) return way;
  throw new CannotStart(
    `PostgreSQL does not run as root and no other user can reach ${place.shown}: start Cadastre as an ordinary user, or set DATABASE_URL`,
  );
}

/** Runs a program to its end, in an environment that holds none of our secrets or settings. */
export function runAs(way: Way, program: string, args: string[]): SpawnSyncReturns<string> {
  const [command = program, ...rest] = [...way.prefix, program, ...args];
  return spawnSync(command, rest, { encoding: "utf8", env: environment(), ...way.user });
}

export function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
}

function ownerOf(path: string): Way {
  const { uid, gid } = lstatSync(path);
  return uid === 0 ? NAMESPACE : { prefix: [], user: { uid, gid } };
}

function reaches(way: Way, postgres: string, dataDir: string): boolean {
  return runAs(way, "sh", ["-c", REACH, "sh", dataDir, postgres]).status === 0;
}

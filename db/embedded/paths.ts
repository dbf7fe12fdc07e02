import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { CannotStart, reason } from "./cannot_start.ts";

export interface Paths {
  dataDir: string;
  /** The data directory, for messages. */
  shown: string;
  cluster: string;
  /** The pipe that every user of the database holds open. */
  inUse: string;
  /** The lock file of the process that launches PostgreSQL. */
  launching: string;
  /** The output of PostgreSQL before it has opened its own log. */
  startLog: string;
}

/** macOS takes the shorter paths: 103 bytes and a zero; Linux 107. */
const LONGEST_SOCKET = 103;
const SOCKET = ".s.PGSQL.5432";

export function pathsOf(given: string): Paths {
  const path = resolve(given);
  // The real path, so that processes that use a symbolic link have the same socket.
  const dataDir = existsSync(path) ? realpathSync(path) : path;
  const cluster = join(dataDir, "postgres");
  return {
    dataDir,
    shown: shorter(path),
    cluster,
    inUse: join(dataDir, "in_use"),
    launching: join(dataDir, "launching"),
    startLog: join(cluster, "start.log"),
  };
}

export function prepare(given: string): void {
  if (process.platform === "win32") {
    throw new CannotStart("On Windows there is no embedded database: set DATABASE_URL");
  }
  try {
    // As root, others may enter: PostgreSQL has to run as another user.
    mkdirSync(given, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(given, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CannotStart(
      `The data directory ${shorter(resolve(given))} cannot be used: ${reason(error)}`,
    );
  }
}

/** The cluster itself, or when its path is too long for a socket, a short directory that is ours. */
function socketDirectory(paths: Paths): string {
  if (fits(paths.cluster)) return paths.cluster;
  const name = `cadastre-${createHash("sha256").update(paths.dataDir).digest("hex").slice(0, 16)}`;
  const path = [tmpdir(), "/tmp"].map((parent) => join(parent, name)).find(fits);
  if (!path) throw new CannotStart(`The path of ${paths.shown} is too long for a socket`);
  makePrivate(path, paths.cluster);
  return path;
}

/** The setting of the socket directory. */
export function socketSetting(paths: Paths): string {
  return `unix_socket_directories=${socketDirectory(paths)}`;
}

/** The lock file of PostgreSQL beside its socket. */
export function socketLock(paths: Paths): string {
  return join(socketDirectory(paths), `${SOCKET}.lock`);
}

/** In a world-writable directory another user may have created it first. */
function makePrivate(path: string, cluster: string): void {
  const { uid, gid } = lstatSync(cluster);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (!found.isDirectory() || ![uid, process.getuid?.()].includes(found.uid)) {
    throw new CannotStart(`${path} belongs to somebody else: remove it, or set TMPDIR`);
  }
  chmodSync(path, 0o700);
  if (found.uid !== uid) chownSync(path, uid, gid);
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, SOCKET)) <= LONGEST_SOCKET;
}

function shorter(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : `./${fromHere}`;
}

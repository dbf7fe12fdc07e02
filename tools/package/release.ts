// The version and date of the packages, from package.json, CHANGELOG.md and the commit.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version as numbered } from "../../package.json";
import { Failed, ROOT, runCommand } from "./commands.ts";

export interface Release {
  /** 1.2.0, or 1.2.0-git20261122.183000 before CHANGELOG.md has a section for 1.2.0. */
  version: string;
  /** A version that is not released sorts before the release: 1.2.0~git20261122.183000-1 */
  debian: string;
  /** Seconds since 1970. Equal for equal sources, so that equal sources make equal packages. */
  time: number;
}

const CHANGELOG = join(ROOT, "CHANGELOG.md");

export function release(revision = 1): Release {
  const time = sourceTime();
  const version = isReleased() ? numbered : `${numbered}-git${stamp(time)}`;
  return { version, debian: `${version.replace("-git", "~git")}-${revision}`, time };
}

export function date({ time }: Release): Date {
  return new Date(time * 1_000);
}

/** The environment in which dpkg-deb, mmdebstrap and tar write the time of the release. */
export function reproducibly({ time }: Release): Record<string, string> {
  return { SOURCE_DATE_EPOCH: String(time), LC_ALL: "C", TZ: "UTC" };
}

function isReleased(): boolean {
  const headings = readFileSync(CHANGELOG, "utf8").matchAll(/^## \[?([\w.-]+)/gm);
  return [...headings].some(([, name]) => name === numbered);
}

/** Of the last commit; a source archive has none. */
function sourceTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given) return Number(given);
  try {
    return Number(runCommand(["git", "log", "-1", "--format=%ct"], { cwd: ROOT }));
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return Math.floor(statSync(CHANGELOG).mtimeMs / 1_000);
  }
}

function stamp(time: number): string {
  const [day, clock] = new Date(time * 1_000).toISOString().slice(0, 19).split("T");
  return `${day?.replaceAll("-", "")}.${clock?.replaceAll(":", "")}`;
}

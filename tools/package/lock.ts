// What package-lock.json says of the installed npm packages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Failed, ROOT } from "./commands.ts";

export interface LockedPackage {
  version: string;
  license?: string;
  /** sha512-<base64> */
  integrity: string;
  dependencies?: Record<string, string>;
}

const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);

export function lockedPackage(name: string): LockedPackage {
  const found = packages[`node_modules/${name}`];
  if (!found) throw new Failed(`${name} is not in package-lock.json`);
  return found;
}

// What every package has beside the binary, by its name in the tar.gz.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, TEMPLATES } from "./commands.ts";
import { completion } from "./completion.ts";
import { readHelp } from "./help.ts";
import { licenses } from "./licenses.ts";
import { manual } from "./manual.ts";
import type { Platform } from "./platforms.ts";
import type { Release } from "./release.ts";
import { sbom } from "./sbom.ts";

export interface Documents {
  "cadastre.1": string;
  "cadastre.bash": string;
  "cadastre.env": string;
  "cadastre.service": string;
  "CHANGELOG.md": string;
  LICENSE: string;
  /** Of the packages in the binary. */
  "licenses.txt": string;
  "sbom.cdx.json": string;
}

export async function documents(platform: Platform, version: Release): Promise<Documents> {
  const help = await readHelp();
  return {
    "cadastre.1": manual(help, version),
    "cadastre.bash": completion(help),
    "cadastre.env": template("cadastre.env"),
    "cadastre.service": template("cadastre.service"),
    "CHANGELOG.md": readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"),
    LICENSE: readFileSync(join(ROOT, "LICENSE"), "utf8"),
    "licenses.txt": await licenses(),
    "sbom.cdx.json": await sbom(platform, version),
  };
}

/** A file of packaging/, with @names@ replaced. */
export function template(name: string, values: Record<string, string> = {}): string {
  const text = readFileSync(join(TEMPLATES, name), "utf8");
  return Object.entries(values).reduce(
    (all, [key, value]) => all.replaceAll(`@${key}@`, value),
    text,
  );
}

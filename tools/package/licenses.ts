// The licences of the npm packages in the binary, whose texts have to go with it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages } from "./binary.ts";
import { ROOT } from "./commands.ts";
import { lockedPackage } from "./lock.ts";

const TEXT = /^(licen[cs]e|copying|notice)/i;

export async function licenses(): Promise<string> {
  const parts = (await bundledPackages()).map((name) => {
    const { version, license = "" } = lockedPackage(name);
    return [`${name} ${version}: ${license}`, ...textsOf(name)].join("\n\n");
  });
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

function textsOf(name: string): string[] {
  const directory = join(ROOT, "node_modules", name);
  const files = readdirSync(directory).filter((file) => TEXT.test(file));
  return files.toSorted().map((file) => readFileSync(join(directory, file), "utf8").trim());
}

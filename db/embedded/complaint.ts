import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const TAIL = 4_096;

/** Why a program of PostgreSQL gave up, in its own words, from what it said. */
export function complaint(said: string): string | undefined {
  if (/no space left on device/i.test(said)) return "no space is left on the device";
  const complaints = said.matchAll(/^(?:.*(?:FATAL|PANIC)|initdb: error): +(.*)$/gm);
  return [...complaints].at(-1)?.[1];
}

/** The end of the log that was written to last. */
export function latestLog(cluster: string): string {
  const directory = join(cluster, "log");
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const logs = names.map((name) => join(directory, name));
  const latest = logs
    .toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs)
    .at(-1);
  return latest ? readFileSync(latest, "utf8").slice(-TAIL) : "";
}

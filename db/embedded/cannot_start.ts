import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** There will be no database; the message is the one sentence to show before ending with 1. */
export class CannotStart extends Error {}

const TAIL = 16_384;
/** What connections are told, which is no reason for PostgreSQL to end. */
const TO_CLIENTS =
  /^(the database system is|terminating|canceling|connection|(database|role) ".*" does not exist)/;

/** The words of a system error without its code and call: "permission denied". */
export function reason(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  return message.replace(/^E[A-Z0-9]+: /, "").replace(/, [a-z]+ '.*$/s, "");
}

/** Why a program of PostgreSQL gave up, in its own words, from what it said. */
export function complaint(said: string): string | undefined {
  if (/no space left on device/i.test(said)) return "no space is left on the device";
  const complaints = said.matchAll(/^(?:.*(?:FATAL|PANIC)|initdb: error): +(.*)$/gm);
  return [...complaints]
    .map(([, words = ""]) => words)
    .findLast((words) => !TO_CLIENTS.test(words));
}

/** What PostgreSQL has logged since then, in the file that was written to last. */
export function loggedSince(cluster: string, since: Date): string {
  const directory = join(cluster, "log");
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const logs = names.map((name) => join(directory, name));
  const latest = logs
    .toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs)
    .at(-1);
  if (!latest) return "";
  // Each line begins with its time in UTC.
  const begin = since.toISOString().replace("T", " ").replace("Z", "");
  const lines = readFileSync(latest, "utf8").slice(-TAIL).split("\n");
  return lines.filter((line) => line >= begin).join("\n");
}

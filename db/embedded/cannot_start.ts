import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageIn } from "../errors.ts";

/** The database cannot be started; the message is shown before the program exits with 1. */
export class CannotStart extends Error {}

const TAIL = 16_384;
/** Messages to clients, which do not say why PostgreSQL ended. */
const CLIENT_MESSAGES =
  /^(the database system is|terminating|canceling|connection|(database|role) ".*" does not exist)/;

/** The message of a system error without its code and call: "permission denied". */
export function reason(error: unknown): string {
  const message = messageIn(error);
  return message.replace(/^E[A-Z0-9]+: (.*?)(?:, [a-z]+(?: '.*)?)?$/s, "$1");
}

/** The error message in the output of a PostgreSQL program. */
export function errorMessageIn(output: string): string | undefined {
  if (/no space left on device/i.test(output)) return "no space is left on the device";
  const messages = output.matchAll(/^(?:.*(?:FATAL|PANIC)|initdb: error): +(.*)$/gm);
  return [...messages]
    .map(([, words = ""]) => words)
    .findLast((words) => !CLIENT_MESSAGES.test(words));
}

/** The lines that PostgreSQL has logged since a time, from the newest log file. */
export function logSince(cluster: string, since: Date): string {
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

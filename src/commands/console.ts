// Output of commands: results go to standard output, for programs; messages to standard error, for people.
import * as config from "../config.ts";
import { type OpenOptions, openDatabase } from "../start.ts";

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Columns of text, each as wide as its longest cell. */
export function table(header: string[], rows: string[][]): string {
  const widths = header.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  return [header, ...rows]
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

/** The first line of standard input. Passwords are not arguments, because all users of a machine can see those. */
export async function readLine(): Promise<string> {
  const text = await Bun.stdin.text();
  return text.split(/\r?\n/)[0] ?? "";
}

/** Does the work with the database open, and closes it afterwards in any case. */
export async function withDatabase<T>(
  work: () => Promise<T>,
  say = silent,
  options: OpenOptions = {},
): Promise<T> {
  const database = await openDatabase(config.readConfig(), say, options);
  try {
    return await work();
  } finally {
    await database.stop();
  }
}

/** For quick commands whose output is read by programs. */
export function silent(_line: string): void {}

/** The settings that every command reads; the others are in docs/operating.md. */
export const DATABASE_SETTINGS = `  DATABASE_URL     a PostgreSQL 15 or newer; without it, one runs in DATA_DIR
  DATA_DIR         the directory of the embedded database (./data)`;

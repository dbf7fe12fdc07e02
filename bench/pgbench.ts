// Sends the same statements by pgbench, which shows what the database alone can do.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { PLANNER_SETTINGS } from "../db/session_settings.ts";
import { type RecordedStatement, textOf } from "./recorded.ts";
import { UserError } from "./report.ts";

/** Debian installs a wrapper of this name even without the program; the wrapper then fails. */
export const hasPgbench =
  Bun.which("pgbench") !== null && Bun.spawnSync(["pgbench", "--version"]).success;

const OPTIONS = Object.entries(PLANNER_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

export interface PgbenchOptions {
  url: string;
  statements: RecordedStatement[];
  clients: number;
  /** Requests of each client. */
  times: number;
  directory: string;
}

/** How many times a second all of the statements were answered. */
export async function pgbench({ url, statements, clients, times, directory }: PgbenchOptions) {
  const file = join(directory, "statements.sql");
  await Bun.write(file, `${statements.map(scriptOf).join(";\n")};\n`);
  const given = statements.flatMap(({ params }, at) =>
    params.flatMap((value, index) =>
      isNull(value) ? [] : ["-D", `${nameOf(at, index + 1)}=${textOf(value)}`],
    ),
  );
  const running = Bun.spawn(
    [
      "pgbench",
      "-n",
      "-M",
      "prepared",
      "-j1",
      `-c${clients}`,
      `-t${times}`,
      "-f",
      file,
      ...given,
      url,
    ],
    { stdout: "pipe", stderr: "pipe", env: { ...process.env, PGOPTIONS: OPTIONS } },
  );
  const [output, errors] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  await rm(file);
  const requests = Number(/actually processed: (\d+)/.exec(output)?.[1]);
  if ((await running.exited) !== 0 || !requests)
    throw new UserError(`pgbench could not ask: ${firstOf(errors)}`);
  return { requests, rate: Number(/^tps = ([\d.]+)/m.exec(output)?.[1]) };
}

/** Of several clients with the same error. */
function firstOf(errors: string): string {
  const [first] = /ERROR:.*/.exec(errors) ?? [];
  return first ?? errors.trim();
}

/**
 * With a space on both sides, because two colons are a cast; and without line breaks, for pgbench, whose variables are
 * never NULL.
 */
function scriptOf({ sql, params }: RecordedStatement, at: number): string {
  return sql
    .replace(/\s*\n\s*/g, " ")
    .replace(/\$(\d+)/g, (_, place) =>
      isNull(params[place - 1]) ? " null " : ` :${nameOf(at, place)} `,
    );
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

function nameOf(at: number, place: number | string): string {
  return `s${at}_${place}`;
}

// Logs one JSON line per event, or a short line on a terminal. Values are escaped as JSON, so a line break in
// a name does not start a new line.
import { onFailure } from "../../db/background.ts";
import { isUnavailable } from "../../db/errors.ts";
import type { LogLevel } from "../config.ts";

const RANK: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40, silent: 50 };

let lowest: LogLevel = "info";
let format: "pretty" | "json" = "json";
/** In every line: the number of the worker, if there are several. */
let workerFields: { worker?: number } = {};

interface LogSettings {
  logLevel: LogLevel;
  logFormat: "pretty" | "json";
  worker?: number | undefined;
}

export function configure({ logLevel, logFormat, worker }: LogSettings): void {
  lowest = logLevel;
  format = logFormat;
  workerFields = worker ? { worker } : {};
}

export function info(event: string, facts: object = {}): void {
  print("info", event, facts);
}

export function warn(event: string, facts: object = {}): void {
  print("warn", event, facts);
}

export function error(event: string, cause: unknown, facts: object = {}): void {
  const details =
    cause instanceof Error
      ? { error: cause.message, stack: cause.stack }
      : { error: String(cause) };
  print("error", event, { ...facts, ...details });
}

onFailure((what, cause, facts) => {
  if (isUnavailable(cause)) warn(what, { ...facts, error: String(cause) });
  else error(what, cause, facts);
});

/** The progress of a command, for people. */
export function progress(line: string): void {
  if (format === "json") info(line);
  else if (RANK.info >= RANK[lowest]) put(line);
  write();
}

function print(level: LogLevel, event: string, facts: object): void {
  if (RANK[level] < RANK[lowest]) return;
  const time = new Date().toISOString();
  const line =
    format === "json"
      ? JSON.stringify({ time, level, event, ...workerFields, ...facts })
      : `${time.slice(11, 19)} ${level.padEnd(5)} ${event} ${pairs({ ...workerFields, ...facts })}`;
  put(line);
  if (RANK[level] > RANK.info) write();
}

let lines: string[] = [];
/** Milliseconds. */
const WRITE_INTERVAL = 50;

/** A write is expensive: with one for each request, up to a tenth of the service's time. Warnings and errors do not wait. */
function put(line: string): void {
  if (lines.push(`${line}\n`) === 1) setTimeout(write, WRITE_INTERVAL).unref();
}

function write(): void {
  if (lines.length > 0) process.stdout.write(lines.join(""));
  lines = [];
}

process.on("exit", write);

function pairs(facts: object): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

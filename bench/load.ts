// Load by wrk, the generator in Debian that uses the least CPU time itself.
import { join } from "node:path";
import { UserError } from "./report.ts";

export interface Load {
  url: string;
  clients: number;
  seconds: number;
  headers?: Record<string, string>;
  method?: string;
  /** Where each request writes something: `%d` here and in the path, and `%s`, become numbers from that on. */
  body?: string;
  from?: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  /** Responses with an error status. */
  refused: number;
  /** Requests without a response. */
  broken: number;
}

const SCRIPT = join(import.meta.dir, "load.lua");
const TIMEOUT = "20s";
const NOTHING = { requests: 0, p50: 0, p99: 0, refused: 0, broken: 0 };

export function requireWrk(): void {
  if (!Bun.which("wrk"))
    throw new UserError("wrk is missing: install it (apt-get install wrk) and run again");
}

export async function load({
  url,
  clients,
  seconds,
  headers = {},
  method = "GET",
  body,
  from = 0,
}: Load): Promise<LoadResult> {
  const made = body === undefined ? [] : [String(from), body];
  const running = Bun.spawn(
    [
      "wrk",
      "-t1",
      `-c${clients}`,
      `-d${Math.ceil(seconds) + 1}s`,
      ...["--timeout", TIMEOUT, "-s", SCRIPT],
      ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
      url,
      ...["--", method, ...made],
    ],
    { stdout: "pipe", stderr: "pipe" },
  );
  // wrk takes whole seconds only, but an interrupt makes it report what it has measured so far.
  const ending = setTimeout(() => running.kill("SIGINT"), seconds * 1_000);
  const [stdout, errors] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  clearTimeout(ending);
  await running.exited;
  // A busy machine may not have let it begin.
  if (running.signalCode === "SIGINT") return { ...NOTHING, seconds };
  const line = stdout.split("\n").find((one) => one.startsWith("{"));
  if (!line) throw new UserError(`wrk could not load ${url}: ${errors.trim() || stdout.trim()}`);
  const output = JSON.parse(line);
  return {
    ...output,
    seconds: output.microseconds / 1e6,
    p50: output.p50 / 1_000,
    p99: output.p99 / 1_000,
  };
}

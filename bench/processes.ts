// The CPU time and memory of processes, from /proc.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Indexes of fields in /proc/<pid>/stat, counted from the one after the name. */
const PARENT = 1;
const OWN = [11, 12];
const REAPED = [13, 14];
/** Linux reports CPU time in hundredths of a second. */
const TICK = 0.01;

/** The CPU time of a process and its children, ended ones included, in seconds. */
export function cpuOf(pid: number): number {
  return [pid, ...below(pid)].reduce((sum, one) => sum + secondsOf(one), 0);
}

/** The CPU time of the threads of Bun that compile, in seconds. */
export function compilerTimeOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  return threads
    .filter((thread) => read(`${thread}/comm`)?.startsWith("JITWorker"))
    .reduce((sum, thread) => sum + timeIn(statIn(thread), OWN), 0);
}

export function parentOf(pid: number): number | undefined {
  return stat(pid)?.[PARENT];
}

/** Megabytes of memory in use. */
export function memoryOf(pid: number): number {
  return status(pid, "VmRSS");
}

/** The most megabytes since `forgetPeak`. */
export function peakOf(pid: number): number {
  return status(pid, "VmHWM");
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Megabytes of a process and its children, of which shared pages count once: each process has its share of them. */
export function treeMemoryOf(pid: number): number {
  const kilobytes = [pid, ...below(pid)].map((one) => {
    const [, pss = "0"] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`) ?? "") ?? [];
    return Number(pss);
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

function below(pid: number): number[] {
  const parents = new Map(
    readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .map((name) => [Number(name), parentOf(Number(name))]),
  );
  const children = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([one]) => [one, ...children(one)]);
  return children(pid);
}

function secondsOf(pid: number): number {
  return timeIn(stat(pid), [...OWN, ...REAPED]);
}

function timeIn(fields: number[] = [], which: number[]): number {
  return which.reduce((sum, at) => sum + (fields[at] ?? 0), 0) * TICK;
}

function stat(pid: number): number[] | undefined {
  return statIn(`/proc/${pid}`);
}

/** Nothing, where the process or thread has ended. */
function statIn(directory: string): number[] | undefined {
  const line = read(`${directory}/stat`);
  // The name, in parentheses, may hold anything.
  return line
    ?.slice(line.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

function status(pid: number, field: string): number {
  const [, kilobytes = "0"] =
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(read(`/proc/${pid}/status`) ?? "") ?? [];
  return Number(kilobytes) / 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

import { spawnSync } from "node:child_process";

/** The processes that name this on their command line, but for their children that go by another name. */
export function processesOf(name: string): Array<{ pid: number; args: string }> {
  const { stdout } = spawnSync("ps", ["-ww", "-eo", "pid=,args="], { encoding: "utf8" });
  // The keepers' command line has several lines, of which the first has the number, and the last the name.
  const entries = stdout.split(/\n(?=\s*\d+\s)/).filter((entry) => entry.includes(name));
  return entries.map((entry) => {
    const [, pid = "", args = ""] = /^\s*(\d+)\s+(.*)$/s.exec(entry) ?? [];
    return { pid: Number(pid), args };
  });
}

/** It may have ended by itself meanwhile. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}

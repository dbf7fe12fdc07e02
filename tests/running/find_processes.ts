import { spawnSync } from "node:child_process";

/** The processes with this text on their command line, except for children of another name. */
export function processesOf(name: string): Array<{ pid: number; args: string }> {
  const { stdout } = spawnSync("ps", ["-ww", "-eo", "pid=,args="], { encoding: "utf8" });
  // The command line of a keeper has several lines: the first has the pid, the last the name.
  const entries = stdout.split(/\n(?=\s*\d+\s)/).filter((entry) => entry.includes(name));
  return entries.map((entry) => {
    const [, pid = "", args = ""] = /^\s*(\d+)\s+(.*)$/s.exec(entry) ?? [];
    return { pid: Number(pid), args };
  });
}

/** The process may have ended already. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}

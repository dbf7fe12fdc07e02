// A clean Debian that runs with its own systemd: a directory made by mmdebstrap, in namespaces that hide the network and
// the processes of this machine.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failed, runCommand } from "./commands.ts";
import { SUITE } from "./image.ts";

export interface Machine {
  /** Runs a command of its shell, and returns what the command prints. */
  run(command: string): string;
  stop(): Promise<void>;
}

const BOOT = join(import.meta.dir, "boot.sh");
const PATIENCE = 120_000;
const STEP = 250;
/** Of its shell; `nsenter` alone would pass the environment of this process on. */
const ENVIRONMENT = [
  ...["env", "-i", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"],
  "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
];

/** Makes the directory, with the packages that `deb` depends on: the machine cannot download any. */
export function makeRoot(deb: string, root: string): void {
  const depends = runCommand(["dpkg-deb", "--field", deb, "Depends"]).trim().split(", ");
  // Of alternatives the first; the versions are those of Debian.
  const names = depends.map((one) => one.replace(/ .*/, ""));
  const include = ["systemd", "procps", ...names].join(",");
  runCommand(["mmdebstrap", "--quiet", "--variant=minbase", `--include=${include}`, SUITE, root]);
}

export async function boot(root: string): Promise<Machine> {
  const cgroup = makeCgroup();
  const namespaces = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup"];
  // It enters its group before the group is the root of its namespace.
  const enter = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"';
  const command = ["unshare", ...namespaces, "--kill-child", "sh", BOOT, root];
  const child = spawn("sh", ["-c", enter, "sh", cgroup, ...command], { stdio: "ignore" });
  const stop = async () => {
    await ended(child);
    await removeCgroup(cgroup);
  };
  try {
    const first = await until("systemd", () => firstProcess(child.pid));
    const enterAll = ["nsenter", `--target=${first}`, "--all", ...ENVIRONMENT];
    const run = (line: string) => runCommand([...enterAll, "sh", "-c", `cd\n${line}`]);
    await until("systemd to have started", () =>
      /running|degraded/.test(run("systemctl is-system-running || true")),
    );
    return { run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The result of `look`, as soon as it is truthy. Errors count as not yet. */
export async function until<T>(what: string, look: () => T): Promise<NonNullable<T>> {
  const limit = Date.now() + PATIENCE;
  let last = "";
  while (Date.now() < limit) {
    try {
      const found = look();
      if (found) return found;
    } catch (error) {
      last = String(error);
    }
    await Bun.sleep(STEP);
  }
  throw new Failed(`Waited in vain for ${what}. ${last}`);
}

/** systemd, as this machine numbers it: the only child of unshare. */
function firstProcess(parent = 0): number {
  const [child = ""] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
  const name = child && readFileSync(`/proc/${child}/comm`, "utf8").trim();
  return name === "systemd" ? Number(child) : 0;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await end;
}

function makeCgroup(): string {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const mount = mounts.find((line) => line.split(" ")[2] === "cgroup2")?.split(" ")[1];
  if (!mount) throw new Failed("The check needs control groups of version 2");
  const path = join(mount, `cadastre-check-${process.pid}`);
  mkdirSync(path);
  return path;
}

/** systemd has made groups inside of it, which are empty as soon as their processes are gone. */
async function removeCgroup(path: string): Promise<void> {
  writeFileSync(join(path, "cgroup.kill"), "1");
  await until("the processes of the check to end", () => {
    removeTree(path);
    return true;
  });
}

function removeTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(path, entry.name));
  }
  rmdirSync(path);
}

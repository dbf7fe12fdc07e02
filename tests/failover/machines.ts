// Three machines as network namespaces on a bridge, each with an address of its own. Cutting off a machine takes its link
// down: nobody is told, packets just stop.
import { spawnSync } from "node:child_process";
import { Failed } from "./failed.ts";

/** The network of the machines instead of that in docs/cluster, which may be in use here. */
export const NETWORK = "10.213.47";
const BRIDGE = "cadastre0";

export interface Machine {
  name: string;
  address: string;
}

export const machines: readonly Machine[] = [1, 2, 3].map((number) => ({
  name: `node${number}`,
  address: `${NETWORK}.${number}`,
}));

export function createMachines(): void {
  removeMachines();
  ip("link", "add", BRIDGE, "type", "bridge");
  ip("addr", "add", `${NETWORK}.254/24`, "dev", BRIDGE);
  ip("link", "set", BRIDGE, "up");
  for (const { name, address } of machines) {
    const outside = linkOf(name);
    ip("netns", "add", namespaceOf(name));
    ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", namespaceOf(name));
    ip("link", "set", outside, "master", BRIDGE, "up");
    ip("-n", namespaceOf(name), "addr", "add", `${address}/24`, "dev", "eth0");
    for (const link of ["lo", "eth0"]) ip("-n", namespaceOf(name), "link", "set", link, "up");
  }
}

/** With all that runs on them. */
export function removeMachines(): void {
  for (const { name } of machines) {
    const { stdout } = spawnSync("ip", ["netns", "pids", namespaceOf(name)], { encoding: "utf8" });
    // PostgreSQL leaves the process group of Patroni.
    for (const pid of stdout.split(/\s+/).filter(Boolean)) spawnSync("kill", ["-9", pid]);
    spawnSync("ip", ["netns", "del", namespaceOf(name)]);
    spawnSync("ip", ["link", "del", linkOf(name)]);
  }
  spawnSync("ip", ["link", "del", BRIDGE]);
}

export function cutOff({ name }: Machine): void {
  ip("link", "set", linkOf(name), "down");
}

export function reconnect({ name }: Machine): void {
  ip("link", "set", linkOf(name), "up");
}

/** The command that runs another one on the machine, as the user postgres. */
export function onMachine({ name }: Machine, command: string[]): string[] {
  const user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"];
  return ["ip", "netns", "exec", namespaceOf(name), ...user, ...command];
}

/** All processes on the machine. */
export function processesOn({ name }: Machine): number[] {
  return ip("netns", "pids", namespaceOf(name)).split(/\s+/).filter(Boolean).map(Number);
}

function namespaceOf(name: string): string {
  return `cadastre-${name}`;
}

function linkOf(name: string): string {
  return `cad-${name}`;
}

function ip(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Failed(`ip ${args.join(" ")}: ${stderr.trim()}`);
  return stdout;
}

// Runs the client as people and scripts do: as a process, with and without a terminal.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "../running/bundle.ts";
import { until } from "../running/processes.ts";
import {
  aDomain,
  aHost,
  aLocation,
  aNetwork,
  anItem,
  aScope,
  type Person,
  service,
  tokenOf,
} from "../support/mod.ts";
import { folder } from "../support/programs.ts";

const MAIN = await programFile();
type Environment = Record<string, string>;

/** A place of its own for each test: where the login and the cache are, and `cadastre` on the path. */
export function aHome(): Environment {
  const home = folder();
  writeFileSync(join(home, "cadastre"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(home, "cadastre"), 0o755);
  return {
    HOME: home,
    PATH: `${home}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
    LANG: "C.UTF-8",
    TERM: "xterm",
  };
}

/** The environment of somebody at the service under test. */
export async function as(person: Person, origin?: string): Promise<Environment> {
  const CADASTRE_URL = origin ?? (await service()).origin;
  return { ...aHome(), CADASTRE_URL, CADASTRE_TOKEN: await tokenOf(person) };
}

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export function shell(env: Environment, script: string, input = ""): Promise<Ran> {
  return ran(env, ["bash", "-c", script], input);
}

export function run(env: Environment, ...args: string[]): Promise<Ran> {
  return ran(env, [process.execPath, MAIN, ...args]);
}

async function ran(env: Environment, command: string[], input = ""): Promise<Ran> {
  const child = Bun.spawn(command, {
    env,
    cwd: env.HOME,
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

export interface Terminal {
  shown(): string;
  type(text: string): void;
  /** Waits until this is shown. */
  shows(text: string): Promise<unknown>;
  ended: Promise<number>;
}

/** A process with a terminal of 80 columns. */
export function onTerminal(env: Environment, ...command: string[]): Terminal {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn(command, {
    env,
    cwd: env.HOME,
    terminal: {
      cols: 80,
      rows: 24,
      data: (_terminal, bytes) => {
        shown += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return {
    shown: () => shown,
    type: (text) => child.terminal?.write(text),
    shows: (text) => until(`'${text}' on the terminal`, () => shown.includes(text)),
    ended: child.exited,
  };
}

/** The scope Lab with the network CSLab and the host web-01, and an item in Hall A. */
export async function aSite() {
  const { id: domain_id } = await aDomain({ name: "lab.example.org" });
  await aScope({ name: "Lab", domain_id, supernet: "10.1.0.0/16" });
  await aNetwork({ vlan_name: "CSLab", scope: "Lab", address: "10.1.1.0/24", gateway: "10.1.1.1" });
  await aLocation({ name: "Hall A" });
  await anItem({ ics_id: "AAA001", location: "Hall A" });
  return aHost({ name: "web-01", device_type: "Virtual", network: "CSLab" });
}

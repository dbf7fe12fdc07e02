// Ansible with the collection, which is built and installed once for a run.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { alice, carol, type Person, service, tokenOf } from "../support/mod.ts";
import { folder, run } from "../support/programs.ts";

export const ROOT = join(import.meta.dir, "../..");
export const SOURCE = join(ROOT, "clients/ansible");

export type Environment = Record<string, string>;

let installing: Promise<Environment> | undefined;

/** The settings with which Ansible finds the collection, and nothing of whoever runs the tests. */
export function installed(): Promise<Environment> {
  installing ??= install();
  return installing;
}

async function install(): Promise<Environment> {
  const home = folder();
  const env = {
    HOME: home,
    ANSIBLE_COLLECTIONS_PATH: home,
    ANSIBLE_CONFIG: join(home, "ansible.cfg"),
    ANSIBLE_NOCOLOR: "1",
    ANSIBLE_LOCALHOST_WARNING: "false",
    ANSIBLE_INVENTORY_UNPARSED_WARNING: "false",
  };
  writeFileSync(env.ANSIBLE_CONFIG, "");
  const galaxy = ["ansible-galaxy", "collection"];
  for (const command of [
    ["build", SOURCE, "--output-path", home],
    ["install", join(home, "cadastre-register-1.0.0.tar.gz"), "-p", home],
  ]) {
    const { code, said } = await run([...galaxy, ...command], env);
    expect(said).toContain(command[0] === "build" ? "Created collection" : "was installed");
    expect(code).toBe(0);
  }
  return env;
}

export async function settings(person: Person = alice): Promise<Environment> {
  const { origin } = await service();
  return { ...(await installed()), CADASTRE_URL: origin, CADASTRE_TOKEN: await tokenOf(person) };
}

interface PlayOptions {
  person?: Person;
  env?: Environment;
  args?: string[];
}

interface Play {
  code: number;
  out: string;
  said: string;
  /** Of the recap. */
  ok: number;
  changed: number;
  failed: number;
  /** The sentences of failed tasks. */
  errors: string[];
}

/** Runs a whole playbook, or the tasks of one. */
export async function play(
  text: string,
  { person, env, args = [] }: PlayOptions = {},
): Promise<Play> {
  const isWhole = /^- .*hosts:|^ {2}hosts:/m.test(text);
  const path = join(folder(), "play.yml");
  const head = "- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n";
  writeFileSync(path, isWhole ? text : head + text.replace(/^/gm, "    "));
  const all = { ...(await settings(person)), ...env };
  const { code, out, said } = await run(["ansible-playbook", path, ...args], all);
  const recap = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(out)?.[1] ?? Number.NaN);
  return {
    ...{ code, out, said },
    ...{ ok: recap("ok"), changed: recap("changed"), failed: recap("failed") },
    errors: [...out.matchAll(/FAILED! => (\{.*\}|\{\n[\s\S]*?\n\})/g)].map(
      ([, result]) => JSON.parse(result!).msg,
    ),
  };
}

/** Reads an inventory from this file, whose name ends as it has to. */
export async function inventory(text: string, env: Environment = {}) {
  const path = join(folder(), "lab.cadastre.yml");
  writeFileSync(path, text);
  return readInventory(path, env);
}

export async function readInventory(path: string, env: Environment = {}) {
  const command = ["ansible-inventory", "-i", path, "--list"];
  const { code, out, err } = await run(command, { ...(await settings(carol)), ...env });
  const { _meta, ...groups } = out.startsWith("{") ? JSON.parse(out) : { _meta: {} };
  return { code, err, out, groups, hosts: _meta.hostvars ?? {} };
}

/** Between Ansible and the service. */
export async function aProxy() {
  const { origin } = await service();
  const seen: string[] = [];
  const answers: Array<() => Response> = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      const { method, headers } = request;
      const response =
        answer?.() ??
        (await fetch(origin + pathname + search, {
          method,
          headers,
          body: await request.bytes(),
          decompress: false,
          redirect: "manual",
        }));
      seen.push(`${method} ${pathname} ${response.status}`);
      return response;
    },
  });
  return { url: server.url.origin, seen, answers, stop: () => server.stop(true) };
}

export function problem(
  status: number,
  detail: string,
  headers: Record<string, string> = {},
): () => Response {
  return () => Response.json({ status, detail, code: "x" }, { status, headers });
}

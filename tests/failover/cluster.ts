// etcd, Patroni and PostgreSQL on three machines, with the files of docs/cluster.
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { launch, type Started } from "../running/processes.ts";
import { Failed, waitFor } from "./failed.ts";
import { type Machine, machines, NETWORK, onMachine, processesOn } from "./machines.ts";

const FILES = join(import.meta.dir, "..", "..", "docs", "cluster");
const PASSWORD = "service-password";
const PATIENCE = 1_000;

export interface Node extends Machine {
  directory: string;
  etcd: Started;
  patroni: Started;
}

export interface Cluster {
  nodes: readonly Node[];
  /** The DATABASE_URL of the service. */
  url: string;
}

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

export function configuration(name: string, replaced: Record<string, string>): string {
  const text = readFileSync(join(FILES, name), "utf8");
  return Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

export async function startCluster(
  directory: string,
  { user, programs }: { user: { uid: number; gid: number }; programs: string },
): Promise<Cluster> {
  const nodes = machines.map((machine) => {
    const place = join(directory, machine.name);
    for (const folder of [place, join(place, "run")]) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, user.uid, user.gid);
    }
    const replaced = {
      NODE: machine.name,
      ADDRESS: machine.address,
      "10.0.0": NETWORK,
      "/usr/lib/postgresql/15/bin": programs,
      "/var/lib/postgresql/15/cadastre": join(place, "data"),
      "/var/lib/postgresql/": `${place}/`,
      "/var/lib/etcd/cadastre": join(place, "etcd"),
      "/var/run/postgresql": join(place, "run"),
    };
    for (const name of ["etcd.yml", "patroni.yml"]) {
      writeFileSync(join(place, name), configuration(name, replaced));
    }
    return { ...machine, directory: place };
  });
  const withEtcd = nodes.map((node) => ({ ...node, etcd: launchEtcd(node) }));
  const all = withEtcd.map((node) => ({ ...node, patroni: launchPatroni(node) }));
  const cluster = { nodes: all, url: "" };
  await waitFor("the first primary", () => primaryOf(cluster), 180);
  await waitFor("two replicas", () => isHealthy(cluster), 180);
  return { ...cluster, url: await createDatabase(cluster) };
}

type Place = Machine & { directory: string };

function launchEtcd(node: Place): Started {
  return launch(onMachine(node, ["etcd", "--config-file", join(node.directory, "etcd.yml")]));
}

function launchPatroni(node: Place): Started {
  return launch(onMachine(node, ["patroni", join(node.directory, "patroni.yml")]));
}

export function restartEtcd(node: Node): void {
  node.etcd = launchEtcd(node);
}

export function restartPatroni(node: Node): void {
  node.patroni = launchPatroni(node);
}

/** PostgreSQL and Patroni, not etcd. */
export function databaseProcesses(node: Node): number[] {
  return processesOn(node).filter((pid) => pid !== node.etcd.pid);
}

/** As docs/scale.md says. */
async function createDatabase(cluster: Cluster): Promise<string> {
  const primary = await waitFor("the primary", () => primaryOf(cluster));
  const sql = new SQL({
    url: `postgres://postgres:superuser-password@${primary.address}:5432/postgres`,
    adapter: "postgres",
    max: 1,
  });
  await sql.unsafe(`create role cadastre login password '${PASSWORD}'`);
  await sql.unsafe("create database cadastre owner cadastre");
  await sql.close();
  const hosts = machines.map(({ address }) => `${address}:5432`).join(",");
  return `postgres://cadastre:${PASSWORD}@${hosts}/cadastre?target_session_attrs=read-write`;
}

/** The node that calls itself the primary now. */
export async function primaryOf({ nodes }: Cluster): Promise<Node | undefined> {
  const asked = await Promise.all(nodes.map((node) => ask(node, "/primary")));
  return nodes.find((_, at) => asked[at]?.ok);
}

export async function membersOf({ nodes }: Cluster): Promise<Member[]> {
  const asked = await Promise.all(nodes.map((node) => ask(node, "/cluster")));
  const answer = asked.find((one) => one?.ok);
  return answer ? JSON.parse(answer.text).members : [];
}

/** All members follow one primary, one of them synchronously. */
export async function isHealthy(cluster: Cluster): Promise<true | undefined> {
  const members = await membersOf(cluster);
  const roles = members.map(({ role }) => role).sort();
  const timelines = new Set(members.map(({ timeline }) => timeline));
  const isRunning = members.every(({ state }) => state === "running" || state === "streaming");
  const isNear = members.every(({ lag = 0 }) => typeof lag === "number" && lag < 1_000_000);
  const isWhole = roles.join() === "leader,replica,sync_standby" && timelines.size === 1;
  return isWhole && isRunning && isNear && (await hasWholeEtcd(cluster)) ? true : undefined;
}

async function hasWholeEtcd({ nodes }: Cluster): Promise<boolean> {
  const asked = await Promise.all(
    nodes.map(({ address }) => request(`http://${address}:2379/health`)),
  );
  return asked.every((answer) => answer?.ok);
}

/** Asks Patroni for a planned change of the primary. */
export async function switchOver(cluster: Cluster, from: Node): Promise<void> {
  const members = await membersOf(cluster);
  const candidate = members.find(({ role }) => role === "sync_standby")?.name;
  const body = JSON.stringify({ leader: from.name, candidate });
  const answer = await fetch(`http://${from.address}:8008/switchover`, { method: "POST", body });
  if (!answer.ok) throw new Failed(`The switchover was refused: ${await answer.text()}`);
}

interface Answer {
  ok: boolean;
  text: string;
}

function ask({ address }: Machine, path: string): Promise<Answer | undefined> {
  return request(`http://${address}:8008${path}`);
}

/** Undefined without an answer in time. */
async function request(url: string): Promise<Answer | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

// The failures, each with how it is repaired.
import {
  type Cluster,
  databaseProcesses,
  type Node,
  restartEtcd,
  restartPatroni,
  switchOver,
} from "./cluster.ts";
import { cutOff, reconnect } from "./machines.ts";
import { restartInstance, type Service } from "./service.ts";

export interface Situation {
  cluster: Cluster;
  service: Service;
  primary: Node;
}

export interface Failure {
  name: string;
  /** The primary has to be replaced. */
  movesPrimary: boolean;
  /** Milliseconds until it is repaired; a frozen or lost machine stays so until it was replaced. */
  lasts: number;
  /** Returns how it is repaired. */
  cause(situation: Situation): Promise<() => Promise<void>>;
}

export const failures: readonly Failure[] = [
  {
    name: "kill -9 of PostgreSQL and Patroni of the primary",
    movesPrimary: true,
    lasts: 2_000,
    cause: async ({ primary }) => {
      send("SIGKILL", databaseProcesses(primary));
      return async () => restartPatroni(primary);
    },
  },
  {
    name: "kill -9 of an instance of Cadastre",
    movesPrimary: false,
    lasts: 1_000,
    cause: async ({ service }) => {
      const instance = any(service.instances);
      send("SIGKILL", [instance.process.pid]);
      return () => restartInstance(instance);
    },
  },
  {
    name: "kill -9 of an etcd",
    movesPrimary: false,
    lasts: 3_000,
    cause: async ({ cluster }) => {
      const node = any(cluster.nodes);
      send("SIGKILL", [node.etcd.pid]);
      return async () => restartEtcd(node);
    },
  },
  {
    name: "switchover",
    movesPrimary: true,
    lasts: 0,
    cause: async ({ cluster, primary }) => {
      await switchOver(cluster, primary);
      return async () => {};
    },
  },
  {
    name: "primary frozen (SIGSTOP of PostgreSQL and Patroni)",
    movesPrimary: true,
    lasts: 3_000,
    cause: async ({ primary }) => {
      send("SIGSTOP", databaseProcesses(primary));
      // Those that were started meanwhile, too.
      const frozen = databaseProcesses(primary);
      send("SIGSTOP", frozen);
      return async () => send("SIGCONT", frozen);
    },
  },
  {
    name: "primary cut off (its network link down, etcd included)",
    movesPrimary: true,
    lasts: 3_000,
    cause: async ({ primary }) => {
      cutOff(primary);
      return async () => reconnect(primary);
    },
  },
];

/** Each kind equally often, in random order within a round. */
export function sequence(count: number, kinds = failures): Failure[] {
  const all: Failure[] = [];
  while (all.length < count) all.push(...shuffled(kinds));
  return all.slice(0, count);
}

function shuffled<T>(list: readonly T[]): T[] {
  const keyed = list.map((one) => ({ one, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ one }) => one);
}

function any<T>(list: readonly T[]): T {
  const [one] = shuffled(list);
  if (one === undefined) throw new Error("There is nothing to choose from");
  return one;
}

/** A process may have ended since it was listed. */
function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

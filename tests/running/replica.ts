// A PostgreSQL and its streaming replica, which starts as a copy of its files: the package has no pg_basebackup.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import * as embedded from "../../db/embedded/mod.ts";
import { pathsOf } from "../../db/embedded/paths.ts";
import { unprivileged } from "../../db/embedded/unprivileged.ts";
import { endAll, launch, until } from "./processes.ts";
import { childrenOf, trustTheMachine } from "./program.ts";

const LOCK = "postmaster.pid";

export interface Pair {
  /** URLs of the database on both servers. */
  primary: string;
  replica: string;
  /** Waits until the replica has all present changes. */
  caughtUp(): Promise<void>;
  /** Stops the primary and promotes the replica. */
  promote(): Promise<void>;
  /** Freezes the primary and promotes the replica. Returns a function that lets the former primary go on. */
  promoteBesideFrozen(): Promise<() => void>;
  /** Returns a function that lets the replica go on. */
  freezeReplica(): () => void;
  /** Stops the primary, promotes the replica, and starts the former primary as its replica, at its former place. */
  switchOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both, with the data that `fill` writes into the primary. */
export async function aPair(fill: (address: string) => Promise<void>): Promise<Pair> {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-pair-"));
  const [first, second] = [join(directory, "1"), join(directory, "2")];
  const former = await embedded.start(first, quiet);
  await trustTheMachine(addressAt(former.socket));
  await fill(addressAt(former.socket));
  await former.stop();
  copy(first, second);
  const server = await embedded.start(first, quiet);
  const following = await follow(second, server.socket);
  const [primary, replica] = [addressAt(server.socket), addressAt(following)];
  const [there, here] = [connect(primary), connect(replica)];
  return {
    primary,
    replica,
    caughtUp: async () => {
      const [{ written }] = await there`select pg_current_wal_insert_lsn()::text as written`;
      await until("the replica", async () => {
        const [found] = await here`select pg_last_wal_replay_lsn() >= ${written}::pg_lsn as so`;
        return found.so;
      });
    },
    promote: async () => {
      await there.close();
      await server.stop();
      await here`select pg_promote()`;
    },
    promoteBesideFrozen: async () => {
      const release = freeze(server.socket);
      await here`select pg_promote()`;
      return release;
    },
    freezeReplica: () => freeze(following),
    switchOver: async () => {
      await there.close();
      await server.stop();
      await here`select pg_promote()`;
      await here`checkpoint`;
      await follow(first, following);
    },
    stop: async () => {
      await Promise.all([there.close(), here.close()]);
      endAll();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns a function that lets the server go on. */
function freeze(socket: string): () => void {
  const postmaster = Number.parseInt(readFileSync(join(socket, LOCK), "utf8"), 10);
  // First the one that starts the others.
  process.kill(postmaster, "SIGSTOP");
  const children = childrenOf(postmaster);
  for (const pid of children) process.kill(pid, "SIGSTOP");
  const all = [postmaster, ...children];
  return () => {
    for (const pid of all) process.kill(pid, "SIGCONT");
  };
}

/** Of a cluster that was stopped in order, with the owners of its files. */
function copy(from: string, to: string): void {
  mkdirSync(to, { mode: 0o711 });
  expectDone(spawnSync("cp", ["-a", join(from, "postgres"), to], { encoding: "utf8" }));
}

function expectDone({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(stderr);
}

/** Its socket, once it answers. */
async function follow(dataDir: string, primary: string): Promise<string> {
  const place = pathsOf(dataDir);
  const { cluster } = place;
  const { postgres } = await embedded.programs(dataDir);
  const way = unprivileged(postgres, place);
  writeFileSync(join(cluster, "standby.signal"), "");
  appendFileSync(
    join(cluster, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${primary} port=5432 user=cadastre'\n`,
  );
  const server = launch(
    [...way.prefix, postgres, "-D", cluster, "-k", cluster, "-c", "listen_addresses="],
    way.user,
  );
  await until("the replica's readiness", () => server.said().includes("ready to accept read-only"));
  return cluster;
}

function addressAt(socket: string): string {
  return `postgres://cadastre@localhost:5432/cadastre?host=${socket}`;
}

function connect(url: string): SQL {
  return new SQL({ url, adapter: "postgres", max: 1 });
}

function quiet(): void {}

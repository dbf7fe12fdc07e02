// How close writes are to their limit, the same by a bare route with one statement by hand (bare_writes.ts); and what a
// new host costs, the more addresses of its network are in use.
import { SQL } from "bun";
import { BARE_TABLES } from "./bare_writes.ts";
import { type BenchServer, copyOf, type Size, type TemplateOptions } from "./data.ts";
import type { Load } from "./load.ts";
import { type MeasuredProcesses, measure, type Sample, warmUp } from "./measure.ts";
import { BENCH_NETWORK, CREATE_ALONE, CREATE_TOGETHER, MANY_CLIENTS } from "./operations.ts";
import {
  createNetwork,
  credentials,
  type RequestHeaders,
  type Served,
  serve,
  serveBareWrites,
} from "./served.ts";
import { mergePending } from "./writes.ts";

/** What was measured of a write, round by round. */
export interface LimitedWrite {
  name: string;
  ours: Sample[];
  limit: Sample[];
}

/** Creating a host in a network with so many addresses in use. */
export interface FilledNetwork {
  used: number;
  samples: Sample[];
}

export interface WriteLimits {
  writes: LimitedWrite[];
  networks: FilledNetwork[];
  /** Addresses that two interfaces have; undefined if nothing was measured. */
  twice: number | undefined;
  /** Transactions that were rolled back, as each one is that is tried again; undefined if nothing was measured. */
  rollbacks: number | undefined;
}

const CHANGE = "Change one field of a host";
const USED = [0, 5_000, 20_000, 60_000];
const HOSTS = "/api/v1/network/hosts";
/** Entries that wait for GIN indexes are merged after each sample; PostgreSQL merges thousands of rows at once, for less. */
export const WRITE_SECONDS = 2;
/** Other load of the machine comes and goes within seconds: a write and its limit are measured in turn so often in each round. */
export const WRITE_TURNS = 3;
/** More than any client writes in that time. */
const MOST = 10_000;
/** Before it are the hosts of the demo, with gaps among their numbers. */
const FIRST_CHANGED = 1_000;
/** Numbers of new hosts, apart from those that other operations create. */
const FIRST = 1_000_000;

export function noWrites(): WriteLimits {
  const names = [CREATE_ALONE, CREATE_TOGETHER, CHANGE];
  return {
    writes: names.map((name) => ({ name, ours: [], limit: [] })),
    networks: USED.map((used) => ({ used, samples: [] })),
    twice: undefined,
    rollbacks: undefined,
  };
}

export async function measureWriteLimits(
  server: BenchServer,
  size: Size,
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<WriteLimits> {
  const limits = noWrites();
  const ends: Array<() => Promise<unknown>> = [];
  try {
    const { url, drop } = await copyOf(server, { ...size, label: `${size.label}_writes` }, making);
    ends.push(drop);
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    ends.push(() => sql.close());
    const ours = await serve(url);
    ends.push(ours.stop);
    const { admin } = await credentials(ours);
    await createNetwork(ours, { admin, reader: admin, browser: admin });
    await sql.unsafe(BARE_TABLES);
    for (const [at, used] of USED.entries()) await fillNetwork(sql, at, used);
    await sql.unsafe("vacuum analyze");
    const bare = await serveBareWrites(url);
    ends.push(bare.stop);
    making.report(`${size.hosts} hosts, the limits of writing`);
    const of = (served: MeasuredProcesses["served"]): MeasuredProcesses => ({
      served,
      postmaster: server.pid,
      catchUp: () => mergePending(sql),
    });
    for (const { name } of limits.writes) {
      await warmUpRow(name, ours, admin);
      await warmUpRow(name, bare, {});
    }
    for (const { used } of limits.networks) {
      await warmUp(ours, () => creation(ours.origin, admin, nameOf(used)));
    }
    // Else PostgreSQL does it by itself, during a sample.
    await sql.unsafe("vacuum analyze");
    for (let round = 1; round <= rounds; round += 1) {
      for (let turn = 1; turn <= WRITE_TURNS; turn += 1) {
        const sector = `${round}-${turn}`;
        for (const row of limits.writes) {
          row.ours.push(await measureRow(row.name, of(ours), { ...ours, headers: admin, sector }));
          row.limit.push(await measureRow(row.name, of(bare), { ...bare, headers: {}, sector }));
        }
      }
      for (const { used, samples } of limits.networks) {
        samples.push(await measure(creation(ours.origin, admin, nameOf(used)), of(ours)));
      }
    }
    // Its connections report their figures when they end.
    await ours.stop();
    return { ...limits, twice: await addressesTwice(sql), rollbacks: await rollbacks(sql) };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

interface WriteTarget {
  origin: string;
  headers: RequestHeaders;
}

function warmUpRow(name: string, served: Served, headers: RequestHeaders): Promise<void> {
  let second = 0;
  return warmUp(served, () => {
    second += 1;
    return loadOf(name, { origin: served.origin, headers }, `warm-up ${second}`);
  });
}

/** Connections are open by then, as they are for reads. */
function measureRow(
  name: string,
  payers: MeasuredProcesses,
  { sector, ...to }: WriteTarget & { sector: string },
): Promise<Sample> {
  return measure(loadOf(name, to, sector), payers, loadOf(name, to, `${sector} before`));
}

function loadOf(name: string, { origin, headers }: WriteTarget, sector: string): Load {
  if (name === CHANGE) return change(origin, headers, sector);
  return {
    ...creation(origin, headers, BENCH_NETWORK),
    clients: name === CREATE_TOGETHER ? MANY_CLIENTS : 1,
  };
}

let next = FIRST;

function creation(origin: string, headers: RequestHeaders, network: string): Load {
  next += MOST;
  return {
    url: origin + HOSTS,
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: `{"name":"bench-%d","device_type":"Physical","network":"${network}"}`,
    from: next,
    clients: 1,
    seconds: WRITE_SECONDS,
  };
}

/** Each host is changed once in a load: the numbers are the ids of the hosts that there are at first. */
function change(origin: string, headers: RequestHeaders, sector: string): Load {
  return {
    url: `${origin}${HOSTS}/%d`,
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body: `{"description":"Gauge of pump %d, vacuum sector ${sector}"}`,
    from: FIRST_CHANGED,
    clients: 1,
    seconds: WRITE_SECONDS,
  };
}

function nameOf(used: number): string {
  return `Used-${used}`;
}

/** A network of 131,072 addresses, more than all loads together use, the first ones in use by one host. */
async function fillNetwork(sql: SQL, at: number, used: number): Promise<void> {
  const start = `100.${128 + 2 * at}.0`;
  await sql.unsafe(`
    insert into scopes (name, first_vlan, last_vlan, supernet, domain_id)
    values ('${nameOf(used)}', 1, 9, '${start}.0/15', 1);
    insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, scope_id, domain_id)
    select name, 1, supernet, '${start}.1', '100.${129 + 2 * at}.255.254', id, domain_id
    from scopes where name = '${nameOf(used)}';
    insert into hosts (name, device_type_id) values ('${nameOf(used).toLowerCase()}', 1);
    alter table interfaces disable trigger user;
    insert into interfaces (host_id, network_id, name, ip)
    select hosts.id, networks.id, hosts.name || '-' || number, '${start}.0'::inet + number
    from hosts, networks, generate_series(1, ${used}) number
    where hosts.name = '${nameOf(used).toLowerCase()}' and vlan_name = '${nameOf(used)}';
    alter table interfaces enable trigger user;
    select rebuild_free_addresses(id) from networks where vlan_name = '${nameOf(used)}'`);
}

async function addressesTwice(sql: SQL): Promise<number> {
  const [found] = await sql`
    select count(*)::int as twice from (select from interfaces group by ip having count(*) > 1) one`;
  return found.twice;
}

/** Of the database that was made for these writes; nothing else is done there. */
async function rollbacks(sql: SQL): Promise<number> {
  const [found] = await sql`
    select xact_rollback::int as rollbacks from pg_stat_database where datname = current_database()`;
  return found.rollbacks;
}

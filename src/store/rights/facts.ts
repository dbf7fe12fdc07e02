// What decides where changed rows are: the scopes of hosts, the locations of items.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { placesOf } from "../../auth/rights.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { isBelow } from "../../input/domain_names.ts";
import { integers } from "../../input/keys.ts";
import type { Read } from "../read.ts";
import { isInOwnScope, reachedLocations } from "./where.ts";

export type RecordState = Record<string, unknown>;

/** A row that a write has changed, or would change. */
export interface Change {
  table: string;
  id: number;
  before: RecordState | null;
  after: RecordState | null;
}

interface InterfaceScope {
  id: number;
  host_id: number;
  scope_id: number;
}

/** Everything by key. */
export interface RecordFacts {
  /** The hosts that exist. */
  hosts: ReadonlySet<number>;
  interfacesOf: ReadonlyMap<number, InterfaceScope[]>;
  hostOfInterface: ReadonlyMap<number, number>;
  scopeOfNetwork: ReadonlyMap<number, number>;
  locationOfItem: ReadonlyMap<number, number | null>;
  /** Names that these rows make or move out of the domains of the caller, by table and id. */
  foreignNames: ReadonlyMap<string, ForeignName>;
  /** Those of the locations in question where the caller has the right `inventory`. */
  reached: ReadonlySet<number>;
}

/** A full name, and the registered domain in which it has its effect; null if there is none. */
export interface ForeignName {
  name: string;
  domain: string | null;
}

export function statesOf({ before, after }: Change): RecordState[] {
  return [before, after].filter((state) => state !== null);
}

/** The value of a column that refers to another row. */
export function referredKey(state: RecordState | null, column: string): number | null {
  const value = state?.[column];
  return value == null ? null : Number(value);
}

export async function factsOf(read: Read, caller: Caller, changes: Change[]): Promise<RecordFacts> {
  const named = (tables: readonly string[], column: string) =>
    changes
      .filter(({ table }) => tables.includes(table))
      .flatMap((change) => statesOf(change).map((state) => referredKey(state, column)))
      .filter((key) => key !== null);
  const ids = (table: string) =>
    changes.filter((change) => change.table === table).map(({ id }) => id);
  const network = networkFacts(read, {
    hosts: [...ids("hosts"), ...named(["interfaces", "group_hosts", "items", "files"], "host_id")],
    interfaces: named(["cnames"], "interface_id"),
    networks: named(["interfaces"], "network_id"),
  });
  const items = await itemRows(read, named(["comments", "macs", "files"], "item_id"));
  const locations = [
    ...items.map(({ location_id }) => location_id).filter((key) => key !== null),
    ...named(["items", "files"], "location_id"),
    ...ids("locations"),
    ...named(["locations"], "parent_id"),
  ];
  return {
    ...(await network),
    foreignNames: await foreignNames(read, caller, changes),
    locationOfItem: new Map(items.map(({ id, location_id }) => [id, location_id])),
    reached: await reachedOf(read, caller, locations),
  };
}

async function networkFacts(
  read: Read,
  keys: { hosts: number[]; interfaces: number[]; networks: number[] },
) {
  const interfaces = await rows<InterfaceScope>([...keys.hosts, ...keys.interfaces], () =>
    read(sql`
        select interfaces.id, host_id, scope_id from interfaces join networks on networks.id = network_id
        where host_id = any(${integers(keys.hosts)}) or host_id in (
          select host_id from interfaces where id = any(${integers(keys.interfaces)}))`),
  );
  const networks = await rows<{ id: number; scope_id: number }>(keys.networks, () =>
    read(sql`select id, scope_id from networks where id = any(${integers(keys.networks)})`),
  );
  const hosts = await rows<{ id: number }>(keys.hosts, () =>
    read(sql`select id from hosts where id = any(${integers(keys.hosts)})`),
  );
  return {
    hosts: new Set(hosts.map(({ id }) => id)),
    interfacesOf: Map.groupBy(interfaces, ({ host_id }) => host_id),
    hostOfInterface: new Map(interfaces.map(({ id, host_id }) => [id, host_id])),
    scopeOfNetwork: new Map(networks.map(({ id, scope_id }) => [id, scope_id])),
  };
}

/** The columns that decide what is called how. */
const NAMING: Partial<Record<string, readonly string[]>> = {
  hosts: ["name"],
  interfaces: ["name", "host_id", "network_id"],
  cnames: ["name", "interface_id"],
};

/**
 * A name belongs to the longest registered domain that it is in. Who has rights in scopes alone has those of the networks
 * that he sees there.
 */
async function foreignNames(
  read: Read,
  caller: Caller,
  changes: Change[],
): Promise<RecordFacts["foreignNames"]> {
  if (placesOf(caller, "network").length === 0) return new Map();
  const named = changes.filter(({ table, before, after }) =>
    NAMING[table]?.some((column) => after && before?.[column] !== after[column]),
  );
  const ids = (of: string) =>
    integers(named.filter(({ table }) => table === of).map(({ id }) => id));
  const found = await rows<ForeignName & { row: string }>(
    named.map(({ id }) => id),
    () =>
      read(sql`
      select made.row, made.name, nearest.name as domain
      from (
        select 'cnames ' || id as row, name from cnames where id = any(${ids("cnames")})
        union all select case when hosts.id = any(${ids("hosts")}) then 'hosts ' || hosts.id
            else 'interfaces ' || interfaces.id end, label || '.' || domains.name
          from interfaces join hosts on hosts.id = host_id join networks on networks.id = network_id
            join domains on domains.id = domain_id, unnest(array[interfaces.name, hosts.name]) label
          where interfaces.id = any(${ids("interfaces")}) or hosts.id = any(${ids("hosts")})
      ) made left join lateral (
        select id, name from domains
        where name = made.name or ${isBelow(sql`made.name`, sql`name`)} order by length(name) desc limit 1
      ) nearest on true
      where nearest.id is null or not exists (
        select from networks where domain_id = nearest.id and ${isInOwnScope(caller, sql`networks`)}
          and ${mayKnowNetwork(caller)})`),
  );
  return new Map(found.map(({ row, ...foreign }) => [row, foreign]));
}

function itemRows(read: Read, items: number[]) {
  return rows<{ id: number; location_id: number | null }>(items, () =>
    read(sql`select id, location_id from items where id = any(${integers(items)})`),
  );
}

async function reachedOf(
  read: Read,
  caller: Caller,
  locations: number[],
): Promise<ReadonlySet<number>> {
  if (placesOf(caller, "inventory").length === 0) return new Set();
  const found = await rows<{ id: number }>(locations, () =>
    read(sql`
      select id from locations
      where id = any(${integers(locations)}) and id in (${reachedLocations(caller)})`),
  );
  return new Set(found.map(({ id }) => id));
}

/** Without keys nothing is read. */
async function rows<Row>(keys: number[], load: () => Promise<Row[]>): Promise<Row[]> {
  return keys.length === 0 ? [] : load();
}

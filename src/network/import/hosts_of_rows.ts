// What the rows say of hosts and their interfaces: which ones they are about, and in which networks these are to be.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import {
  type Block,
  contains,
  formatAddress,
  readAddress,
  readBlock,
} from "../../input/addresses.ts";
import { type FieldError, unknownName } from "../../input/errors.ts";
import { REQUIRED } from "../../input/shape.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { isForAdmins, onlyForAdmins } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import type { Host } from "../hosts/host.ts";
import type { Interface } from "../interfaces/interface.ts";
import { type HostEntry, hostInput } from "./rows.ts";

/** A network that is visible to the caller. */
interface ImportNetwork {
  id: number;
  vlan_name: string;
  block: Block | undefined;
  domain: string;
  is_for_admins: boolean;
}

/** What the caller sees of a host. */
export type SeenHost = Omit<Host, "interfaces"> & { interfaces: Interface[] };

/** A host with the rows that are about it. */
export interface HostOfRows {
  name: string;
  /** The host before the import; undefined of a new one. */
  before: SeenHost | undefined;
  rows: RowOfHost[];
  /** What the rows say of it together. */
  input: ReturnType<typeof hostInput>;
  /** The rows that say it, by field. */
  givenBy: Map<string, RowOfHost>;
  /** Its key, once it is written. */
  id?: number;
}

export interface RowOfHost {
  entry: HostEntry;
  host: HostOfRows;
  interface: InterfaceOfRow | undefined;
  /** Why it is refused, whatever is written. */
  wrong: FieldError[];
  /** Why it was refused in the end. */
  errors: FieldError[];
}

interface InterfaceOfRow {
  before: Interface | undefined;
  name: string;
  /** Undefined if the row is refused for its network. */
  network: ImportNetwork | undefined;
  /** Null if it gets the first free address of the network. */
  ip: string | null;
  mac: string | null;
  /** Full names that it does not have yet. */
  cnames: string[];
  /** Its key, once it is written. */
  id?: number;
}

/** By their names in lower case. */
type Networks = ReadonlyMap<string, ImportNetwork>;

/** All that are visible: a row may give an address without the network. */
export async function visibleNetworks(read: Read, caller: Caller): Promise<Networks> {
  const found = await read<Omit<ImportNetwork, "block"> & { address: string }>(sql`
    select networks.id, vlan_name, address::text as address, domains.name as domain,
      ${isForAdmins(caller)} as is_for_admins
    from networks join domains on domains.id = domain_id where ${mayKnowNetwork(caller)}`);
  const networks = found.map(({ address, ...one }) => ({ ...one, block: readBlock(address) }));
  return new Map(networks.map((one) => [one.vlan_name.toLowerCase(), one]));
}

interface Known {
  /** The hosts with these names. */
  seen: SeenHost[];
  networks: Networks;
}

/** A row without a name is about no other row's host. */
export function hostsOfRows(
  entries: HostEntry[],
  { seen, networks }: Known,
): Promise<HostOfRows[]> {
  const before = new Map(seen.map((one) => [one.name, one]));
  const groups = Map.groupBy(entries, ({ name, line }) => name ?? line);
  return mapInSlices(groups, ([key, own]) => {
    const name = typeof key === "string" ? key : "";
    return hostOf({ name, before: before.get(name), entries: own }, networks);
  });
}

interface EntriesOfHost extends Pick<HostOfRows, "name" | "before"> {
  entries: HostEntry[];
}

function hostOf({ name, before, entries }: EntriesOfHost, networks: Networks): HostOfRows {
  const made: HostOfRows = { name, before, rows: [], input: {}, givenBy: new Map() };
  const line = entries[0]?.line ?? 0;
  for (const [at, entry] of entries.entries()) {
    const row: RowOfHost = {
      ...{ entry, host: made, interface: undefined, errors: [], wrong: [...entry.errors] },
    };
    const isMissing =
      name === "" && !row.wrong.some(({ field }) => ["name", "row"].includes(field));
    if (isMissing) row.wrong.push({ field: "name", message: REQUIRED });
    made.rows.push(row);
    if (name === "") continue;
    addInput(row);
    row.interface = interfaceOf(entry, {
      ...{ networks, wrong: row.wrong, isFirst: at === 0 },
      host: { name, line, interfaces: before?.interfaces ?? [] },
    });
  }
  const [first] = made.rows;
  const isTyped = made.rows.some(
    (row) => "device_type" in hostInput(row.entry) || hasError(row, "device_type"),
  );
  if (first && name !== "" && !before && !isTyped) {
    first.wrong.push({ field: "device_type", message: REQUIRED });
  }
  return made;
}

function hasError({ wrong }: RowOfHost, name: string): boolean {
  return wrong.some(({ field }) => field === name);
}

/** What the first row says, others may repeat. */
function addInput(row: RowOfHost): void {
  const { givenBy, input } = row.host;
  for (const [field, value] of Object.entries(hostInput(row.entry))) {
    const first = givenBy.get(field);
    if (!first) {
      givenBy.set(field, row);
      Object.assign(input, { [field]: value });
    } else if (!Bun.deepEquals(new Map(Object.entries(input)).get(field), value)) {
      const message = `Line ${first.entry.line} gives another value for the same host`;
      row.wrong.push({ field, message });
    }
  }
}

interface InterfaceContext {
  /** The host, its interfaces before the import, and the line of its first row. */
  host: { name: string; interfaces: Interface[]; line: number };
  isFirst: boolean;
  networks: Networks;
  /** Why the row is refused; more are added. */
  wrong: FieldError[];
}

function interfaceOf(
  entry: HostEntry,
  { host, isFirst, networks, wrong }: InterfaceContext,
): InterfaceOfRow | undefined {
  if (!entry.hasInterface) {
    const message = `${host.name} is already in line ${host.line}; fill in an interface`;
    if (!isFirst && wrong.length === 0) wrong.push({ field: "name", message });
    return undefined;
  }
  const { filled } = entry;
  const before = matching(entry, host, isFirst);
  const name = filled.interface?.toLowerCase() ?? before?.name ?? (isFirst ? host.name : "");
  if (name === "" && !wrong.some(({ field }) => field === "interface")) {
    wrong.push({ field: "interface", message: "Name each further interface of a host" });
  }
  const network = networkOf(entry, { before, networks, wrong });
  const isMove = before !== undefined && network?.vlan_name !== before.network;
  const ip = ipOf(entry) ?? (before && !isMove ? normalIp(before.ip) : null);
  const mac = macOf(entry) ?? before?.mac ?? null;
  return { before, name, network, ip, mac, cnames: newCnames(entry, network, before) };
}

/** By its name, else by its address; the first row without a name is about the main interface. */
function matching(
  entry: HostEntry,
  host: InterfaceContext["host"],
  isFirst: boolean,
): Interface | undefined {
  const all = host.interfaces;
  const ip = ipOf(entry);
  const byAddress = ip === undefined ? undefined : all.find((one) => normalIp(one.ip) === ip);
  const given = entry.filled.interface?.toLowerCase();
  if (given !== undefined) return all.find(({ name }) => name === given) ?? byAddress;
  const main = isFirst ? (all.find(({ name }) => name === host.name) ?? all[0]) : undefined;
  return byAddress ?? main;
}

interface NetworkContext extends Pick<InterfaceContext, "networks" | "wrong"> {
  before: Interface | undefined;
}

/** As given, else that of the interface, else the one that the address lies in. */
function networkOf(
  entry: HostEntry,
  { before, networks, wrong }: NetworkContext,
): ImportNetwork | undefined {
  const { network: given } = entry.filled;
  const now = before && networks.get(before.network.toLowerCase());
  const ip = ipOf(entry);
  if (given == null && (now || wrong.some(({ field }) => field === "network" || field === "ip")))
    return now;
  if (given == null && ip === undefined) {
    wrong.push({ field: "network", message: REQUIRED });
    return undefined;
  }
  const found =
    given == null
      ? [...networks.values()].find((one) => hasAddress(one, ip ?? ""))
      : networks.get(given.toLowerCase());
  if (!found)
    wrong.push(
      given == null
        ? { field: "ip", message: "No network has this address" }
        : unknownName("network", given),
    );
  if (!found?.is_for_admins || found === now) return found;
  // Others still see what is there.
  wrong.push({ field: "network", message: onlyForAdmins(found.vlan_name).message });
  return undefined;
}

function hasAddress({ block }: ImportNetwork, ip: string): boolean {
  const address = readAddress(ip);
  return address !== undefined && block !== undefined && contains(block, address);
}

function newCnames(
  { filled }: HostEntry,
  network: ImportNetwork | undefined,
  before: Interface | undefined,
): string[] {
  if (!network) return [];
  const full = (filled.cnames ?? []).map((one) => {
    const name = one.toLowerCase();
    return name.includes(".") ? name : `${name}.${network.domain}`;
  });
  return [...new Set(full)].filter((name) => !before?.cnames.includes(name));
}

/** The spelling under which addresses are compared. */
export function normalIp(ip: string): string {
  const address = readAddress(ip);
  return address ? formatAddress(address) : ip;
}

function ipOf({ filled: { ip } }: HostEntry): string | undefined {
  return ip == null ? undefined : normalIp(ip);
}

/** As PostgreSQL writes it. */
function macOf({ filled: { mac } }: HostEntry): string | undefined {
  const digits = mac?.toLowerCase().replace(/[^0-9a-f]/g, "");
  return digits?.match(/../g)?.join(":");
}

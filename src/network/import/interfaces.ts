// What a row says of an interface: which one it is about, and in which network it is to be.
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
import { isForAdmins, onlyForAdmins } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import type { Interface } from "../interfaces/interface.ts";
import type { HostEntry } from "./rows.ts";

/** A network that is visible to the caller. */
export interface ImportNetwork {
  id: number;
  vlan_name: string;
  block: Block | undefined;
  domain: string;
  is_for_admins: boolean;
}

export interface InterfaceOfRow {
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

/** All that are visible: a row may give an address without the network. */
export async function visibleNetworks(read: Read, caller: Caller): Promise<ImportNetwork[]> {
  const found = await read<Omit<ImportNetwork, "block"> & { address: string }>(sql`
    select networks.id, vlan_name, address::text as address, domains.name as domain,
      ${isForAdmins(caller)} as is_for_admins
    from networks join domains on domains.id = domain_id where ${mayKnowNetwork(caller)}`);
  return found.map(({ address, ...network }) => ({ ...network, block: readBlock(address) }));
}

interface InterfaceContext {
  /** The host, its interfaces before the import, and the line of its first row. */
  host: { name: string; interfaces: Interface[]; line: number };
  isFirst: boolean;
  networks: ImportNetwork[];
  /** Why the row is refused; more are added. */
  wrong: FieldError[];
}

export function interfaceOf(
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
  const now = before && networks.find(({ vlan_name }) => vlan_name === before.network);
  const ip = ipOf(entry);
  if (given == null && (now || wrong.some(({ field }) => field === "network" || field === "ip")))
    return now;
  if (given == null && ip === undefined) {
    wrong.push({ field: "network", message: REQUIRED });
    return undefined;
  }
  const name = given?.toLowerCase();
  const found = networks.find((one) =>
    name === undefined ? hasAddress(one, ip ?? "") : one.vlan_name.toLowerCase() === name,
  );
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

// The interface that a row adds or changes.
import { type NamedRecords, type StoredValues, valueIn } from "../../import/stored_columns.ts";
import { type Block, contains, readAddress, readBlock } from "../../input/addresses.ts";
import { type FieldError, unknownName } from "../../input/errors.ts";
import { REQUIRED } from "../../input/shape.ts";
import { onlyForAdmins } from "../../store/may_edit.ts";
import {
  type ExistingHost,
  type ExistingInterface,
  type ImportNetwork,
  ipOf,
  macOf,
  normalIp,
} from "./existing_records.ts";
import { type HostEntry, INTERFACE_STORED, initialOfInterface } from "./rows.ts";

export interface InterfaceDraft {
  existing: ExistingInterface | undefined;
  name: string;
  /** Undefined if the row is refused for its network. */
  network: ImportNetwork | undefined;
  /** Null until the first free address is chosen. */
  ip: string | null;
  isFirstFree: boolean;
  mac: string | null;
  stored: StoredValues;
  /** Full names that it does not have yet. */
  cnames: string[];
}

export interface NetworkLookup {
  byName: Map<string, ImportNetwork>;
  byId: Map<number, ImportNetwork>;
  /** They do not overlap. */
  blocks: Array<{ block: Block; network: ImportNetwork }>;
}

export function networkLookup(networks: ImportNetwork[]): NetworkLookup {
  const blocks = networks.flatMap((network) => {
    const block = readBlock(network.address);
    return block ? [{ block, network }] : [];
  });
  return {
    byName: new Map(networks.map((one) => [one.vlan_name.toLowerCase(), one])),
    byId: new Map(networks.map((one) => [one.id, one])),
    blocks,
  };
}

/** The visible network that an address lies in. */
function networkAt({ blocks }: NetworkLookup, ip: string): ImportNetwork | undefined {
  const address = readAddress(ip);
  return address && blocks.find(({ block }) => contains(block, address))?.network;
}

interface HostEntryRow {
  entry: HostEntry;
  errors: FieldError[];
}

interface RowHost {
  name: string;
  existing: ExistingHost | undefined;
  rows: Array<{ line: number }>;
}

interface InterfaceContext {
  isFirst: boolean;
  host: RowHost;
  networks: NetworkLookup;
  named: NamedRecords;
}

export function draftOfInterface(
  row: HostEntryRow,
  context: InterfaceContext,
): InterfaceDraft | undefined {
  const { entry, errors } = row;
  const { host, isFirst } = context;
  if (!entry.hasInterface) {
    if (!isFirst && errors.length === 0) errors.push(repeated(host));
    return undefined;
  }
  const existing = matching(row, context);
  const { filled } = entry;
  const name = filled.interface?.toLowerCase() ?? existing?.name ?? (isFirst ? host.name : "");
  const isNameWrong = errors.some(({ field }) => field === "interface");
  if (name === "" && !isNameWrong) {
    errors.push({ field: "interface", message: "Name each further interface of a host" });
  }
  const network = networkOf(row, { existing, networks: context.networks });
  const isMove = existing !== undefined && network?.id !== existing.network_id;
  const ip = ipOf(entry) ?? (existing && !isMove ? normalIp(existing.ip) : null);
  return {
    existing,
    name,
    network,
    ip,
    isFirstFree: ip === null,
    mac: macOf(entry) ?? existing?.mac ?? null,
    stored: storedOf(row, existing, context.named),
    cnames: newCnames(row, network, existing),
  };
}

function repeated(host: RowHost): FieldError {
  const line = host.rows[0]?.line;
  return {
    field: "name",
    message: `${host.name} is already in line ${line}; fill in an interface`,
  };
}

/** By its name, else by its address; the first row without a name is about the main interface. */
function matching(
  { entry }: HostEntryRow,
  { host, isFirst }: InterfaceContext,
): ExistingInterface | undefined {
  const all = host.existing?.interfaces ?? [];
  const ip = ipOf(entry);
  const byAddress = ip && all.find((one) => normalIp(one.ip) === ip);
  const given = entry.filled.interface?.toLowerCase();
  if (given !== undefined)
    return all.find(({ name }) => name === given) ?? (byAddress || undefined);
  if (byAddress) return byAddress;
  return isFirst ? (all.find(({ name }) => name === host.name) ?? all[0]) : undefined;
}

interface NetworkContext {
  existing: ExistingInterface | undefined;
  networks: NetworkLookup;
}

/** As given, else that of the interface, else the one that the address lies in. */
function networkOf(
  { entry, errors }: HostEntryRow,
  { existing, networks }: NetworkContext,
): ImportNetwork | undefined {
  const { network: given } = entry.filled;
  const now = existing && networks.byId.get(existing.network_id);
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  if (given != null) {
    const found = networks.byName.get(given.toLowerCase());
    if (!found) errors.push(unknownName("network", given));
    return usable(errors, found, now);
  }
  if (now || isWrong("network") || isWrong("ip")) return now;
  const ip = ipOf(entry);
  if (ip === undefined) {
    errors.push({ field: "network", message: REQUIRED });
    return undefined;
  }
  const found = networkAt(networks, ip);
  if (!found) errors.push({ field: "ip", message: "No network has this address" });
  return usable(errors, found, now);
}

/** Only admins may use an admin-only network; others still see what is there. */
function usable(
  errors: FieldError[],
  found: ImportNetwork | undefined,
  now: ImportNetwork | undefined,
): ImportNetwork | undefined {
  if (!found?.admin_only || found === now) return found;
  errors.push({ field: "network", message: onlyForAdmins(found.vlan_name).message });
  return undefined;
}

function storedOf(
  row: HostEntryRow,
  existing: ExistingInterface | undefined,
  named: NamedRecords,
): StoredValues {
  const filled: Record<string, unknown> = row.entry.filled;
  return Object.fromEntries(
    INTERFACE_STORED.map((stored) => {
      const { name, column } = stored;
      const given = filled[name] === undefined ? undefined : { value: filled[name], row };
      const now = existing ? existing.stored[column] : initialOfInterface(column);
      return [column, valueIn(stored, given, named) ?? now ?? null];
    }),
  );
}

function newCnames(
  { entry }: HostEntryRow,
  network: ImportNetwork | undefined,
  existing: ExistingInterface | undefined,
): string[] {
  if (!network) return [];
  const full = (entry.filled.cnames ?? []).map((one) => {
    const name = one.toLowerCase();
    return name.includes(".") ? name : `${name}.${network.domain}`;
  });
  return [...new Set(full)].filter((name) => !existing?.cnames.includes(name));
}

// What an import of hosts would do: the verdict and changes for each row.
import type { Caller } from "../../auth/auth.ts";
import type { ImportPlan } from "../../import/import.ts";
import {
  type NamedRecords,
  type StoredColumn,
  type StoredValues,
  textOf,
} from "../../import/stored_columns.ts";
import type { RowVerdict } from "../../import/verdicts.ts";
import { mapInSlices, yieldToOthers } from "../../input/time_slices.ts";
import { onlyForAdmins } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import type { FieldDifference } from "../../store/resource.ts";
import { checkClaims } from "./claims.ts";
import { checkConflicts } from "./conflicts.ts";
import { draftsOf, type HostDraft, type RowDraft } from "./drafts.ts";
import { type ExistingHost, type ExistingRecords, normalIp } from "./existing_records.ts";
import { chooseAddresses, shownAddress } from "./free_addresses.ts";
import type { InterfaceDraft } from "./interfaces.ts";
import { COLUMNS, type HostEntry, INTERFACE_STORED, STORED } from "./rows.ts";

export interface HostVerdict extends RowVerdict {
  /** Null if the row gives no valid name. */
  host: string | null;
  interface: string | null;
}

export interface HostPlan extends ImportPlan<HostVerdict> {
  rows: RowDraft[];
  /** The hosts that are not refused. */
  hosts: HostDraft[];
  known: ExistingRecords;
}

interface Planning {
  entries: HostEntry[];
  known: ExistingRecords;
}

export async function planOf(
  read: Read,
  caller: Caller,
  { entries, known }: Planning,
): Promise<HostPlan> {
  const { rows, hosts } = await draftsOf(entries, known);
  checkClaims(hosts);
  await yieldToOthers();
  await checkConflicts(read, caller, { rows, known });
  const networks = known.networks.map(({ id, vlan_name }) => [`network ${id}`, vlan_name] as const);
  const names = new Map([...known.named.names, ...networks]);
  const changes = new Map<RowDraft, FieldDifference[]>();
  await mapInSlices(rows, (row) => changes.set(row, changesOf(row, names)));
  for (const host of hosts) refuseProtected(host, changes);
  await chooseAddresses(read, hosts);
  const probes = rows.flatMap(({ errors }) => errors.filter(({ taken }) => taken !== undefined));
  for (const host of hosts) refuseTogether(host);
  const verdicts = await mapInSlices(rows, (row) => verdictOf(row, changes.get(row) ?? []));
  return { rows, hosts: hosts.filter((one) => !isRefused(one)), known, verdicts, probes };
}

function isRefused({ rows }: HostDraft): boolean {
  return rows.some(({ errors }) => errors.length > 0);
}

/** An unchanged host may be in the rows of everybody who sees it. */
function refuseProtected(
  { existing, rows }: HostDraft,
  changes: Map<RowDraft, FieldDifference[]>,
): void {
  if (existing?.protected_by == null) return;
  const { message } = onlyForAdmins(existing.protected_by);
  for (const row of rows) {
    if (changes.get(row)?.length) row.errors.push({ field: "name", message });
  }
}

/** A host is imported with all of its rows or not at all. */
function refuseTogether({ rows }: HostDraft): void {
  const refused = rows.find(({ errors }) => errors.length > 0);
  if (!refused) return;
  const message = `Line ${refused.line} of this host is refused`;
  for (const { errors } of rows) if (errors.length === 0) errors.push({ field: "row", message });
}

function verdictOf(row: RowDraft, changes: FieldDifference[]): HostVerdict {
  const { line, host, interface: nic, entry, errors } = row;
  const common = {
    line,
    host: host?.name ?? entry.filled.name ?? null,
    interface: nic?.name || null,
  };
  if (errors.length > 0) {
    const shown = errors.map(({ field, message }) => ({ field, message }));
    return { ...common, verdict: "refused", changes: [], errors: shown };
  }
  const isNew = (isFirst(row) && !host?.existing) || (nic !== undefined && !nic.existing);
  const verdict = isNew ? "new" : changes.length > 0 ? "change" : "same";
  return { ...common, verdict, changes, errors: [] };
}

/** The first row of a host has the changes of the host. */
export function isFirst(row: RowDraft): boolean {
  return row.host?.rows[0] === row;
}

type RowTexts = Record<string, string | null>;

/** In the order of the columns. */
function changesOf(row: RowDraft, names: Names): FieldDifference[] {
  const { host, interface: nic } = row;
  const now: RowTexts = {};
  const old: RowTexts = {};
  if (host && isFirst(row)) {
    Object.assign(now, textsOfHost({ ...host, device_type: host.device_type.name }, names));
    if (host.existing) Object.assign(old, textsOfExisting(host.existing, names));
  }
  if (nic) {
    Object.assign(now, textsOfInterface(nic, names));
    if (nic.existing) Object.assign(old, textsOfExistingInterface(nic, names));
  }
  return COLUMNS.map((field) => ({
    field,
    old: old[field] ?? null,
    now: now[field] ?? null,
  })).filter((one) => one.old !== one.now);
}

/** Names of other records by field and key: "network 5". */
type Names = NamedRecords["names"];

type HostTexts = Pick<HostDraft, "stored" | "automation_vars" | "items" | "groups"> & {
  device_type: string;
};

function textsOfHost(
  { stored, device_type, automation_vars, items, groups }: HostTexts,
  names: Names,
): RowTexts {
  return {
    ...textsOf(stored, STORED, names),
    device_type,
    items: items.join(", ") || null,
    automation_groups: groups.join(", ") || null,
    automation_vars: sortedJson(automation_vars),
  };
}

function textsOfExisting({ items, ...host }: ExistingHost, names: Names): RowTexts {
  return textsOfHost({ ...host, items: items.map(({ ics_id }) => ics_id) }, names);
}

/** Objects that PostgreSQL takes for equal have equal texts. */
function sortedJson(vars: Record<string, unknown>): string | null {
  if (Object.keys(vars).length === 0) return null;
  return JSON.stringify(vars, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );
}

function textsOfInterface(nic: InterfaceDraft, names: Names): RowTexts {
  return {
    interface: nic.name,
    network: nic.network?.vlan_name ?? null,
    ip: shownAddress(nic),
    mac: nic.mac,
    cnames: [...(nic.existing?.cnames ?? []), ...nic.cnames].toSorted().join(", ") || null,
    ...textsOf(nic.stored, INTERFACE_STORED, names),
  };
}

function textsOfExistingInterface({ existing, ip }: InterfaceDraft, names: Names) {
  if (!existing) return {};
  const isSameIp = ip !== null && normalIp(existing.ip) === ip;
  return {
    interface: existing.name,
    network: names.get(`network ${existing.network_id}`) ?? null,
    ip: isSameIp ? ip : existing.ip,
    mac: existing.mac,
    cnames: existing.cnames.toSorted().join(", ") || null,
    ...textsOf(existing.stored, INTERFACE_STORED, names),
  };
}

function textsOf(stored: StoredValues, columns: readonly StoredColumn[], names: Names): RowTexts {
  return Object.fromEntries(
    columns.map((one) => [one.name, textOf(one, stored[one.column], names)]),
  );
}

// What existing records have already: names, addresses, MAC addresses. A hidden record is refused in the same words as
// one that is visible.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { all, batchesOf } from "../../import/statements.ts";
import { contains, readAddress, readBlock } from "../../input/addresses.ts";
import { type FieldError, unavailableValue } from "../../input/errors.ts";
import { brokenBy, NAME_NOT_AVAILABLE } from "../../store/constraints.ts";
import type { Read } from "../../store/read.ts";
import { reservedAddress, useInRange, useInside } from "../addresses/allocation.ts";
import { fullNameConflict, nameConflict } from "../common/names.ts";
import type { HostDraft, RowDraft } from "./drafts.ts";
import { type ExistingRecords, type ImportNetwork, normalIp } from "./existing_records.ts";
import type { InterfaceDraft } from "./interfaces.ts";

/** Refuses the rows that want what another record has. */
export async function checkConflicts(
  read: Read,
  caller: Caller,
  { rows, known }: { rows: RowDraft[]; known: ExistingRecords },
): Promise<void> {
  for (const row of rows) {
    if (row.interface) checkAddresses(caller, row, { nic: row.interface, known });
  }
  const labels = rows.flatMap(wantedLabels);
  for (const domain of [sql`wanted.domain`, null]) {
    await refuseUsed(
      read,
      caller,
      labels.filter((one) => (one.domain === null) === (domain === null)),
      {
        conflict: nameConflict({ label: sql`wanted.label`, host: sql`wanted.host`, domain }),
        label: sql`wanted.label`,
      },
    );
  }
  const full = rows.flatMap(wantedFullNames);
  const [label, rest] = [
    sql`split_part(wanted.label, '.', 1)`,
    sql`substr(wanted.label, strpos(wanted.label, '.') + 1)`,
  ];
  await refuseUsed(read, caller, full, {
    conflict: sql`(${fullNameConflict(label, rest)}) union all select from cnames where name = wanted.label`,
    label,
  });
}

interface WantedName {
  row: RowDraft;
  field: string;
  label: string;
  /** 0 for a new host. */
  host: number;
  /** Null for a new host without an interface, which may get one in any domain. */
  domain: number | null;
}

/** The names that the row gives to its host or interface, also in another domain. */
function wantedLabels(row: RowDraft): WantedName[] {
  const { host, interface: nic } = row;
  if (!host) return [];
  const id = host.existing?.id ?? 0;
  const isFirst = host.rows[0] === row;
  const isNew = !host.existing && isFirst;
  const common = { row, host: id, domain: nic?.network?.domain_id ?? null };
  const ofHost = { ...common, field: "name", label: host.name };
  if (!nic?.network || nic.name === "") return isNew ? [ofHost] : [];
  const isMove = nic.existing?.network_id !== nic.network.id;
  const isRename = nic.existing?.name !== nic.name;
  const isOwn = nic.name === host.name;
  return [
    ...(isMove || (isRename && isOwn) ? [ofHost] : []),
    ...((isMove || isRename) && !isOwn ? [{ ...common, field: "interface", label: nic.name }] : []),
  ];
}

function wantedFullNames(row: RowDraft): WantedName[] {
  const cnames = row.interface?.cnames ?? [];
  return cnames.map((label) => ({ row, field: "cnames", label, host: 0, domain: null }));
}

interface NameConflict {
  /** Selects a row if the name is in use. */
  conflict: SQL;
  /** The first label of the name. */
  label: SQL;
}

/** One statement for each batch of names. */
async function refuseUsed(
  read: Read,
  caller: Caller,
  wanted: WantedName[],
  { conflict, label }: NameConflict,
): Promise<void> {
  const given = wanted.map(({ label: name, host, domain }, at) => ({
    at,
    label: name,
    host,
    domain,
  }));
  for (const batch of batchesOf(given)) {
    // In SQL: whether a visible record explains it tells how the refusal is counted.
    const found = await all<{ at: number; isSeen: boolean }>(
      read,
      sql`select at,
          exists (select from hosts where name = ${label} and ${mayKnowHost(caller, sql`hosts.id`)})
          or exists (select from interfaces one where name = ${label} and ${mayKnowHost(caller, sql`one.host_id`)})
          or exists (select from cnames join interfaces one on one.id = interface_id
            where split_part(cnames.name, '.', 1) = ${label} and ${mayKnowHost(caller, sql`one.host_id`)}) as "isSeen"
        from jsonb_to_recordset(${batch}::text::jsonb) wanted (at integer, label text, host integer, domain integer)
        where exists (${conflict})`,
    );
    for (const { at, isSeen } of found) {
      const name = wanted[at];
      if (!name) continue;
      const { row, field } = name;
      row.errors.push(unavailable(field, { value: name.label, isHidden: !isSeen }));
    }
  }
}

function unavailable(field: string, what: { value: string; isHidden: boolean }): FieldError {
  const [error] = unavailableValue(field, NAME_NOT_AVAILABLE, what).errors;
  return error ?? { field, message: NAME_NOT_AVAILABLE };
}

interface AddressContext {
  nic: InterfaceDraft;
  known: ExistingRecords;
}

function checkAddresses(caller: Caller, row: RowDraft, { nic, known }: AddressContext): void {
  const { existing, network, ip, mac } = nic;
  if (existing && row.host?.existing) checkSibling(row, nic, row.host);
  if (!network) return;
  const isKept = existing?.network_id === network.id && ip !== null && normalIp(existing.ip) === ip;
  if (ip !== null && !isKept) {
    const message = addressError(caller, network, ip);
    if (message) row.errors.push({ field: "ip", message });
    const holder = known.addresses.get(ip);
    if (holder && holder.interface_id !== existing?.id) {
      row.errors.push(...broken("interfaces_ip_key", { value: ip, isHidden: holder.isHidden }));
    }
  }
  const other = known.macs
    .get(mac ?? "")
    ?.find((one) => one.network_id === network.id && one.interface_id !== existing?.id);
  if (mac !== null && other) {
    row.errors.push(...broken("interfaces_mac_key", { value: mac, isHidden: other.isHidden }));
  }
}

/** The unique names of interfaces hold within a host too. */
function checkSibling(row: RowDraft, nic: InterfaceDraft, host: HostDraft): void {
  const other = host.existing?.interfaces.find(({ name }) => name === nic.name);
  if (other && other.id !== nic.existing?.id) {
    row.errors.push({ field: "interface", message: NAME_NOT_AVAILABLE });
  }
}

function broken(constraint: string, what: { value: string; isHidden: boolean }): FieldError[] {
  const errors = brokenBy(constraint, what.value)?.errors ?? [];
  return errors.map((error) => ({ ...error, taken: what }));
}

/** Without the exception that admins may make for a single address. */
function addressError(caller: Caller, network: ImportNetwork, ip: string): string | undefined {
  const [block, address] = [readBlock(network.address), readAddress(ip)];
  if (!block || !address || !contains(block, address)) return useInside(network.address);
  const [first, last] = [readAddress(network.first_ip), readAddress(network.last_ip)];
  const isInRange = first && last && first.value <= address.value && address.value <= last.value;
  if (!isInRange && !isAdmin(caller)) return useInRange(network);
  const isReserved = network.reserved.some((one) => normalIp(one) === ip);
  return isReserved ? reservedAddress(network.vlan_name) : undefined;
}

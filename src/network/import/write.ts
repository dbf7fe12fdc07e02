// Writes the plan of an import of hosts, with a few statements for each kind of change.
import { type SQL, sql } from "drizzle-orm";
import { items as itemTable } from "../../../db/tables/inventory.ts";
import { groups, hosts, networks } from "../../../db/tables/network.ts";
import { batchesOf, newKeys, textSubquery } from "../../import/statements.ts";
import type { Transaction } from "../../store/write.ts";
import { dnsLabelOf } from "../cnames/cnames.ts";
import { lockLabels } from "../common/names.ts";
import type { HostDraft, RowDraft } from "./drafts.ts";
import { givenValues, itemsOf } from "./existing_records.ts";
import type { InterfaceDraft } from "./interfaces.ts";
import { type HostPlan, type HostVerdict, isFirst } from "./plan.ts";
import { type HostEntry, INTERFACE_STORED, STORED } from "./rows.ts";

/** In the order of single writes: labels, hosts, items, groups, networks; of each the rows in a fixed order. */
export async function lockRows(tx: Transaction, entries: HostEntry[]): Promise<void> {
  const names = givenValues(entries, ({ name }) => name);
  const labels = givenValues(entries, ({ name, filled }) => [
    ...(name ? [name] : []),
    ...(filled.interface ? [filled.interface.toLowerCase()] : []),
    ...(filled.cnames ?? []).map((one) => dnsLabelOf({ name: one })),
  ]);
  await lockLabels(tx, [...labels]);
  const isNamed = sql`${hosts.name} in ${textSubquery(names)}`;
  await tx
    .select({ id: hosts.id })
    .from(hosts)
    .where(isNamed)
    .orderBy(hosts.id)
    .for("no key update");
  await tx
    .select({ id: itemTable.id })
    .from(itemTable)
    .where(
      sql`${itemTable.ics_id} in ${textSubquery(givenValues(entries, itemsOf))}
        or ${itemTable.host_id} in (select id from hosts where ${isNamed})`,
    )
    .orderBy(itemTable.id)
    .for("no key update");
  const grouped = lowered(givenValues(entries, ({ filled }) => filled.automation_groups));
  await tx
    .select({ id: groups.id })
    .from(groups)
    .where(sql`lower(${groups.name}) in ${grouped}`)
    .orderBy(groups.id)
    .for("share");
  await lockNetworks(tx, entries, isNamed);
}

function lowered(names: Set<string>): SQL {
  return sql`(select lower(name collate names) from ${textSubquery(names)} given (name))`;
}

/** Those that are named, those of the addresses without a network, and those in which the hosts are already. */
async function lockNetworks(tx: Transaction, entries: HostEntry[], isNamed: SQL): Promise<void> {
  const named = lowered(givenValues(entries, ({ filled }) => filled.network ?? undefined));
  const addresses = givenValues(entries, ({ filled: { network, ip } }) =>
    network == null ? (ip ?? undefined) : undefined,
  );
  await tx
    .select({ id: networks.id })
    .from(networks)
    .where(
      sql`lower(${networks.vlan_name}) in ${named}
        or exists (select from ${textSubquery(addresses)} given (ip) where given.ip::inet <<= ${networks.address})
        or ${networks.id} in (select network_id from interfaces where host_id in (
          select id from hosts where ${isNamed}))`,
    )
    .orderBy(networks.id)
    .for("no key update");
}

/** Returns the verdicts with the addresses that were assigned. */
export async function writePlan(tx: Transaction, plan: HostPlan): Promise<HostVerdict[]> {
  const kinds = new Map(plan.verdicts.map(({ verdict }, at) => [plan.rows[at], verdict]));
  const rows = plan.rows.filter((row) => ["new", "change"].includes(kinds.get(row) ?? ""));
  const written = rows.flatMap((row) => (row.host && isFirst(row) ? [row.host] : []));
  const keys = await writeHosts(tx, written);
  await writeInterfaces(tx, rows, keys);
  // After the interfaces: items on a hidden host must not reveal it in their history.
  await mountItems(tx, { hosts: written, keys, plan });
  await joinGroups(tx, { hosts: written, keys, plan });
  return plan.verdicts.map((verdict, at) => withAddress(verdict, plan.rows[at]?.interface));
}

/** The keys of hosts, also of new ones. */
type HostKeys = (host: HostDraft) => number;

async function writeHosts(tx: Transaction, written: HostDraft[]): Promise<HostKeys> {
  const made = written.filter(({ existing }) => !existing);
  const ids = await newKeys(tx, "hosts", made.length);
  const keys = new Map(made.map((host, at) => [host, ids[at] ?? 0]));
  const keyOf = (host: HostDraft) => host.existing?.id ?? keys.get(host) ?? 0;
  const changed = written.filter(({ existing }) => existing);
  const columns = [
    "name",
    ...STORED.map(({ column }) => column),
    "device_type_id",
    "automation_vars",
  ];
  const rowOf = (host: HostDraft) => ({
    id: keyOf(host),
    name: host.name,
    ...host.stored,
    device_type_id: host.device_type.id,
    automation_vars: host.automation_vars,
  });
  await insert(tx, { table: "hosts", columns }, made.map(rowOf));
  await update(tx, { table: "hosts", columns }, changed.filter(hasOwnChange).map(rowOf));
  return keyOf;
}

/** Whether a column of the host changes, and not only what belongs to it. */
function hasOwnChange({ existing, stored, device_type, automation_vars }: HostDraft): boolean {
  return !(
    Bun.deepEquals(existing?.stored, stored) &&
    existing?.device_type_id === device_type.id &&
    Bun.deepEquals(existing.automation_vars, automation_vars)
  );
}

async function writeInterfaces(tx: Transaction, rows: RowDraft[], keyOf: HostKeys): Promise<void> {
  const drafts = rows.flatMap(({ host, interface: nic }) => (host && nic ? [{ host, nic }] : []));
  const made = drafts.filter(({ nic }) => !nic.existing);
  const ids = await newKeys(tx, "interfaces", made.length);
  const keys = new Map(made.map(({ nic }, at) => [nic, ids[at] ?? 0]));
  const idOf = (nic: InterfaceDraft) => nic.existing?.id ?? keys.get(nic) ?? 0;
  const columns = [
    "host_id",
    "network_id",
    "name",
    "ip",
    "mac",
    ...INTERFACE_STORED.map(({ column }) => column),
  ];
  const rowOf = ({ host, nic }: (typeof drafts)[number]) => ({
    id: idOf(nic),
    host_id: keyOf(host),
    network_id: nic.network?.id,
    name: nic.name,
    ip: nic.ip,
    mac: nic.mac,
    ...nic.stored,
  });
  const changed = drafts.filter(({ nic }) => hasInterfaceChange(nic));
  await update(tx, { table: "interfaces", columns }, changed.map(rowOf));
  await insert(tx, { table: "interfaces", columns }, made.map(rowOf));
  const cnames = drafts.flatMap(({ nic }) =>
    nic.cnames.map((name) => ({ interface_id: idOf(nic), name })),
  );
  for (const batch of batchesOf(cnames)) {
    await tx.execute(sql`
      insert into cnames (interface_id, name)
      select interface_id, name from jsonb_populate_recordset(null::cnames, ${batch}::text::jsonb)`);
  }
}

function hasInterfaceChange({ existing, ...nic }: InterfaceDraft): boolean {
  return (
    existing !== undefined &&
    !(
      existing.name === nic.name &&
      existing.network_id === nic.network?.id &&
      existing.ip === nic.ip &&
      existing.mac === nic.mac &&
      Bun.deepEquals(existing.stored, nic.stored)
    )
  );
}

interface WrittenHosts {
  hosts: HostDraft[];
  keys: HostKeys;
  plan: HostPlan;
}

/** Items that are taken off a host stay registered. */
async function mountItems(
  tx: Transaction,
  { hosts: written, keys, plan }: WrittenHosts,
): Promise<void> {
  const labels = (host: HostDraft) => host.existing?.items.map(({ ics_id }) => ics_id) ?? [];
  const mounted = written.flatMap((host) =>
    host.items
      .filter((label) => !labels(host).includes(label))
      .map((label) => ({ id: plan.known.items.get(label)?.id, host_id: keys(host) })),
  );
  const removed = written.flatMap((host) =>
    labels(host)
      .filter((ics_id) => !host.items.includes(ics_id))
      .map((ics_id) => ({ ics_id, host_id: host.existing?.id })),
  );
  for (const batch of batchesOf(removed)) {
    await tx.execute(sql`
      update items set host_id = null from jsonb_populate_recordset(null::items, ${batch}::text::jsonb) gone
      where items.ics_id = gone.ics_id and items.host_id = gone.host_id`);
  }
  for (const batch of batchesOf(mounted)) {
    await tx.execute(sql`
      update items set host_id = now.host_id, stack_member = null
      from jsonb_populate_recordset(null::items, ${batch}::text::jsonb) now where items.id = now.id`);
  }
}

/** Memberships in groups by query are not stored. */
async function joinGroups(tx: Transaction, { hosts: written, keys }: WrittenHosts): Promise<void> {
  const pairs = (host: HostDraft, names: string[]) =>
    names.map((group) => ({ host_id: keys(host), group }));
  const joined = written.flatMap((host) =>
    pairs(
      host,
      host.groups.filter((name) => !host.existing?.groups.includes(name)),
    ),
  );
  const left = written.flatMap((host) =>
    pairs(
      host,
      (host.existing?.groups ?? []).filter((name) => !host.groups.includes(name)),
    ),
  );
  const pairsIn = (batch: string) => sql`(
    select host_id, groups.id as group_id
    from jsonb_to_recordset(${batch}::text::jsonb) one (host_id integer, "group" text)
      join groups on lower(groups.name) = lower("group" collate names)) pair`;
  for (const batch of batchesOf(left)) {
    await tx.execute(sql`
      delete from group_hosts using ${pairsIn(batch)}
      where group_hosts.host_id = pair.host_id and group_hosts.group_id = pair.group_id`);
  }
  for (const batch of batchesOf(joined)) {
    await tx.execute(sql`
      insert into group_hosts (host_id, group_id) select host_id, group_id from ${pairsIn(batch)}
      on conflict do nothing`);
  }
}

interface TableColumns {
  table: "hosts" | "interfaces";
  columns: string[];
}

async function insert(
  tx: Transaction,
  { table, columns }: TableColumns,
  rows: object[],
): Promise<void> {
  const [name, names] = [sql.identifier(table), listOf(["id", ...columns])];
  for (const batch of batchesOf(rows)) {
    await tx.execute(sql`
      insert into ${name} (${names})
      select ${names} from jsonb_populate_recordset(null::${name}, ${batch}::text::jsonb)`);
  }
}

async function update(
  tx: Transaction,
  { table, columns }: TableColumns,
  rows: object[],
): Promise<void> {
  const name = sql.identifier(table);
  const sets = columns.map((one) => sql`${sql.identifier(one)} = now.${sql.identifier(one)}`);
  for (const batch of batchesOf(rows)) {
    await tx.execute(sql`
      update ${name} set ${sql.join(sets, sql`, `)}
      from jsonb_populate_recordset(null::${name}, ${batch}::text::jsonb) now where ${name}.id = now.id`);
  }
}

function listOf(names: string[]): SQL {
  return sql.join(
    names.map((one) => sql.identifier(one)),
    sql`, `,
  );
}

function withAddress(verdict: HostVerdict, nic: InterfaceDraft | undefined): HostVerdict {
  if (!nic?.isFirstFree || verdict.verdict === "refused") return verdict;
  const changes = verdict.changes.map((one) =>
    one.field === "ip" ? { ...one, now: nic.ip } : one,
  );
  return { ...verdict, changes };
}

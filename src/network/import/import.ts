// The import of hosts: the functions that create and change one host, one interface and one cname, for each row. A host is
// imported with all of its rows or not at all.

import { type SQL, sql } from "drizzle-orm";
import { hosts as hostTable, networks as networkTable } from "../../../db/tables/network.ts";
import {
  areWritten,
  type ImportWork,
  importer,
  tryAll,
  type WrittenRows,
} from "../../import/import.ts";
import { partedIn } from "../../import/rows.ts";
import {
  changesOfRow,
  type RowVerdict,
  refusedRow,
  type SeenValues,
  withFurther,
} from "../../import/verdicts.ts";
import {
  collectErrors,
  type FieldError,
  invalid,
  type Refusal,
  refuse,
  unknownName,
} from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { FILE_FIELDS } from "../../store/file_fields.ts";
import { mayEdit } from "../../store/may_edit.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { inSavepoint } from "../../store/savepoint.ts";
import type { Transaction } from "../../store/write.ts";
import * as cnames from "../cnames/cnames.ts";
import { lockLabels } from "../common/names.ts";
import { differs } from "../hosts/form_input.ts";
import { host } from "../hosts/host.ts";
import * as hosts from "../hosts/hosts.ts";
import type { Interface } from "../interfaces/interface.ts";
import * as interfaces from "../interfaces/interfaces.ts";
import { checkClaims } from "./claims.ts";
import {
  type HostOfRows,
  hostsOfRows,
  normalIp,
  type RowOfHost,
  type SeenHost,
  visibleNetworks,
} from "./hosts_of_rows.ts";
import {
  COLUMNS,
  furtherInput,
  HEADINGS,
  HOST_COLUMNS,
  type HostEntry,
  importedHost,
  OF_INTERFACE,
  readRow,
} from "./rows.ts";

export { columnLabel, importedHost } from "./rows.ts";

export interface HostVerdict extends RowVerdict {
  /** Null if the row gives no valid name. */
  host: string | null;
  interface: string | null;
}

export const hostImporter = importer({
  kind: "hosts",
  columns: COLUMNS,
  ignored: [
    "id",
    "fqdn",
    "model",
    "interfaces",
    "user",
    "created_at",
    "updated_at",
    ...FILE_FIELDS,
  ],
  headings: HEADINGS,
  parted: partedIn(importedHost),
  keepsBlanks: true,
  readRow,
  write: writeRows,
});

type HostWork = ImportWork<HostEntry>;

async function writeRows(work: HostWork): Promise<WrittenRows<HostVerdict>> {
  const { tx, entries } = work;
  // In the order of single writes: networks before names.
  await lockRecords(tx, await readHosts(work));
  await lockLabels(tx, entries.flatMap(labelsOf));
  const all = await readHosts(work);
  checkClaims(all);
  // Chosen addresses come first, so that nobody gets one of them as a free one.
  const ordered = all.toSorted((a, b) => Number(wantsFree(a)) - Number(wantsFree(b)));
  await tryAll(work, ordered, {
    isPlain: ({ rows }) => rows.every(({ wrong }) => wrong.length === 0),
    write: async ({ rows }) => {
      for (const row of rows) await writeRow(work, row);
    },
    tryAlone: (one) => tryHost(work, one),
  });
  return outcomeOf(work, all);
}

async function readHosts(work: HostWork): Promise<HostOfRows[]> {
  const { tx, caller, entries } = work;
  const names = sql.param(entries.flatMap(({ name }) => name ?? []));
  const seen = await seenHosts(work, sql`hosts.name = any(${names}::text[])`);
  const networks = await visibleNetworks(tx.execute, caller);
  return hostsOfRows(entries, { seen, networks });
}

function labelsOf({ name, filled }: HostEntry): string[] {
  const { interface: nic, cnames: names = [] } = filled;
  const labels = names.map((one) => cnames.dnsLabelOf({ name: one }));
  return [...(name ? [name] : []), ...(nic ? [nic.toLowerCase()] : []), ...labels];
}

/** The rows of each table by their keys, so that imports do not deadlock. */
async function lockRecords(tx: Transaction, all: HostOfRows[]): Promise<void> {
  const ids = all.flatMap(({ before }) => before?.id ?? []);
  const nics = all.flatMap(({ rows }) => rows.flatMap((row) => row.interface?.network?.id ?? []));
  for (const [table, keys] of [
    [hostTable, ids],
    [networkTable, nics],
  ] as const) {
    await tx.execute(sql`
      select from ${table} where id = any(${integers(keys)}) order by id for no key update`);
  }
}

function seenHosts({ tx, caller }: HostWork, where: SQL): Promise<SeenHost[]> {
  const whole = records.withWholeRecords<Pick<SeenHost, "interfaces">>();
  const query = whole(recordQuery(host, caller), ["interfaces"]);
  const columns = ["id", ...HOST_COLUMNS, "interfaces"];
  return records.matching(records.pick(query, columns), where, tx.execute);
}

function wantsFree({ rows }: HostOfRows): boolean {
  return rows.some((row) => row.interface?.ip === null);
}

async function tryHost(work: HostWork, { rows }: HostOfRows): Promise<void> {
  await areWritten(work, [rows], async () => {
    for (const row of rows) await tryRow(work, row);
    if (rows.some(({ errors }) => errors.length > 0)) throw refuse([]);
  });
  const refused = rows.find(({ errors }) => errors.length > 0);
  if (!refused) return;
  const message = `Line ${refused.entry.line} of this host is refused`;
  for (const row of rows) if (row.errors.length === 0) row.errors = [{ field: "row", message }];
}

/** A row that is refused anyway is tried for its other errors. */
async function tryRow(work: HostWork, row: RowOfHost): Promise<void> {
  const { tx, caller } = work;
  const refusal = await inSavepoint(tx, caller, async () => {
    if (row.host.name !== "") await writeRow(work, row);
    if (row.wrong.length > 0) throw refuse(row.wrong);
  });
  if (!refusal) return;
  row.errors = withFurther(row.errors, row.wrong);
  for (const error of errorsOf(row, refusal)) {
    if (row.wrong.includes(error)) continue;
    const from = row.host.givenBy.get(error.field) ?? row;
    from.errors = withFurther(from.errors, [error]);
  }
}

/** The errors of single writes, by the columns of the row. */
function errorsOf({ host: { name }, interface: nic }: RowOfHost, refusal: Refusal): FieldError[] {
  // The other rights were looked at before.
  if (refusal.errors.length === 0)
    return refusal.status === 422 ? [] : [{ field: "items", message: refusal.message }];
  return refusal.errors.map((error) => {
    if (error.field === "name" && error.taken) {
      const label = cnames.dnsLabelOf({ name: error.taken.value });
      return {
        ...error,
        field: label === name ? "name" : label === nic?.name ? "interface" : "cnames",
      };
    }
    return error;
  });
}

async function writeRow(work: HostWork, row: RowOfHost): Promise<void> {
  const { tx, caller } = work;
  const { host: one } = row;
  const { before, input } = one;
  const { device_type, items, ...others } = input;
  const isFirst = one.rows[0] === row;
  if (isFirst) one.id = before?.id;
  if (isFirst && !before && device_type !== undefined) {
    one.id = await hosts.createIn(tx, caller, { ...others, device_type, name: one.name });
  }
  const { id } = one;
  if (id === undefined) return;
  const errors: FieldError[] = [];
  await collectErrors(errors, () => writeInterface(work, row, id));
  // The interface comes first: items on a hidden host must not reveal it in their history.
  const given = before ? Object.entries(input) : Object.entries({ items });
  const changed = given.filter(([name, value]) => !before || differs(before, name, value));
  if (isFirst && changed.some(([, value]) => value !== undefined)) {
    await requireEditable(work, one);
    const changes = { id, ...Object.fromEntries(changed) };
    await collectErrors(errors, () => hosts.change(tx, caller, changes));
  }
  if (errors.length > 0) throw refuse(errors);
}

/** Its errors have the names of the columns. */
async function writeInterface(work: HostWork, row: RowOfHost, id: number): Promise<void> {
  const errors: FieldError[] = [];
  await collectErrors(errors, () => writeFields(work, row, id));
  if (errors.length > 0) throw refuse(errors.map((error) => inColumn(row, error)));
}

function inColumn({ entry }: RowOfHost, error: FieldError): FieldError {
  const field = `${OF_INTERFACE}${error.field}`;
  if (!COLUMNS.includes(field)) return error;
  const given = new Map(Object.entries(entry.filled)).get(field);
  const unknown = unknownName(error.field, String(given));
  return error.message.startsWith(unknown.message)
    ? unknownName(field, String(given), undefined, error.suggestion)
    : { ...error, field };
}

async function writeFields(work: HostWork, row: RowOfHost, id: number): Promise<void> {
  const { tx, caller } = work;
  const { entry, interface: nic, host: one } = row;
  if (!nic?.network || nic.name === "") return;
  const { before, name, ip, mac } = nic;
  const { vlan_name: network } = nic.network;
  const further = furtherInput(entry);
  if (before) {
    const was = { ...before, ip: normalIp(before.ip) };
    const given = Object.entries({ name, network, mac, ...further, ...(ip !== null && { ip }) });
    const changed = given.filter(
      ([field, value]) => !Bun.deepEquals(was[field as keyof Interface], value),
    );
    nic.id = before.id;
    if (changed.length + nic.cnames.length > 0) await requireEditable(work, one);
    if (changed.length > 0)
      await interfaces.change(tx, caller, { id: before.id, ...Object.fromEntries(changed) });
  } else {
    await requireEditable(work, one);
    nic.id = await interfaces.add(tx, caller, { ...further, host: { id }, name, network, ip, mac });
  }
  for (const full of nic.cnames) {
    await cnames.add(tx, caller, { name: full, interface_id: nic.id });
  }
}

/** An unchanged host may be in the rows of everybody who sees it. */
async function requireEditable({ tx, caller }: HostWork, { before }: HostOfRows): Promise<void> {
  if (!before) return;
  await mayEdit(tx.execute, caller, [before.id]).catch((refusal) => {
    throw invalid("name", refusal.message);
  });
}

const COMPARED = COLUMNS.filter((name) => name !== "name");
const FIRST_FREE = "first free address";

async function outcomeOf(work: HostWork, all: HostOfRows[]): Promise<WrittenRows<HostVerdict>> {
  const rows = all
    .flatMap((one) => one.rows)
    .toSorted((one, other) => one.entry.line - other.entry.line);
  const ids = all.flatMap(({ id }) => id ?? []);
  const seen = await seenHosts(work, sql`hosts.id = any(${integers(ids)})`);
  const after = new Map(seen.map((one) => [one.id, one]));
  const assigned = await mapInSlices(rows, (row) => verdictOf(row, after.get(row.host.id ?? 0)));
  const verdicts = assigned.map((verdict, at) =>
    rows[at]?.interface?.ip === null ? withoutAddress(verdict) : verdict,
  );
  const probes = rows.flatMap(({ errors }) => errors.filter(({ taken }) => taken !== undefined));
  return { verdicts, assigned, probes };
}

function withoutAddress(verdict: HostVerdict): HostVerdict {
  const changes = verdict.changes.map((one) =>
    one.field === "ip" ? { ...one, now: FIRST_FREE } : one,
  );
  return { ...verdict, changes };
}

function verdictOf(row: RowOfHost, now: SeenHost | undefined): HostVerdict {
  const { entry, host: one, interface: nic, errors } = row;
  const named = {
    line: entry.line,
    host: one.name || (entry.filled.name ?? null),
    interface: nic?.name || null,
  };
  if (errors.length > 0 || !now) return refusedRow(named, errors.toSorted(byColumn));
  const isFirst = one.rows[0] === row;
  const isNew = (isFirst && !one.before) || (nic !== undefined && !nic.before);
  const changes = changesOfRow(COMPARED, shown(row, one.before), shown(row, now));
  const verdict = isNew ? "new" : changes.length > 0 ? "change" : "same";
  return { ...named, verdict, changes, errors: [] };
}

function byColumn(one: FieldError, other: FieldError): number {
  return COLUMNS.indexOf(one.field) - COLUMNS.indexOf(other.field);
}

/** What there is to see of the interface, and in the first row of the host. */
function shown(
  { host: one, interface: nic, ...row }: RowOfHost,
  seen: SeenHost | undefined,
): SeenValues {
  const isFirst = one.rows[0]?.entry === row.entry;
  const found = seen?.interfaces.find(({ id }) => id === nic?.id);
  const { name, network, ip, mac, cnames: names, ...others } = found ?? {};
  const further = Object.entries(others).map(([field, value]) => [
    `${OF_INTERFACE}${field}`,
    value,
  ]);
  return {
    ...(isFirst && seen),
    ...{ interface: name, network, ip, mac, cnames: names?.toSorted() },
    ...Object.fromEntries(further),
  };
}

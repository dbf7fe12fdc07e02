// What each row would do to its host and interface, by the rules for one host: names become records, and what is left
// blank stays. What several rows or other hosts claim is checked afterwards: see claims.ts and conflicts.ts.
import { type StoredValues, valueIn } from "../../import/stored_columns.ts";
import { type FieldError, unknownName } from "../../input/errors.ts";
import { REQUIRED } from "../../input/shape.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { stackMembersOf } from "../../inventory/items/item_rules.ts";
import { onlyForAdmins } from "../../store/may_edit.ts";
import { groupErrors } from "../hosts/group_memberships.ts";
import { newHost } from "../hosts/hosts.ts";
import { onHiddenHost } from "../hosts/mounted_items.ts";
import { excess } from "../variables/limits.ts";
import type { ExistingHost, ExistingRecords } from "./existing_records.ts";
import {
  draftOfInterface,
  type InterfaceDraft,
  type NetworkLookup,
  networkLookup,
} from "./interfaces.ts";
import { HOST_COLUMNS, type HostEntry, initial, STORED } from "./rows.ts";

export interface HostDraft {
  name: string;
  existing: ExistingHost | undefined;
  stored: StoredValues;
  device_type: { id: number; name: string };
  automation_vars: Record<string, unknown>;
  /** ICS ids, sorted. */
  items: string[];
  /** Names as the groups are called, sorted. */
  groups: string[];
  rows: RowDraft[];
}

export interface RowDraft {
  line: number;
  entry: HostEntry;
  /** Undefined without a valid name. */
  host: HostDraft | undefined;
  interface: InterfaceDraft | undefined;
  errors: FieldError[];
}

export async function draftsOf(
  entries: HostEntry[],
  known: ExistingRecords,
): Promise<{ rows: RowDraft[]; hosts: HostDraft[] }> {
  const rows = entries.map((entry): RowDraft => {
    const { line, name, errors } = entry;
    const isMissing =
      name === undefined && !errors.some(({ field }) => ["name", "row"].includes(field));
    const missing = isMissing ? [{ field: "name", message: REQUIRED }] : [];
    const found = [...errors, ...missing];
    return { line, entry, host: undefined, interface: undefined, errors: found };
  });
  const named = rows.filter(({ entry }) => entry.name !== undefined);
  const groups = Map.groupBy(named, ({ entry }) => entry.name ?? "");
  const networks = networkLookup(known.networks);
  const hosts = await mapInSlices(groups, ([name, own]) => hostOf(name, own, known, networks));
  return { rows, hosts };
}

function hostOf(
  name: string,
  rows: RowDraft[],
  known: ExistingRecords,
  networks: NetworkLookup,
): HostDraft {
  const existing = known.hosts.get(name);
  const cells = hostCells(rows);
  const host: HostDraft = {
    name,
    existing,
    stored: storedOf(cells, { existing, known }),
    device_type: deviceTypeOf(rows, cells, { existing, known }),
    automation_vars: varsOf(cells) ?? existing?.automation_vars ?? {},
    items: itemsOf(cells, { existing, known }),
    groups: groupsOf(cells, known) ?? existing?.groups ?? [],
    rows,
  };
  refuseStackMembers(host, cells.get("device_type")?.row ?? rows[0]);
  for (const [at, row] of rows.entries()) {
    row.host = host;
    row.interface = draftOfInterface(row, {
      ...{ isFirst: at === 0, host, networks, named: known.named },
    });
  }
  return host;
}

interface HostCell {
  value: unknown;
  /** The row that gives it. */
  row: RowDraft;
}

type HostCells = Map<string, HostCell>;

/** The cells of the host, from the first row that fills them in; the others may repeat them. */
function hostCells(rows: RowDraft[]): HostCells {
  const cells: HostCells = new Map();
  for (const row of rows) {
    const filled = new Map<string, unknown>(Object.entries(row.entry.filled));
    for (const field of HOST_COLUMNS) {
      if (field === "name" || !filled.has(field)) continue;
      const [value, first] = [filled.get(field), cells.get(field)];
      if (!first) cells.set(field, { value, row });
      else if (!Bun.deepEquals(first.value, value)) {
        const message = `Line ${first.row.line} gives another value for the same host`;
        row.errors.push({ field, message });
      }
    }
  }
  return cells;
}

interface HostContext {
  existing: ExistingHost | undefined;
  known: ExistingRecords;
}

function storedOf(cells: HostCells, { existing, known }: HostContext): StoredValues {
  return Object.fromEntries(
    STORED.map((stored) => {
      const { name, column } = stored;
      const now = existing ? existing.stored[column] : initial(column);
      return [column, valueIn(stored, cells.get(name), known.named) ?? now ?? null];
    }),
  );
}

function deviceTypeOf(
  rows: RowDraft[],
  cells: HostCells,
  { existing, known }: HostContext,
): HostDraft["device_type"] {
  const cell = cells.get("device_type");
  const now = { id: existing?.device_type_id ?? 0, name: existing?.device_type ?? "" };
  if (!cell) {
    const isWrong = rows.some(({ errors }) => errors.some(({ field }) => field === "device_type"));
    const isMissing = !existing && !isWrong && newHost.required?.includes("device_type");
    if (isMissing) rows[0]?.errors.push({ field: "device_type", message: REQUIRED });
    return now;
  }
  const name = String(cell.value);
  const found = known.deviceTypes.get(name.toLowerCase());
  if (!found) cell.row.errors.push(unknownName("device_type", name));
  return found ?? now;
}

function varsOf(cells: HostCells): HostDraft["automation_vars"] | undefined {
  const cell = cells.get("automation_vars");
  if (!cell) return undefined;
  const vars = cell.value as HostDraft["automation_vars"];
  const message = excess(vars);
  if (message) cell.row.errors.push({ field: "automation_vars", message });
  return vars;
}

function groupsOf(cells: HostCells, known: ExistingRecords): string[] | undefined {
  const cell = cells.get("automation_groups");
  if (!cell) return undefined;
  const names = new Set<string>();
  for (const given of cell.value as string[]) {
    const group = known.groups.get(given.toLowerCase());
    const errors = groupErrors(given, group?.type);
    if (group && errors.length === 0) names.add(group.name);
    cell.row.errors.push(...errors);
  }
  return [...names].toSorted(byName);
}

/** As the database sorts them. */
function byName(one: string, other: string): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1;
}

/** An item that is mounted on another host moves here, if the caller may change that host. */
function itemsOf(cells: HostCells, { existing, known }: HostContext): string[] {
  const cell = cells.get("items");
  if (!cell) return existing?.items.map(({ ics_id }) => ics_id) ?? [];
  const labels = new Set((cell.value as string[]).map((one) => one.toUpperCase()));
  for (const label of labels) {
    const item = known.items.get(label);
    const isMove = item !== undefined && item.host_id !== null && item.host_id !== existing?.id;
    if (!item) cell.row.errors.push(unknownName("items", label, "item"));
    else if (isMove && item.isHidden) cell.row.errors.push(...onHiddenHost(label).errors);
    else if (isMove && item.protected_by !== null) {
      cell.row.errors.push({ field: "items", message: onlyForAdmins(item.protected_by).message });
    }
  }
  return [...labels].toSorted();
}

/** Only network devices have places in a stack. */
function refuseStackMembers({ existing, device_type, items }: HostDraft, row?: RowDraft): void {
  if (!existing || device_type.name === "Network") return;
  const stay = existing.items.filter(
    ({ ics_id, isStacked }) => isStacked && items.includes(ics_id),
  );
  if (stay.length > 0) row?.errors.push(stackMembersOf(stay.length));
}

// The columns of an import of hosts, and how its rows are read. A row is a host with one of its interfaces; further rows
// with the same host name are its further interfaces.
import { type Static, Type } from "@sinclair/typebox";
import type { ImportRow } from "../../import/import.ts";
import { listSeparators, type RowColumns, readCells } from "../../import/rows.ts";
import type { FieldError } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import { nameOfHeading } from "../../spreadsheet/table.ts";
import type { Field } from "../../store/fields.ts";
import { changeFields } from "../../store/resource.ts";
import { cname } from "../cnames/cname.ts";
import * as shapes from "../common/shapes.ts";
import { host } from "../hosts/host.ts";
import type { ChangedHost } from "../hosts/hosts.ts";
import { networkInterface } from "../interfaces/interface.ts";
import { changedInterface } from "../interfaces/interfaces.ts";

const { name: _, network, ip, mac, ...further } = changedInterface.properties;
export const OF_INTERFACE = "interface_";

/** The schema of the filled cells of a row. */
export const importedHost = Type.Partial(
  closed({
    ...changeFields(host),
    interface: shapes.NEW_LABEL,
    network,
    ip,
    mac,
    cnames: Type.Array(cname.fields.name.create, {
      maxItems: 100,
      description: "Use at most 100 names, as a list or separated by commas or blanks",
    }),
    ...prefixed(further),
  }),
);

/** Fields of an interface that a host has too. */
function prefixed<Of>(fields: Record<string, Of>): Record<string, Of> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [`${OF_INTERFACE}${name}`, schema]),
  );
}

export const COLUMNS: readonly string[] = Object.keys(importedHost.properties);

const hostFields: Record<string, Field | undefined> = host.fields;
const interfaceFields: Record<string, Field | undefined> = networkInterface.fields;

/** The columns of the host; the others are of the interface. */
export const HOST_COLUMNS = COLUMNS.filter((name) => name in changeFields(host));
const INTERFACE_COLUMNS = COLUMNS.filter((name) => !HOST_COLUMNS.includes(name));

export function columnLabel(column: string): string {
  if (column === "interface") return "Interface name";
  const own = column.startsWith(OF_INTERFACE) ? column.slice(OF_INTERFACE.length) : "";
  if (own) return `${interfaceFields[own]?.label ?? own} of the interface`;
  const fields = INTERFACE_COLUMNS.includes(column) ? interfaceFields : hostFields;
  return fields[column]?.label ?? column;
}

/** Other names of columns, in address plans and exports of other registers. */
const SYNONYMS: Record<string, string> = {
  hostname: "name",
  host: "name",
  host_name: "name",
  type: "device_type",
  ips: "ip",
  macs: "mac",
  networks: "network",
  vlan: "network",
  vlan_name: "network",
};

export const HEADINGS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(hostFields).flatMap(([name, field]) =>
      field ? [[nameOfHeading(field.label), name]] : [],
    ),
  ),
  ...Object.fromEntries(COLUMNS.map((name) => [nameOfHeading(columnLabel(name)), name])),
  ...SYNONYMS,
};

const CELLS: RowColumns = {
  schema: importedHost,
  names: COLUMNS,
  kindOf: (name) => (INTERFACE_COLUMNS.includes(name) ? undefined : hostFields[name]?.kind),
  separators: {
    ...listSeparators(hostFields),
    ...prefixed(listSeparators(interfaceFields)),
    ...{ items: /[\s,;]+/, cnames: /[\s,;]+/, automation_groups: /[,;\n]/ },
  },
  objects: ["automation_vars", "site", "interface_site"],
  elementError: (name, element, message) => ({
    field: name,
    message: `'${String(element).slice(0, 40)}': ${message}`,
  }),
};

type ImportedHost = Static<typeof importedHost>;

/** A parsed row. */
export interface HostEntry {
  line: number;
  /** In lower case; undefined if the cell is blank or not valid. */
  name: string | undefined;
  /** The filled cells. */
  filled: ImportedHost;
  hasInterface: boolean;
  errors: FieldError[];
}

export function readRow(row: ImportRow): HostEntry {
  const { filled: given, errors } = readCells(CELLS, row);
  const filled = given as ImportedHost;
  return {
    line: row.line,
    name: filled.name?.toLowerCase(),
    filled,
    hasInterface: INTERFACE_COLUMNS.some((name) => name in given),
    errors,
  };
}

/** The fields of the host that the cells fill in. */
export function hostInput({ filled }: HostEntry): Omit<ChangedHost, "name"> {
  const { name, ...given } = filled;
  return Object.fromEntries(
    Object.entries(given).filter(([field]) => HOST_COLUMNS.includes(field)),
  );
}

/** The same of the interface, by the names that its fields have there. */
export function furtherInput({ filled }: HostEntry): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filled).flatMap(([name, value]) =>
      name.startsWith(OF_INTERFACE) ? [[name.slice(OF_INTERFACE.length), value]] : [],
    ),
  );
}

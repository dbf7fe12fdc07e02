// The tables whose changes can be undone: their editors and dependent rows.
import type { Permission } from "../auth/auth.ts";
import { resourceOf } from "../resources.ts";
import { type FileOwner, fileOwners } from "../store/file_owners.ts";

/** A table whose changes can be undone. */
export type RestoredTable = string;

/** The roles that may change its rows. */
export function editorsOf(table: RestoredTable): readonly Permission[] {
  const described = table === "group_hosts" || table === "group_children" ? "groups" : table;
  return resourceOf(described)?.editors ?? [];
}

/** The columns of items that name their host: shown only if the host is visible, and editable on both pages. */
export const ITEM_HOST_COLUMNS = ["host_id", "stack_member"];

interface DependentRows {
  table: RestoredTable;
  /** The column that refers to the row. */
  key: string;
  noun: string;
}

const FILES = Object.fromEntries(
  fileOwners.map(([table, { key }]) => [table, { table: "files", key, noun: "a file" }]),
) as Record<FileOwner, DependentRows>;

/** Rows that are deleted with a row, or lose their reference to it. */
export const DEPENDENTS: Partial<Record<RestoredTable, DependentRows[]>> = {
  models: [FILES.models],
  locations: [FILES.locations],
  networks: [FILES.networks],
  items: [
    FILES.items,
    { table: "comments", key: "item_id", noun: "a comment" },
    { table: "macs", key: "item_id", noun: "a MAC address" },
  ],
  hosts: [
    FILES.hosts,
    { table: "interfaces", key: "host_id", noun: "an interface" },
    { table: "group_hosts", key: "host_id", noun: "a group" },
    { table: "items", key: "host_id", noun: "an item" },
  ],
  interfaces: [{ table: "cnames", key: "interface_id", noun: "a cname" }],
  groups: [
    { table: "group_hosts", key: "group_id", noun: "a host" },
    { table: "group_children", key: "parent_id", noun: "a group in it" },
    { table: "group_children", key: "child_id", noun: "a group above it" },
  ],
};

// What can be taken back, table by table: who may change it, and what hangs on it.
import type { Group } from "../auth/auth.ts";
import { resourceOf } from "../resources.ts";

/** A table whose changes can be taken back. */
export type Table = string;

/** Who may change a row of it. */
export function editorsOf(table: Table): readonly Group[] {
  const described = table === "group_hosts" || table === "group_children" ? "groups" : table;
  return resourceOf(described)?.editors ?? [];
}

/** Which host an item is part of: told to those who may know of it, changed from both sides. */
export const PLACE_ON_HOST = ["host_id", "stack_member"];

interface Part {
  table: Table;
  /** The column that says whose part it is. */
  key: string;
  noun: string;
}

/** What a deletion takes along, or leaves without. */
export const PARTS: Partial<Record<Table, Part[]>> = {
  items: [
    { table: "comments", key: "item_id", noun: "a comment" },
    { table: "macs", key: "item_id", noun: "a MAC address" },
  ],
  hosts: [
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

// Which records have files, and which of them a file belongs to.

/** The tables whose records have files: the column that names the record, and its path in the API. */
export const FILE_OWNERS = {
  items: { key: "item_id", path: "/inventory/items" },
  models: { key: "model_id", path: "/inventory/models" },
  locations: { key: "location_id", path: "/inventory/locations" },
  hosts: { key: "host_id", path: "/network/hosts" },
  networks: { key: "network_id", path: "/network/networks" },
} as const;
export type FileOwner = keyof typeof FILE_OWNERS;
export const fileOwners = Object.entries(FILE_OWNERS) as Array<
  [FileOwner, (typeof FILE_OWNERS)[FileOwner]]
>;

/** The record that a row of `files` belongs to. */
export function ownerOf(
  row: Record<string, unknown>,
): { table: FileOwner; id: number } | undefined {
  const found = fileOwners.find(([, { key }]) => row[key] != null);
  return found && { table: found[0], id: Number(row[found[1].key]) };
}

// Every kind of record that people edit. What others refer to stands before them: rows return in this order when a
// change is undone, and go in the opposite one.
import { kinds } from "./inventory/attributes/attribute.ts";
import { comment } from "./inventory/comments/comment.ts";
import { item } from "./inventory/items/item.ts";
import { mac } from "./inventory/macs/mac.ts";
import { network } from "./network/networks/network.ts";
import type { Resource } from "./store/resource.ts";

export const resources: readonly Resource[] = [
  ...kinds.map(({ resource }) => resource),
  network,
  item,
  comment,
  mac,
];

const byTable = new Map(resources.map((resource) => [resource.name, resource]));

/** The kind of record that is kept in a table. */
export function resourceOf(table: string): Resource | undefined {
  return byTable.get(table);
}

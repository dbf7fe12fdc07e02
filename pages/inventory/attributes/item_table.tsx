import { type ItemKind, kindOf } from "../../../src/inventory/attributes/attribute.ts";
import { item } from "../../../src/inventory/items/item.ts";
import type { ShownItem } from "../../../src/inventory/items/items.ts";
import { StatusPill } from "../../lists/pill.tsx";
import { recordLink } from "../../records/links.tsx";
import { itemPath } from "../items/paths.ts";

export const READ = [
  ...(["id", "ics_id", "serial_number"] as const),
  ...(["manufacturer", "model", "location", "status", "status_colour"] as const),
] as const;

export type FirstItem = Pick<ShownItem, (typeof READ)[number]>;

/** The first items that have an attribute, with their other attributes. */
export function ItemTable({ items, kinds }: { items: FirstItem[]; kinds: ItemKind[] }) {
  const { ics_id, serial_number } = item.fields;
  return (
    <table class="list">
      <caption class="hidden">Items</caption>
      <thead>
        <tr>
          <th scope="col">{ics_id.label}</th>
          <th scope="col">{serial_number.label}</th>
          {kinds.map((kind) => (
            <th scope="col">{item.fields[kind].label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr>
            <td data-label={ics_id.label} class="mono">
              <a class="open" href={itemPath(one.ics_id)}>
                {one.ics_id}
              </a>
            </td>
            <td data-label={serial_number.label}>{one.serial_number}</td>
            {kinds.map((kind) => (
              <td data-label={item.fields[kind].label}>
                {one[kind] && linkOf(one, kind, one[kind])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function linkOf({ status_colour }: FirstItem, kind: ItemKind, name: string) {
  if (kind === "status") return <StatusPill name={name} chosen={status_colour} />;
  return recordLink(kindOf(kind).plural, name);
}

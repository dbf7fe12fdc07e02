// The button that deletes an item, and what is deleted along with it.
import type { Item } from "../../../src/inventory/items/item.ts";
import { DeleteForm } from "../../layout/confirm.tsx";
import { countOf } from "../../parts/count.ts";
import { PATH } from "./list.tsx";

type DeletedItem = Pick<Item, "ics_id" | "comments" | "macs" | "host">;

export const REMOVERS = ["admin"] as const;

/** An item that holds others cannot be deleted. */
export function DeleteItem({ item, inside }: { item: DeletedItem; inside: number }) {
  if (inside > 0) {
    const them = inside === 1 ? "it" : "them";
    return (
      <p class="muted">
        Contains {countOf(inside, "item")}: remove {them} first to delete this item
      </p>
    );
  }
  return (
    <DeleteForm
      action={`${PATH}/delete`}
      field={["ics_id", item.ics_id]}
      noun="item"
      name={item.ics_id}
      detail={impactOf(item)}
    />
  );
}

export function impactOf({ comments, macs, host }: DeletedItem): string {
  const parts = [
    comments.length > 0 && `${countOf(comments.length, "comment")} deleted with it`,
    macs.length > 0 && `${countOf(macs.length, "MAC address")} free to use again`,
    host !== null && `${host} stays, without this item`,
  ].filter((part) => part !== false);
  return [...(parts.length > 0 ? [parts.join("; ")] : []), "The deletion can be undone"].join(". ");
}

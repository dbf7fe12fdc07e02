// The position of an item in the list that it was opened from. The query of the list is in the URL of the item, so
// previous and next are plain links that respect its filters and order.
import type { Caller } from "../../../src/auth/auth.ts";
import * as items from "../../../src/inventory/items/items.ts";
import type { ListPosition } from "../../../src/store/records.ts";
import { attempt } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { askedItems } from "./asked.ts";
import { PATH, viewPath } from "./list.tsx";

export interface ItemInList extends ListPosition {
  list: URLSearchParams;
}

/** Undefined if the item was not opened from a list, is no longer in it, or the query is invalid. */
export async function findInList(
  caller: Caller,
  item: { id: number },
  address: string,
): Promise<ItemInList | undefined> {
  const list = queryIn(address);
  if (!list) return undefined;
  const tried = await attempt(() => items.neighboursInList(caller, item.id, askedItems(list)));
  return "done" in tried && tried.done ? { ...tried.done, list } : undefined;
}

export function listPath(address: string): string {
  return withParams(PATH, queryIn(address) ?? new URLSearchParams(), {});
}

function queryIn(address: string): URLSearchParams | undefined {
  const query = new URL(address, "http://here").searchParams.get("in");
  return query === null ? undefined : new URLSearchParams(query);
}

export function ListPositionNav({ position, total, previous, next, list }: ItemInList) {
  return (
    <nav class="in-list" aria-label="In the list">
      {previous && (
        <a
          class="button quiet square"
          rel="prev"
          href={viewPath(previous, list)}
          data-key="p"
          title="Previous (p)"
        >
          <Icon name="chevron-left" /> <span class="hidden">Previous</span>
        </a>
      )}
      <span>
        {position.toLocaleString("en")} of {total.toLocaleString("en")}
      </span>
      {next && (
        <a
          class="button quiet square"
          rel="next"
          href={viewPath(next, list)}
          data-key="n"
          title="Next (n)"
        >
          <Icon name="chevron-right" /> <span class="hidden">Next</span>
        </a>
      )}
    </nav>
  );
}

// The list that an item was opened from: its query stands in the item's address, so that the way on is
// right under any filter and order, and is a plain link.
import type { Caller } from "../../../src/auth/auth.ts";
import * as items from "../../../src/inventory/items/items.ts";
import type { ListPosition } from "../../../src/store/records.ts";
import { attempt } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { askedItems } from "./asked.ts";
import { PATH, viewPath } from "./list.tsx";

export interface PlaceInList extends ListPosition {
  list: URLSearchParams;
}

/** Undefined where it was opened from no list, is not in it any more, or the list is none. */
export async function placeIn(
  caller: Caller,
  item: { id: number },
  address: string,
): Promise<PlaceInList | undefined> {
  const list = queryIn(address);
  if (!list) return undefined;
  const tried = await attempt(() => items.neighboursInList(caller, item.id, askedItems(list)));
  return "done" in tried && tried.done ? { ...tried.done, list } : undefined;
}

export function listOf(address: string): string {
  return withParams(PATH, queryIn(address) ?? new URLSearchParams(), {});
}

function queryIn(address: string): URLSearchParams | undefined {
  const query = new URL(address, "http://here").searchParams.get("in");
  return query === null ? undefined : new URLSearchParams(query);
}

export function InList({ position, total, previous, next, list }: PlaceInList) {
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

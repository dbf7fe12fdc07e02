// The addresses of the pages of items.
import { readTyped } from "../../request/typed_search.ts";

export const ITEMS = "/inventory/items";

export function itemPath(ics_id: string): string {
  return `${ITEMS}/view/${ics_id}`;
}

/** The field that orders a list of items. */
export const ORDER = "ics_id";

/** The parameters of a list of items: sorted by label unless the address says otherwise. */
export function itemListParams(params: URLSearchParams): URLSearchParams {
  const listParams = readTyped(params);
  if (!listParams.has("sort")) listParams.set("sort", ORDER);
  return listParams;
}

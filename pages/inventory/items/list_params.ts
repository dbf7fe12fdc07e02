// The parameters of a list of items: sorted by label unless the address says otherwise.
import { readTyped } from "../../request/typed_search.ts";

/** The field that orders a list of items. */
export const ORDER = "ics_id";

export function itemListParams(params: URLSearchParams): URLSearchParams {
  const listParams = readTyped(params);
  if (!listParams.has("sort")) listParams.set("sort", ORDER);
  return listParams;
}

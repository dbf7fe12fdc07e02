// What a list of items asks for: in the order of their labels, unless another is chosen.
import { readTyped } from "../../request/typed_search.ts";

/** The field that orders a list of items. */
export const ORDER = "ics_id";

export function askedItems(params: URLSearchParams): URLSearchParams {
  const asked = readTyped(params);
  if (!asked.has("sort")) asked.set("sort", ORDER);
  return asked;
}

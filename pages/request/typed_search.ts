// Reads the text of the search box above a list: usually part of a name, seldom a query.
import { asContainsQuery } from "../../src/search/language/typed_text.ts";

/** The parameters of a list, with the typed text `q` converted to a query by `read`. */
export function readTyped(params: URLSearchParams, read = asContainsQuery): URLSearchParams {
  const listParams = bestFirst(params);
  const [text, ...others] = params.getAll("q");
  if (text !== undefined && others.length === 0) listParams.set("q", read(text));
  return listParams;
}

/** Sorts by relevance if there is a query and no chosen order. */
function bestFirst(params: URLSearchParams): URLSearchParams {
  const listParams = new URLSearchParams(params);
  // For programs: a page shows its total.
  listParams.delete("skip_total");
  if (params.get("q")?.trim() && !params.get("sort")) listParams.set("sort", "relevance");
  return listParams;
}

/** The same without sorting by relevance, for lists that are always sorted by time. */
export function readTypedByTime(params: URLSearchParams): URLSearchParams {
  const listParams = readTyped(params);
  if (!params.get("sort")) listParams.delete("sort");
  return listParams;
}

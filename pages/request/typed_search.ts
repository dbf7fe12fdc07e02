// Reads the text of the search box above a list, which is seldom a query and hardly ever a whole name.
import { asContainsQuery } from "../../src/search/language/typed_text.ts";

/** The parameters of a list with `q` as the query that `read` makes of the typed text. */
export function readTyped(params: URLSearchParams, read = asContainsQuery): URLSearchParams {
  const asked = bestFirst(params);
  const [text, ...others] = params.getAll("q");
  if (text !== undefined && others.length === 0) asked.set("q", read(text));
  return asked;
}

/** Sorts by relevance where there is a query, unless another order was chosen. */
export function bestFirst(params: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(params);
  if (params.get("q")?.trim() && !params.get("sort")) asked.set("sort", "relevance");
  return asked;
}

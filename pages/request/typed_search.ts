// What people type into the box above a list is seldom a query, and hardly ever a whole name.
import { asContainsQuery } from "../../src/search/language/typed_text.ts";

/** The parameters by which a list is asked for what they mean, which `read` tells of the text. */
export function asMeant(params: URLSearchParams, read = asContainsQuery): URLSearchParams {
  const asked = bestFirst(params);
  const [text, ...others] = params.getAll("q");
  if (text !== undefined && others.length === 0) asked.set("q", read(text));
  return asked;
}

/** What answers best to a query comes first, unless another order was chosen. */
export function bestFirst(params: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(params);
  if (params.get("q")?.trim() && !params.get("sort")) asked.set("sort", "relevance");
  return asked;
}

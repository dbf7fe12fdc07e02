// What people type into the box above a list is seldom a query, and hardly ever a whole name.
import { partly } from "../src/search/partly.ts";

/** The parameters by which a list is asked for what they mean. */
export function asMeant(params: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(params);
  const [text, ...others] = params.getAll("q");
  if (text !== undefined && others.length === 0) asked.set("q", partly(text));
  return asked;
}

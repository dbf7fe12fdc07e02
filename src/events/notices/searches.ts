// A saved search of a list as a query of the search language, which is also true of records as they were.
import { invalid, Refusal } from "../../input/errors.ts";
import { kinds } from "../../inventory/attributes/attribute.ts";
import { resources } from "../../resources.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";

export interface StoredSearch {
  /** The path of the list. */
  list: string;
  /** Of its URL. */
  query: string;
}

interface Search {
  table: string;
  /** In the search language; undefined for all records of the list. */
  text: string | undefined;
}

/** Parameters that do not select records. */
const PRESENTATION = ["sort", "cols", "per_page", "page", "selected", "block"];

/** Refuses searches that the search language cannot express. */
export function searchOf({ list, query }: StoredSearch): Search {
  const table = tableOf(list);
  if (!table) throw invalid("search_id", "Records of this list cannot be watched");
  const params = new URLSearchParams(query);
  const names = [...new Set(params.keys())].filter((name) => !PRESENTATION.includes(name));
  const terms = names.flatMap((name) => termsOf(name, params.getAll(name)));
  if (terms.length === 0) return { table, text: undefined };
  return { table, text: terms.map((term) => `(${term})`).join(" AND ") };
}

export function canBeWatched(search: StoredSearch): boolean {
  try {
    searchOf(search);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function tableOf(list: string): string | undefined {
  const attribute = kinds.find(({ name }) => list === `/inventory/attributes/${name}`);
  if (attribute) return attribute.resource.name;
  return resources.find(({ path, page }) => page && path === list)?.name;
}

function termsOf(name: string, values: string[]): string[] {
  const given = values.filter((value) => value.trim() !== "");
  if (given.length === 0) return [];
  if (name === "q") return given.map((text) => asContainsQuery(text));
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(name) || name.endsWith("_id")) {
    throw invalid("search_id", `A search with the filter ${name} cannot be watched`);
  }
  return [given.map((value) => `${name}:${quoted(value)}`).join(" OR ")];
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

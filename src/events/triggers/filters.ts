// Which changes: the parameters of the list of changes, stored as an object.

import { type ChangeFilters, conditionsOf, FILTERS, feedQuery } from "../../history/filters.ts";
import { invalid, Refusal, refuse } from "../../input/errors.ts";
import { readQuery } from "../../input/query.ts";

const FIELD = "filters";

/** Validated by the schema of the list; each error names the parameter. */
export async function readFilters(given: object): Promise<ChangeFilters> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (!FILTERS.includes(name)) {
      throw invalid(`${FIELD}.${name}`, `Use ${FILTERS.join(", ")}`);
    }
    for (const one of [value].flat()) {
      if (typeof one === "object")
        throw invalid(`${FIELD}.${name}`, "Use a text or a list of texts");
      params.append(name, String(one));
    }
  }
  return named(async () => {
    const { after, before, per_page, ...filters } = readQuery(feedQuery, params);
    // A query with a mistake is refused.
    await conditionsOf(filters);
    return filters;
  });
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors.length === 0) throw error;
    throw refuse(
      error.errors.map(({ field, message }) => ({ field: `${FIELD}.${field}`, message })),
    );
  }
}

/** The same as the parameters of an address, for forms and links. */
export function filtersText(filters: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    for (const one of [value].flat()) params.append(name, String(one));
  }
  return params.toString();
}

/** From the address of a list, or its parameters alone. */
export function filtersIn(text: string): Record<string, string[]> {
  const params = new URLSearchParams(text.trim().replace(/^[^?=]*\?/, ""));
  return Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name)]));
}

import type { Fault } from "../input/errors.ts";

export interface Page {
  page: number;
  per_page: number;
}

const DEFAULT = 20;
export const MOST = 100;
/** Beyond it every page is empty, and the place of each record stays an integer to PostgreSQL. */
const FARTHEST = 10_000_000;

export function readPage(params: URLSearchParams, faults: Fault[]): Page {
  return {
    page: Math.min(number(params, "page", 1, faults), FARTHEST),
    per_page: Math.min(number(params, "per_page", DEFAULT, faults), MOST),
  };
}

/** The places of its records in the list, from 0; `to` is exclusive. */
export function extentOf({ page, per_page }: Page): { from: number; to: number } {
  return { from: (page - 1) * per_page, to: page * per_page };
}

export function lastPage({ per_page }: Page, total: number): number {
  return Math.max(1, Math.ceil(total / per_page));
}

/** The same list with other parameters: filters are kept, `per_page` and `page` come last. */
export function withPage(params: URLSearchParams, { page, per_page }: Page): string {
  const kept = new URLSearchParams(params);
  kept.delete("per_page");
  kept.delete("page");
  kept.append("per_page", String(per_page));
  kept.append("page", String(page));
  return kept.toString();
}

/** Bytes of a `link` header: clients take 8 to 16 kB of headers in all. */
const LARGEST_LINK = 8_000;

/** The `link` header of RFC 8288; undefined where the parameters that it repeats make it too large. */
export function links(
  address: string,
  params: URLSearchParams,
  at: Page & { total: number },
): string | undefined {
  if (withPage(params, at).length > LARGEST_LINK) return undefined;
  const last = lastPage(at, at.total);
  const relations: Array<[string, number | false]> = [
    ["first", 1],
    ["prev", at.page > 1 && Math.min(at.page - 1, last)],
    ["next", at.page < last && at.page + 1],
    ["last", last],
  ];
  const link = relations
    .filter((relation): relation is [string, number] => relation[1] !== false)
    .map(([name, page]) => `<${address}?${withPage(params, { ...at, page })}>; rel="${name}"`)
    .join(", ");
  return link.length <= LARGEST_LINK ? link : undefined;
}

function number(params: URLSearchParams, name: string, otherwise: number, faults: Fault[]): number {
  const [text, ...others] = params.getAll(name);
  if (text === undefined) return otherwise;
  // However long: what is too large for a number is Infinity here, and more than any limit.
  const value = Number(text);
  if (others.length === 0 && /^[0-9]+$/.test(text) && value >= 1) return value;
  faults.push({ field: name, message: "Use a whole number from 1, once" });
  return otherwise;
}

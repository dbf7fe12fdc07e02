import { type Static, Type } from "@sinclair/typebox";
import type { FieldError } from "../input/errors.ts";
import { collectQuery, query } from "../input/query.ts";

export interface Page {
  page: number;
  per_page: number;
}

const DEFAULT = 20;
export const MOST = 100;
/** Beyond it every page is empty, and the place of each record stays an integer to PostgreSQL. */
const FARTHEST = 10_000_000;

const whole = { minimum: 1, description: "Use a whole number from 1, once" };

export const pageParameters = {
  page: Type.Integer({ ...whole, default: 1, title: "Which page" }),
  per_page: Type.Integer({
    ...whole,
    default: DEFAULT,
    title: `Records a page, ${MOST} at most`,
  }),
};
const pageQuery = query(pageParameters);

/** Parameters beside `page` and `per_page` are for others. */
export function readPage(params: URLSearchParams, errors: FieldError[]): Page {
  const own = [...params].filter(([name]) => Object.hasOwn(pageParameters, name));
  return pageOf(collectQuery(pageQuery, new URLSearchParams(own), errors));
}

export function pageOf({ page, per_page }: Static<typeof pageQuery>): Page {
  return { page: Math.min(page, FARTHEST), per_page: Math.min(per_page, MOST) };
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

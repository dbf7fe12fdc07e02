// The paging of lists: parameters, offsets, the `link` header, and how far a list can be read in the order of its ids.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { FieldError } from "../input/errors.ts";
import { collectQuery, query } from "../input/query.ts";

export interface PageRange {
  page: number;
  per_page: number;
}

const DEFAULT = 20;
export const MOST_PER_PAGE = 100;
/** Later pages are empty. The limit keeps the offset of each record an integer of PostgreSQL. */
const FARTHEST = 10_000_000;

const positive = { minimum: 1, description: "Use a whole number from 1, once" };

export const pageParameters = {
  page: Type.Integer({ ...positive, default: 1, title: "Which page" }),
  per_page: Type.Integer({
    ...positive,
    default: DEFAULT,
    title: `Records a page, ${MOST_PER_PAGE} at most`,
  }),
};
const pageQuery = query(pageParameters);

/** Other parameters than `page` and `per_page` are ignored. */
export function readPage(params: URLSearchParams, errors: FieldError[]): PageRange {
  const own = [...params].filter(([name]) => Object.hasOwn(pageParameters, name));
  return pageOf(collectQuery(pageQuery, new URLSearchParams(own), errors));
}

export function pageOf({ page, per_page }: Static<typeof pageQuery>): PageRange {
  return { page: Math.min(page, FARTHEST), per_page: Math.min(per_page, MOST_PER_PAGE) };
}

/** The offsets of its records in the list; `to` is exclusive. */
export function extentOf({ page, per_page }: PageRange): { from: number; to: number } {
  return { from: (page - 1) * per_page, to: page * per_page };
}

export function lastPage({ per_page }: PageRange, total: number): number {
  return Math.max(1, Math.ceil(total / per_page));
}

/** The same list with other parameters: filters stay, `per_page` and `page` come last. */
export function withPage(params: URLSearchParams, range: PageRange): string {
  return pagesOf(params)(range);
}

function pagesOf(params: URLSearchParams): (range: PageRange) => string {
  const rest = [...params].filter(([name]) => name !== "per_page" && name !== "page");
  const before = rest.length > 0 ? `${new URLSearchParams(rest)}&` : "";
  return ({ page, per_page }) => `${before}per_page=${per_page}&page=${page}`;
}

/**
 * Every row of the table up to this id is committed, so a program that reads the rows after it later misses none. Read
 * it by a statement of its own, before the rows.
 */
export async function committedUpToId(table: "audit_log" | "change_sets"): Promise<number> {
  const found = await database.row<{ id: number }>(
    sql`select committed_up_to(${table})::float8 as id`,
  );
  return found?.id ?? 0;
}

/** Bytes of a `link` header: clients take 8 to 16 kB of headers in all. */
const LARGEST_LINK = 8_000;

/**
 * The `link` header of RFC 8288; undefined if the repeated parameters make it too large. Of a list that is not counted
 * nobody knows the last page, and a full page may be followed by an empty one.
 */
export function links(
  address: string,
  params: URLSearchParams,
  at: PageRange & { total: number; isCounted: boolean },
): string | undefined {
  const pageAt = pagesOf(params);
  if (pageAt(at).length > LARGEST_LINK) return undefined;
  const last = at.isCounted ? lastPage(at, at.total) : undefined;
  const hasNext = last === undefined ? at.total === extentOf(at).to : at.page < last;
  const relations: Array<[string, number | false]> = [
    ["first", 1],
    ["prev", at.page > 1 && Math.min(at.page - 1, last ?? at.page)],
    ["next", hasNext && at.page + 1],
    ["last", last ?? false],
  ];
  return joined(
    relations
      .filter((relation): relation is [string, number] => relation[1] !== false)
      .map(([name, page]) => [name, `${address}?${pageAt({ ...at, page })}`]),
  );
}

/** The same of a list without pages: each relation has parameters of its own, null for none. */
export function linksBy(
  address: string,
  params: URLSearchParams,
  relations: Record<string, Record<string, string | null>>,
): string | undefined {
  return joined(
    Object.entries(relations).map(([name, own]) => {
      const query = new URLSearchParams(params);
      for (const [key, value] of Object.entries(own)) {
        if (value === null) query.delete(key);
        else query.set(key, value);
      }
      return [name, query.size > 0 ? `${address}?${query}` : address];
    }),
  );
}

function joined(relations: Array<[name: string, address: string]>): string | undefined {
  const link = relations.map(([name, address]) => `<${address}>; rel="${name}"`).join(", ");
  return link.length <= LARGEST_LINK ? link : undefined;
}

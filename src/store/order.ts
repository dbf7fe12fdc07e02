// The order of a list, and how the keys of a page are found in that order without reading the whole list.
import { type SQL, sql } from "drizzle-orm";
import type { FieldError } from "../input/errors.ts";
import { KIND_RULES } from "../input/kinds.ts";
import { MOST_SORT_FIELDS } from "../input/limits.ts";
import { type FieldSql, type FieldsSql, sortable } from "./filters.ts";
import { extentOf, type PageRange } from "./paging.ts";

interface OrderedQuery {
  from: SQL;
  id: SQL;
  fields: FieldsSql;
  order: SQL;
}

export interface Order {
  by: SQL;
  /** Parts of the list, one after the other. */
  parts: OrderPart[];
  /** It needs only the table of the records. */
  isOwn: boolean;
  /** The best matches for the query come first: see ranked(). */
  isRanked: boolean;
  /** No field is given: equal matches have the default order. */
  isDefault: boolean;
}

interface OrderPart {
  where: SQL;
  by: SQL;
}

interface SortKey {
  by: SQL;
  field: FieldSql;
  descends: boolean;
}

/** The order given by `sort`, made total by the id. */
export function readOrder(resource: OrderedQuery, sort: string[], errors: FieldError[]): Order {
  const [first, ...others] = sort.flatMap((text) => text.split(","));
  const isRanked = first === RELEVANCE;
  const names = isRanked || first === undefined ? others : [first, ...others];
  if (names.length > MOST_SORT_FIELDS) {
    errors.push({ field: "sort", message: `Sort by at most ${MOST_SORT_FIELDS} fields` });
  }
  const keys = names
    .slice(0, MOST_SORT_FIELDS)
    .flatMap((name) => readKey(resource.fields, name, errors));
  const orders = keys.length > 0 ? keys.map(({ by }) => by) : [resource.order];
  const by = sql.join([...orders, resource.id], sql`, `);
  const rest = sql.join([...orders.slice(1), resource.id], sql`, `);
  const isOwn = keys.every(({ field }) => !field.isNull);
  return {
    by,
    parts: partsOf(keys[0], { by, rest }),
    isOwn,
    isRanked,
    isDefault: names.length === 0,
  };
}

/** The best matches for the query first; equal ones keep their order. */
const RELEVANCE = "relevance";

/** The same order within each of these tiers, the first tier first. */
export function ranked(order: Order, tiers: readonly SQL[]): Order {
  if (tiers.length < 2) return order;
  const cases = tiers.map((tier, at) => sql`when ${tier} then ${sql.raw(String(at))}`);
  const parts = tiers.flatMap((tier) =>
    order.parts.map(({ where, by }) => ({ where: sql`${tier} and ${where}`, by })),
  );
  return { ...order, parts, by: sql`case ${sql.join(cases, sql` `)} end, ${order.by}` };
}

/** The tables that conditions and an order need. */
export function tablesFor(
  { table, from }: { table?: SQL; from: SQL },
  ...needs: Array<{ isOwn: boolean }>
): SQL {
  return table && needs.every(({ isOwn }) => isOwn) ? table : from;
}

interface PageOfKeys {
  where: SQL;
  order: Order;
  page: PageRange;
  /** Nothing is filtered or searched. */
  isWhole: boolean;
}

/** The keys of one page, as an array. Keys alone need few tables, and often no more than an index. */
export function keysOfPage(
  resource: Pick<OrderedQuery, "from" | "id">,
  { where, order, page, isWhole }: PageOfKeys,
): SQL {
  const { from, to } = extentOf(page);
  // The first page of a whole list is asked for most. With constants PostgreSQL plans its statement once per connection,
  // not each time. A filter is better served by a plan for its values.
  const offset = (value: number) =>
    isWhole && from === 0 ? sql.raw(String(value)) : sql`${value}::integer`;
  const [start, end] = [offset(from), offset(to)];
  const [first, ...others] = order.parts.map(
    (part) => sql`
      select ${resource.id} from ${resource.from} where ${where} and ${part.where} order by ${part.by}`,
  );
  if (others.length === 0) {
    return sql`array(${first} offset ${start} limit ${offset(page.per_page)})`;
  }
  const further = others.map((part, at) => {
    const [before, here] = [at, at + 1].map((one) => sql.raw(`part_${one}`));
    return sql`, ${here} as materialized (
      select case when cardinality(keys) < ${end} then keys || array(${part} limit ${end}) else keys end as keys
      from ${before})`;
  });
  return sql`(
    with part_0 as materialized (select array(${first} limit ${end}) as keys)${sql.join(further)}
    select keys[${start} + 1:${end}] from ${sql.raw(`part_${others.length}`)}
  )::integer[]`;
}

function readKey(fields: FieldsSql, text: string, errors: FieldError[]): SortKey[] {
  const name = text.replace(/^-/, "");
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field || field.valueRows || KIND_RULES[field.kind].lookups.length === 0) {
    errors.push({ field: "sort", message: `This list cannot be sorted by '${name}'` });
    return [];
  }
  const descends = text.startsWith("-");
  const column = sortable(field);
  return [{ field, descends, by: descends ? sql`${column} desc` : column }];
}

// The names of another table are read along their index, and the records of each name after it. Records without a
// reference are not found like this: they are a part of their own, the last one or, if descending, the first.
function partsOf(key: SortKey | undefined, { by, rest }: { by: SQL; rest: SQL }): OrderPart[] {
  if (!key?.field.isNull) return [{ where: sql`true`, by }];
  const { isNull, column } = key.field;
  const withName = { where: sql`not (${isNull}) and ${column} is not null`, by };
  const withoutName = { where: sql`(${isNull})`, by: rest };
  return key.descends ? [withoutName, withName] : [withName, withoutName];
}

// In what order a list stands, and how its keys are found in that order without reading the whole.
import { type SQL, sql } from "drizzle-orm";
import type { FieldError } from "../input/errors.ts";
import { KIND_RULES } from "../input/kinds.ts";
import { MOST_SORT_FIELDS } from "../input/limits.ts";
import { type FieldSql, type FieldsSql, sortable } from "./filters.ts";
import type { Page } from "./paging.ts";

interface Ordered {
  from: SQL;
  id: SQL;
  fields: FieldsSql;
  order: SQL;
}

export interface Order {
  by: SQL;
  /** As they follow each other. */
  parts: Part[];
  /** It asks nothing of tables beside the records' own. */
  isOwn: boolean;
  /** What answers best to the query comes first: see ranked(). */
  isRanked: boolean;
  /** No field is named: equals stand in the order of the list. */
  isDefault: boolean;
}

interface Part {
  where: SQL;
  by: SQL;
}

interface Key {
  by: SQL;
  field: FieldSql;
  descends: boolean;
}

/** The order that `sort` asks for, made total by the id. */
export function readOrder(resource: Ordered, sort: string[], errors: FieldError[]): Order {
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
  const isOwn = keys.every(({ field }) => !field.absent);
  return {
    by,
    parts: partsOf(keys[0], { by, rest }),
    isOwn,
    isRanked,
    isDefault: names.length === 0,
  };
}

/** The order of what a query finds, the best first; equals keep their order. */
const RELEVANCE = "relevance";

/** The same order within each of these tiers, the first of them first. */
export function ranked(order: Order, tiers: readonly SQL[]): Order {
  if (tiers.length < 2) return order;
  const cases = tiers.map((tier, at) => sql`when ${tier} then ${sql.raw(String(at))}`);
  const parts = tiers.flatMap((tier) =>
    order.parts.map(({ where, by }) => ({ where: sql`${tier} and ${where}`, by })),
  );
  return { ...order, parts, by: sql`case ${sql.join(cases, sql` `)} end, ${order.by}` };
}

/** What has to be read for conditions, and for an order. */
export function tablesFor(
  { table, from }: { table?: SQL; from: SQL },
  ...asked: Array<{ isOwn: boolean }>
): SQL {
  return table && asked.every(({ isOwn }) => isOwn) ? table : from;
}

/** The keys of one page, as an array: read for themselves, they need few tables and often an index alone. */
export function keysOfPage(
  resource: Pick<Ordered, "from" | "id">,
  { where, order, page }: { where: SQL; order: Order; page: Planned },
): SQL {
  const before = (page.page - 1) * page.per_page;
  const [start, end] = [placed(before, page), placed(before + page.per_page, page)];
  const [first, ...others] = order.parts.map(
    (part) => sql`
      select ${resource.id} from ${resource.from} where ${where} and ${part.where} order by ${part.by}`,
  );
  if (others.length === 0) {
    return sql`array(${first} offset ${start} limit ${placed(page.per_page, page)})`;
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

interface Planned extends Page {
  /** One plan is the best for all that may be asked in this way. */
  isSteady: boolean;
}

// Most ask for a first page. With its places in the statement, PostgreSQL has nothing to wonder about and plans it
// once for a connection, not each time. Other pages are too many to be statements of their own, and whoever filters
// by more than keys is better served by a plan for what he filters by.
function placed(place: number, { page, isSteady }: Planned): SQL {
  return page === 1 && isSteady ? sql.raw(String(place)) : sql`${place}::integer`;
}

function readKey(fields: FieldsSql, text: string, errors: FieldError[]): Key[] {
  const name = text.replace(/^-/, "");
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field || field.among || KIND_RULES[field.kind].lookups.length === 0) {
    errors.push({ field: "sort", message: `This list cannot be sorted by '${name}'` });
    return [];
  }
  const descends = text.startsWith("-");
  const column = sortable(field);
  return [{ field, descends, by: descends ? sql`${column} desc` : column }];
}

// Names of another table are walked along their index, and what they name behind each. That finds none
// of the records that have no such name: they stand together, at the end or, descending, before all.
function partsOf(key: Key | undefined, { by, rest }: { by: SQL; rest: SQL }): Part[] {
  if (!key?.field.absent) return [{ where: sql`true`, by }];
  const { absent, column } = key.field;
  const named = { where: sql`not (${absent}) and ${column} is not null`, by };
  const unnamed = { where: sql`(${absent})`, by: rest };
  return key.descends ? [unnamed, named] : [named, unnamed];
}

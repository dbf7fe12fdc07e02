// How every resource is read. PostgreSQL builds the JSON and we pass it through as text: a list costs
// one query and at most one count, and the fields of a record are said once, for reading, filtering
// and sorting alike.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { type Fault, notFound, refuse } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import type { SearchDocument } from "../search/document.ts";
import { find as findMatches, type SearchResult } from "../search/find.ts";
import { condition, type FieldSql, type FieldsSql } from "./filters.ts";
import { type ListQuery, readListQuery } from "./list_query.ts";
import { keysOfPage, ranked, readOrder, tablesFor } from "./order.ts";
import { extentOf, type Page } from "./paging.ts";
import { inside } from "./read.ts";
import * as totals from "./totals.ts";
import type { Transaction } from "./write.ts";

/** How records are read: their tables, and a column for each field. */
export interface RecordQuery<Row = unknown> {
  /** For the compiler alone: what a record holds. */
  readonly row?: Row;
  from: SQL;
  /** Their own table, where nothing is asked of others: even a join that is left out keeps an index from being read alone. */
  table?: SQL;
  id: SQL;
  version: SQL;
  fields: FieldsSql;
  /** What `q` searches, as far as the caller may know of it. */
  document: SearchDocument;
  /** What the caller may know of all; without it everything. */
  visible?: SQL;
  /** The default order, without the id that makes it total. */
  order: SQL;
}

export interface Listed<Row = unknown> extends Page {
  /** A JSON array, as it goes out. */
  json: string;
  readonly row?: Row;
  total: number;
  params: URLSearchParams;
}

export interface Found<Row = unknown> {
  json: string;
  version: number;
  readonly row?: Row;
}

/** The records of a list, for pages. */
export function rowsOf<Row>({ json }: Pick<Listed<Row>, "json" | "row">): Row[] {
  return JSON.parse(json);
}

/** A record, for pages. */
export function rowOf<Row>({ json }: Pick<Found<Row>, "json" | "row">): Row {
  return JSON.parse(json);
}

interface Shown {
  json: string;
  count: number;
  snapshot: string;
}

/** One page of the records that match the parameters, and are `among` some. */
export async function list<Row>(
  resource: RecordQuery<Row>,
  params: URLSearchParams,
  among?: SQL,
): Promise<Listed<Row>> {
  const faults: Fault[] = [];
  const query = readListQuery(resource.fields, params, faults);
  const { page, isRecursive } = query;
  const sort = readOrder(resource, query.sort, faults);
  const asked = await readConditions(resource, query, {
    isRanked: sort.isRanked,
    page: among || !sort.isDefault ? undefined : page,
  });
  const order = ranked(sort, asked.tiers);
  const where = among ? sql`${among} and ${asked.where}` : asked.where;
  if (faults.length > 0) throw refuse(faults);
  // Who asks by a query alone is answered by what it found.
  const alone = among ? undefined : asked.alone;
  // Found a moment ago: what has been hidden since is left out.
  const known = alone?.page;
  const isOdd = alone?.total === undefined || order !== sort;
  const keys =
    known ??
    keysOfPage(
      { id: resource.id, from: tablesFor(resource, asked, order) },
      {
        where,
        order,
        page: { ...page, isSteady: asked.isSteady || !isOdd },
      },
    );
  const ask = isOdd ? database.row<Shown> : database.genericPlanRow<Shown>;
  const shown = await ask(sql`
    select coalesce('[' || string_agg(row_to_json(page)::text, ',') || ']', '[]') as json, count(*)::int as count,
      ${totals.SNAPSHOT} as snapshot
    from (
      select ${columns(resource, isRecursive)} from ${resource.from}
      where ${resource.id} = any(${keys}) and ${(known && resource.visible) ?? sql`true`}
      order by ${known && sort.isRanked ? sql`array_position(${known}, ${resource.id})` : order.by}
    ) page`);
  const { json = "[]", count = 0, snapshot = "" } = shown ?? {};
  const those = sql`from ${tablesFor(resource, asked)} where ${where}`;
  const total = alone?.total ?? (await totalOf(those, { ...page, count, snapshot }));
  return { ...page, json, params, total };
}

/** The keys of all that match, in the list's order: for what is done with a whole list. */
export async function keys(resource: RecordQuery, params: URLSearchParams): Promise<number[]> {
  const all = await allKeys(resource, params);
  const found = await database.row<{ keys: string }>(sql`
    select array_to_json(array(${all}))::text as keys`);
  return JSON.parse(found?.keys ?? "[]");
}

export interface Place {
  /** From 1, in the list's order. */
  position: number;
  total: number;
  previous: string | null;
  next: string | null;
}

/** Where one record stands in a list, and how its neighbours are called; undefined where it is not in it. */
export async function placeOf(
  resource: RecordQuery,
  params: URLSearchParams,
  { id, called }: { id: number; called: SQL },
): Promise<Place | undefined> {
  const all = await allKeys(resource, params);
  const at = (step: number) =>
    sql`(select ${called} from ${resource.from} where ${resource.id} = ids[position + ${step}::integer])`;
  return database.row<Place>(sql`
    with listed as materialized (select array(${all}) as ids), own as (
      select ids, array_position(ids, ${id}::integer) as position, cardinality(ids) as total from listed
    )
    select position, total, ${at(-1)} as previous, ${at(1)} as next from own where position is not null`);
}

/** A statement of the keys of all that match, in the list's order. */
async function allKeys(resource: RecordQuery, params: URLSearchParams): Promise<SQL> {
  const faults: Fault[] = [];
  const query = readListQuery(resource.fields, params, faults);
  const sort = readOrder(resource, query.sort, faults);
  const asked = await readConditions(resource, query, { isRanked: sort.isRanked });
  const order = ranked(sort, asked.tiers);
  if (faults.length > 0) throw refuse(faults);
  return sql`
    select ${resource.id} from ${tablesFor(resource, asked, order)} where ${asked.where} order by ${order.by}`;
}

/** The records behind some of these keys, in their order; what has gone meanwhile is left out. */
export async function some<Row>(resource: RecordQuery<Row>, chosen: number[]): Promise<Row[]> {
  const wanted = integers(chosen);
  const found = await database.row<{ json: string }>(sql`
    select coalesce('[' || string_agg(row_to_json(one)::text, ',') || ']', '[]') as json from (
      select ${columns(resource, false)} from ${resource.from}
      where ${resource.id} = any(${wanted}) order by array_position(${wanted}, ${resource.id})
    ) one`);
  return JSON.parse(found?.json ?? "[]");
}

/** Records inside of a record: those whose `key` leads to it. */
export function within(
  resource: Pick<RecordQuery, "fields" | "id" | "from">,
  { key, of }: { key: SQL; of: SQL },
): SQL {
  // The key of the record around them has a name of its own, because its table may be among theirs.
  return sql`(
    select coalesce(json_agg(row_to_json(one)), '[]'::json)
    from (select ${of} as id) around cross join lateral (
      select ${columns(resource, false)} from ${resource.from} where ${key} = around.id order by ${resource.id}
    ) one)`;
}

type Readable<Row> = Pick<RecordQuery<Row>, "from" | "version" | "fields" | "row"> & {
  isRecursive?: boolean;
  /** Tables that stand in the place of those of now. */
  past?: SQL;
};

/** Inside a write or outside of one, by names or whole. */
export interface Reading {
  tx?: Transaction;
  isRecursive?: boolean;
}

/** Whether a write was asked to answer with records where names stand otherwise. */
export function nests({ wishes }: Caller): boolean {
  return wishes?.recursive ?? false;
}

/** One record, or notFound; inside a write, as the transaction sees it. */
export async function find<Row>(
  resource: Readable<Row>,
  where: SQL,
  tx?: Transaction,
): Promise<Found<Row>> {
  const shown = columns(resource, resource.isRecursive ?? false);
  const query = sql`
    ${resource.past ?? sql``} select (select row_to_json(record)::text from (select ${shown}) record) as json,
      ${resource.version} as version
    from ${resource.from} where ${where}`;
  const [found] = await (tx ? inside(tx) : database.rows)<Found<Row>>(query);
  if (!found) throw notFound();
  return { json: found.json, version: found.version };
}

/** The same records with these fields alone, also those that are otherwise for filters; they are found by all. */
export function pick<Row, const Name extends string>(
  query: RecordQuery<Row>,
  names: readonly Name[],
): RecordQuery<Required<Pick<Row, Name & keyof Row>>> {
  return showing(query, names, (name) => names.includes(name as Name));
}

/** The same records without these fields. */
export function omit<Row, const Name extends string & keyof Row>(
  query: RecordQuery<Row>,
  names: readonly Name[],
): RecordQuery<Omit<Row, Name>> {
  return showing(query, names, (name, { hidden }) => !hidden && !names.includes(name as Name));
}

/** The same records with other records whole in these fields, where names stand otherwise. */
export function whole<More>() {
  return <Row>(
    query: RecordQuery<Row>,
    names: ReadonlyArray<string & keyof More>,
  ): RecordQuery<Omit<Row, keyof More> & More> => {
    const shown = names.map((name) => {
      const { nested, ...field } = query.fields[name] as FieldSql;
      return [name, { ...field, ...(nested && { shown: nested, nested }) }] as const;
    });
    const fields: FieldsSql = { ...query.fields, ...Object.fromEntries(shown) };
    return { ...query, fields } as RecordQuery<Omit<Row, keyof More> & More>;
  };
}

function showing<Row>(
  query: RecordQuery,
  names: readonly string[],
  isShown: (name: string, field: FieldSql) => boolean,
): RecordQuery<Row> {
  const known = chosen.get(names) ?? new WeakMap<FieldsSql, FieldsSql>();
  const fields =
    known.get(query.fields) ??
    Object.fromEntries(
      Object.entries(query.fields).map(([name, field]) => [
        name,
        { ...field, hidden: !isShown(name, field) },
      ]),
    );
  chosen.set(names, known.set(query.fields, fields));
  return { ...query, fields } as RecordQuery<Row>;
}

/** The same records with values of `More` beside their fields. */
export function extend<More>() {
  return <Row>(
    query: RecordQuery<Row>,
    fields: Record<string & keyof More, FieldSql>,
  ): RecordQuery<Row & More> =>
    ({ ...query, fields: { ...query.fields, ...fields } }) as RecordQuery<Row & More>;
}

// The same fields by the same list of names are the same fields, whose columns are written out once.
const chosen = new WeakMap<readonly string[], WeakMap<FieldsSql, FieldsSql>>();

// A page that is not full has told the total already.
function totalOf(
  those: SQL,
  page: Page & { count: number; snapshot: string },
): Promise<number> | number {
  const before = (page.page - 1) * page.per_page;
  if (page.count < page.per_page && (page.count > 0 || page.page === 1)) return before + page.count;
  return totals.count(those, page.snapshot);
}

const written = new WeakMap<FieldsSql, { plain?: SQL; recursive?: SQL }>();

function columns({ fields }: Pick<RecordQuery, "fields">, isRecursive: boolean): SQL {
  const known = written.get(fields) ?? {};
  const way = isRecursive ? "recursive" : "plain";
  known[way] ??= database.precompile(allColumns(fields, isRecursive));
  written.set(fields, known);
  return known[way];
}

function allColumns(fields: FieldsSql, isRecursive: boolean): SQL {
  const shown = Object.entries(fields).filter(([, field]) => !field.hidden);
  return sql.join(
    shown.map(([name, { kind, column, shown: plain = column, nested = plain }]) => {
      const value = kind === "time" ? sql`shown(${column})` : isRecursive ? nested : plain;
      return sql`${value} as ${sql.identifier(name)}`;
    }),
    sql`, `,
  );
}

interface Conditions {
  /** True of all that may be seen and is asked for. */
  where: SQL;
  /** The query, where nothing else is asked for. */
  alone: SearchResult | undefined;
  /** Of the query, where the best are to come first. */
  tiers: readonly SQL[];
  /** They ask nothing of tables beside the records' own. */
  isOwn: boolean;
  /** One plan is the best for all their values. */
  isSteady: boolean;
}

async function readConditions(
  resource: RecordQuery,
  { filters, q }: ListQuery,
  { isRanked, page }: { isRanked: boolean; page?: Page | undefined },
): Promise<Conditions> {
  const conditions = filters.flatMap(({ field, lookup, texts }) => {
    const own = resource.fields[field];
    return own ? [condition(own, lookup, texts)] : [];
  });
  const isAlone = filters.length === 0;
  const search = q?.trim()
    ? await findMatches({
        text: q,
        document: resource.document,
        isRanked,
        extent: isAlone && page ? extentOf(page) : undefined,
      })
    : undefined;
  const all = [...conditions, ...(search ? [search] : [])].map(({ where }) => where);
  return {
    where: sql.join([resource.visible ?? sql`true`, ...all], sql` and `),
    alone: isAlone ? search : undefined,
    tiers: search?.tiers ?? [],
    isOwn: conditions.every(({ isOwn }) => isOwn),
    isSteady: !search && conditions.every(({ isKey }) => isKey),
  };
}

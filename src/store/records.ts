// How every resource is read. PostgreSQL builds the JSON, which is passed through as text: a list costs
// one query and at most one count.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onReplica } from "../../db/replica.ts";
import type { Caller } from "../auth/auth.ts";
import { type FieldError, notFound, refuse } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { mapInSlices } from "../input/time_slices.ts";
import type { SearchDocument } from "../search/document.ts";
import { find as findMatches, type SearchResult } from "../search/find.ts";
import { readWalk } from "./cursor.ts";
import { condition, type FieldSql, type FieldsSql, joinsOf } from "./filters.ts";
import { type ListQuery, readListQuery } from "./list_query.ts";
import { keysOfPage, ranked, readOrder, tablesFor } from "./order.ts";
import { extentOf, type PageRange } from "./paging.ts";
import type { Read } from "./read.ts";
import { SITE_FIELD } from "./site/definitions.ts";
import { countRows, SNAPSHOT } from "./totals.ts";
import type { Transaction } from "./write.ts";

/** How records are read: their tables, and a column for each field. */
export interface RecordQuery<Row = unknown> {
  /** For the compiler alone: what a record holds. */
  readonly row?: Row;
  from: SQL;
  /** Their own table, for queries that need no other: even a join that the planner removes prevents an index-only scan. */
  table: SQL;
  /** The joins with the other tables. */
  joins: SQL;
  id: SQL;
  version: SQL;
  fields: FieldsSql;
  /** What `q` searches, limited to what is visible to the caller. */
  document: SearchDocument;
  /** True of records that are visible to the caller; without it all are. */
  visible?: SQL;
  /** The default order, without the id that makes it total. */
  order: SQL;
}

export interface ListJson<Row = unknown> extends PageRange {
  /** A JSON array, as it is sent. */
  json: string;
  readonly row?: Row;
  /** Without a count: how many there are up to the end of this page. */
  total: number;
  isCounted: boolean;
  params: URLSearchParams;
  /** What each record has, for `fields`; what is within a field by its whole name. */
  names?: readonly string[];
  /** All that match, for a file. */
  whole?: (read: Read, fields?: readonly string[]) => Promise<WholeList<Row>>;
  /** Of a walk: the parameters of its relations in the Link header. */
  cursors?: Record<string, Record<string, string | null>>;
}

/** Its records are read in batches: see export/batches.ts. */
export interface WholeList<Row = unknown> {
  query: RecordQuery<Row>;
  ids: number[];
  /** Of `changedList`. */
  change?: (record: never) => unknown;
}

export interface RecordJson<Row = unknown> {
  json: string;
  version: number;
  readonly row?: Row;
}

/** The records of a list, for pages. */
export function rowsOf<Row>({ json }: Pick<ListJson<Row>, "json" | "row">): Row[] {
  return JSON.parse(json);
}

/** A record, for pages. */
export function rowOf<Row>({ json }: Pick<RecordJson<Row>, "json" | "row">): Row {
  return JSON.parse(json);
}

/** The same list with each record changed by the service, for what SQL cannot write. */
export function changedList<Stored, Row>(
  { row, whole, ...list }: ListJson<Stored>,
  change: (record: Stored) => Row,
): ListJson<Row> {
  const changed = { ...list, json: JSON.stringify(rowsOf<Stored>(list).map(change)) };
  if (!whole) return changed;
  const wholeChanged = async (read: Read, fields?: readonly string[]) =>
    ({ ...(await whole(read, fields)), change }) as unknown as WholeList<Row>;
  return { ...changed, whole: wholeChanged };
}

/** The same for one record. */
export function changedRecord<Stored, Row>(
  { row, ...record }: RecordJson<Stored>,
  change: (record: Stored) => Row,
): RecordJson<Row> {
  return { ...record, json: JSON.stringify(change(rowOf<Stored>(record))) };
}

interface PageRow {
  json: string;
  count: number;
  snapshot: string;
}

/** One page of the records that match the parameters and `extraCondition`; from a replica, if there is one. */
export function list<Row>(
  resource: RecordQuery<Row>,
  params: URLSearchParams,
  extraCondition?: SQL,
): Promise<ListJson<Row>> {
  return onReplica(() => readList(resource, params, extraCondition));
}

async function readList<Row>(
  resource: RecordQuery<Row>,
  params: URLSearchParams,
  extraCondition: SQL | undefined,
): Promise<ListJson<Row>> {
  const errors: FieldError[] = [];
  const wanted = readListQuery(resource.fields, params, errors);
  const { page, isRecursive, skipsTotal } = wanted;
  const sort = readOrder(resource, wanted.sort, errors);
  const walk = wanted.cursor === undefined ? undefined : readWalk(resource, params, errors);
  // Without other conditions, the result of the search is the page.
  const isAlone = !extraCondition && !walk;
  const conditions = await readConditions(resource, wanted, {
    isRanked: sort.isRanked,
    page: isAlone && sort.isDefault ? page : undefined,
  });
  const order = walk?.order ?? ranked(sort, conditions.tiers);
  const further = [extraCondition, walk?.where].flatMap((one) => one ?? []);
  const where = sql.join([...further, conditions.where], sql` and `);
  if (errors.length > 0) throw refuse(errors);
  const alone = isAlone ? conditions.alone : undefined;
  // From the cache: records that were hidden since are left out.
  const cachedKeys = alone?.page;
  const keys =
    cachedKeys ??
    keysOfPage(
      { id: resource.id, from: tablesFor(resource, conditions, order) },
      { where, order, page, isWhole: conditions.isWhole && !walk },
    );
  // In SQL: the columns are those of the description, and PostgreSQL builds the JSON.
  const { columns, from } = selected(resource, isRecursive);
  const query = sql`
    select coalesce('[' || string_agg(row_to_json(page)::text, ',') || ']', '[]') as json, count(*)::int as count,
      ${SNAPSHOT} as snapshot
    from (
      select ${columns} from ${from}
      where ${resource.id} = any(${keys}) and ${(cachedKeys && resource.visible) ?? sql`true`}
      order by ${cachedKeys && sort.isRanked ? sql`array_position(${cachedKeys}, ${resource.id})` : order.by}
    ) page`;
  const found = await database.row<PageRow>(query);
  const { json = "[]", count = 0, snapshot = "" } = found ?? {};
  const names = Object.entries(resource.fields).flatMap(([name, { hidden }]) =>
    hidden && !name.startsWith(`${SITE_FIELD}.`) ? [] : name,
  );
  const whole = wholeOf(resource, params, extraCondition);
  const uncounted = { ...page, json, params, names, whole, total: extentOf(page).from + count };
  if (walk) return { ...uncounted, isCounted: false, cursors: walk.relations(json, page.per_page) };
  if (skipsTotal) return { ...uncounted, isCounted: false };
  const matching = sql`from ${tablesFor(resource, conditions)} where ${where}`;
  const total = alone?.total ?? (await totalOf(matching, { ...page, count, snapshot }));
  return { ...uncounted, total, isCounted: true };
}

function wholeOf<Row>(
  resource: RecordQuery<Row>,
  params: URLSearchParams,
  extraCondition: SQL | undefined,
): NonNullable<ListJson<Row>["whole"]> {
  return async (read, chosen) => ({
    query: chosen ? showing(resource, (name) => chosen.includes(name)) : resource,
    ids: await keys(resource, params, { read, extraCondition }),
  });
}

interface KeysOptions {
  read?: Read;
  extraCondition?: SQL | undefined;
  /** Only the first so many. */
  most?: number;
}

/** The ids of all matching records, in the order of the list: for bulk changes and exports. */
export async function keys(
  resource: RecordQuery,
  params: URLSearchParams,
  { read = database.rows, extraCondition = sql`true`, most }: KeysOptions = {},
): Promise<number[]> {
  const all = await allKeys(resource, params, extraCondition);
  const [found] = await read<{ keys: string }>(sql`
    select array_to_json(array(${all} limit ${most ?? null}::integer))::text as keys`);
  return JSON.parse(found?.keys ?? "[]");
}

export interface ListPosition {
  /** From 1, in the list's order. */
  position: number;
  total: number;
  previous: string | null;
  next: string | null;
}

/** The position of a record in a list, and its neighbours; undefined if it is not in the list. */
export async function positionOf(
  resource: RecordQuery,
  params: URLSearchParams,
  { id, name }: { id: number; name: SQL },
): Promise<ListPosition | undefined> {
  const all = await allKeys(resource, params);
  const at = (step: number) =>
    sql`(select ${name} from ${resource.from} where ${resource.id} = ids[position + ${step}::integer])`;
  return database.row<ListPosition>(sql`
    with listed as materialized (select array(${all}) as ids), own as (
      select ids, array_position(ids, ${id}::integer) as position, cardinality(ids) as total from listed
    )
    select position, total, ${at(-1)} as previous, ${at(1)} as next from own where position is not null`);
}

/** A statement that selects the ids of all matching records, in the order of the list. */
async function allKeys(
  resource: RecordQuery,
  params: URLSearchParams,
  extraCondition = sql`true`,
): Promise<SQL> {
  const errors: FieldError[] = [];
  const query = readListQuery(resource.fields, params, errors);
  const sort = readOrder(resource, query.sort, errors);
  const conditions = await readConditions(resource, query, { isRanked: sort.isRanked });
  const order = ranked(sort, conditions.tiers);
  if (errors.length > 0) throw refuse(errors);
  return sql`
    select ${resource.id} from ${tablesFor(resource, conditions, order)}
    where ${extraCondition} and ${conditions.where} order by ${order.by}`;
}

/** A few records with these ids, in this order; deleted and hidden ones are left out. See export/batches.ts for many. */
export async function byIds<Row>(resource: RecordQuery<Row>, ids: number[]): Promise<Row[]> {
  const wanted = integers(ids);
  const { columns, from } = selected(resource, false);
  const found = await database.row<{ json: string }>(sql`
    select coalesce('[' || string_agg(row_to_json(one)::text, ',') || ']', '[]') as json from (
      select ${columns} from ${from}
      where ${resource.id} = any(${wanted}) and ${resource.visible ?? sql`true`}
      order by array_position(${wanted}, ${resource.id})
    ) one`);
  return JSON.parse(found?.json ?? "[]");
}

/** Any number of visible records, in no order. */
export async function matching<Row>(resource: RecordQuery, where: SQL, read: Read): Promise<Row[]> {
  const { columns, from } = selected(resource, false);
  const found = await read<{ json: string }>(sql`
    select row_to_json(one)::text as json from (
      select ${columns} from ${from} where ${where} and ${resource.visible ?? sql`true`}
    ) one`);
  return mapInSlices(found, ({ json }) => JSON.parse(json));
}

/** Records nested in another record: those whose `key` refers to it. */
export function nestedList(
  resource: Pick<RecordQuery, "fields" | "id" | "from">,
  { key, of }: { key: SQL; of: SQL },
): SQL {
  const { columns, from } = selected(resource, false);
  // The outer key gets another name, because its table may be among the inner ones.
  return sql`(
    select coalesce(json_agg(row_to_json(one)), '[]'::json)
    from (select ${of} as id) around cross join lateral (
      select ${columns} from ${from} where ${key} = around.id order by ${resource.id}
    ) one)`;
}

type RecordSource<Row> = Pick<RecordQuery<Row>, "from" | "version" | "fields" | "row"> & {
  isRecursive?: boolean;
  /** CTEs that are read instead of the tables: as these were at a time. */
  instead?: SQL;
};

/** Inside a transaction or not; references as names or as records. */
export interface ReadOptions {
  tx?: Transaction;
  isRecursive?: boolean;
}

/** Whether the request of a write has `recursive=true`. */
export function wantsRecursive({ options }: Caller): boolean {
  return options?.recursive ?? false;
}

/** One record, or notFound; inside a transaction, as that sees it. */
export async function find<Row>(
  resource: RecordSource<Row>,
  where: SQL,
  tx?: Transaction,
): Promise<RecordJson<Row>> {
  const { columns, from } = selected(resource, resource.isRecursive ?? false);
  const query = sql`
    ${resource.instead ?? sql``} select (select row_to_json("Record")::text from (select ${columns}) "Record") as json,
      ${resource.version} as version
    from ${from} where ${where}`;
  const [found] = await (tx ? tx.execute : database.rows)<RecordJson<Row>>(query);
  if (!found) throw notFound();
  return { ...found };
}

/** Selects only these fields, hidden ones too. Filters and search still use all fields. */
export function pick<Row, const Name extends string>(
  query: RecordQuery<Row>,
  names: readonly Name[],
): RecordQuery<Required<Pick<Row, Name & keyof Row>>> {
  return showing(query, (name) => names.includes(name as Name));
}

/** Leaves these fields out. */
export function omit<Row, const Name extends string & keyof Row>(
  query: RecordQuery<Row>,
  names: readonly Name[],
): RecordQuery<Omit<Row, Name>> {
  const isShown = (name: string, { hidden }: FieldSql) => !hidden && !names.includes(name as Name);
  return showing(query, isShown);
}

/** Shows these references as records instead of names. */
export function withWholeRecords<More>() {
  return <Row>(
    query: RecordQuery<Row>,
    names: ReadonlyArray<string & keyof More>,
  ): RecordQuery<Omit<Row, keyof More> & More> => {
    const whole = names.map((name) => {
      const { nested, batchValue: _, ...field } = query.fields[name] as FieldSql;
      return [name, { ...field, ...(nested && { recordValue: nested, nested }) }] as const;
    });
    const fields: FieldsSql = { ...query.fields, ...Object.fromEntries(whole) };
    return { ...query, fields } as RecordQuery<Omit<Row, keyof More> & More>;
  };
}

/** The same query with other fields shown; `choice` names the choice. */
export function showing<Row>(
  query: RecordQuery,
  isShown: (name: string, field: FieldSql) => boolean,
): RecordQuery<Row> {
  const fields: FieldsSql = Object.fromEntries(
    Object.entries(query.fields).map(([name, field]) => [
      name,
      { ...field, hidden: !isShown(name, field) },
    ]),
  );
  return { ...query, fields } as RecordQuery<Row>;
}

/** Adds the fields of `More`. */
export function extend<More>() {
  return <Row>(
    query: RecordQuery<Row>,
    fields: Record<string & keyof More, FieldSql>,
  ): RecordQuery<Row & More> =>
    ({ ...query, fields: { ...query.fields, ...fields } }) as RecordQuery<Row & More>;
}

// A page that is not full gives the total.
function totalOf(
  matching: SQL,
  page: PageRange & { count: number; snapshot: string },
): Promise<number> | number {
  const before = (page.page - 1) * page.per_page;
  if (page.count < page.per_page && (page.count > 0 || page.page === 1)) return before + page.count;
  return countRows(matching, page.snapshot);
}

interface SelectList {
  columns: SQL;
  /** What they need besides the tables of the resource. */
  joins: SQL | undefined;
}

/** By fields: rendering the columns of a record takes as long as reading it. */
const selectLists = new WeakMap<FieldsSql, { plain?: SelectList; recursive?: SelectList }>();

/** The columns of records, and the tables that they are read from. */
function selected({ fields, from }: Pick<RecordQuery, "fields" | "from">, isRecursive: boolean) {
  const cached = selectLists.get(fields) ?? {};
  const variant = isRecursive ? "recursive" : "plain";
  cached[variant] ??= selectListOf(fields, isRecursive);
  selectLists.set(fields, cached);
  const { columns, joins } = cached[variant];
  return { columns, from: joins ? sql`${from} ${joins}` : from };
}

function selectListOf(fields: FieldsSql, isRecursive: boolean): SelectList {
  const visibleFields = Object.entries(fields).filter(([, field]) => !field.hidden);
  const columns = visibleFields.map(
    ([name, { kind, column, recordValue = column, nested = recordValue }]) => {
      const value = kind === "time" ? sql`shown(${column})` : isRecursive ? nested : recordValue;
      return sql`${value} as ${sql.identifier(name)}`;
    },
  );
  const joins = joinsOf(visibleFields.map(([, field]) => field));
  return {
    columns: database.precompile(sql.join(columns, sql`, `)),
    joins: joins.length > 0 ? database.precompile(sql.join(joins, sql` `)) : undefined,
  };
}

interface ListConditions {
  /** True of records that are visible and match. */
  where: SQL;
  /** The result of the search, if there are no filters. */
  alone: SearchResult | undefined;
  /** Relevance tiers of the search, for the order by relevance. */
  tiers: readonly SQL[];
  /** They need only the table of the records. */
  isOwn: boolean;
  /** Nothing is filtered or searched. */
  isWhole: boolean;
}

interface ConditionOptions {
  isRanked: boolean;
  page?: PageRange | undefined;
}

async function readConditions(
  resource: RecordQuery,
  { filters, q }: ListQuery,
  { isRanked, page }: ConditionOptions,
): Promise<ListConditions> {
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
    isWhole: isAlone && !search,
  };
}

// A resource: one kind of record, described once. Everything that lists fields is made from the description: what the
// API answers and takes, filters, order and search, columns of lists, forms, pages, history and undo.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type Caller, consoleCaller, limitedUser, type Permission, seesAll } from "../auth/auth.ts";
import type { Crossing } from "../auth/token_limits.ts";
import { isHiddenInChange, mayKnowHost, visibilityOf } from "../auth/visibility.ts";
import { inPascalCase } from "../input/text.ts";
import { keySource, type SearchDocument, type SearchSource } from "../search/document.ts";
import type { Field, FieldContext, Hidden } from "./fields.ts";
import { fileSources } from "./file_sources.ts";
import type { FieldSql, FieldsSql } from "./filters.ts";
import { type RecordQuery, showing } from "./records.ts";
import { register } from "./registry.ts";
import { type DataRule, registerRules } from "./rules.ts";
import { siteVisibility } from "./site/definitions.ts";

export type Fields = Record<string, Field>;

interface Description<F extends Fields> {
  /** The noun in sentences: network. */
  noun: string;
  /** The plural, if it is not the noun and an s. */
  plural?: string;
  /** The path in the API and of its pages: /network/networks. */
  path: string;
  table: PgTable;
  /** The field that names a record. It is unique if records have their own pages. */
  key: string;
  /** The path of the page of a record, if it has one; the name is percent-encoded. */
  page?: (name: string) => string;
  /** The table of the records on whose pages it is shown, if it has no page. */
  partOf?: string;
  /** API and pages are made from the description; the pages may have hooks, in a file of their own in `pages`. */
  standard?: { lead: string; hasOwnPages?: true };
  /**
   * A record is a part of the host in its column `host_id`: seen with it, also in history, and changed by those who may change
   * the host.
   */
  ofHost?: true;
  /** Who creates and changes records. */
  editors: readonly Permission[];
  /** Who deletes records, if not all editors may. */
  removers?: readonly Permission[];
  /** The default order of lists; the id is appended. */
  order: SQL;
  /** How its routes reach records of another kind: a token that is limited to kinds needs both. */
  crosses?: Crossing;
  /** True of records that are visible to the caller. */
  visible?: (caller: Caller) => SQL;
  /** Its values depend on the caller, not only on whether the caller sees everything. */
  isPersonal?: boolean;
  /** The version that the caller sees, if it is not the column. */
  version?: (caller: Caller) => SQL;
  fields: F;
  /** What its records, and those that it refers to, have to keep besides the constraints of the database. */
  rules?: readonly DataRule[];
  /** Columns that are not fields, besides the stamps. */
  internal?: readonly string[];
  search?: SearchOptions;
  history?: HistoryOptions;
}

/** What a change did to a field, in words. */
export interface FieldDifference {
  field: string;
  old: string | null;
  now: string | null;
}

/** Which changes are visible, and with which fields. All SQL is about one row of `changes`. */
interface HistoryOptions {
  /** True of records, current or deleted, that are hidden from a caller who does not see all. */
  hides?: (id: SQL, caller: Caller) => SQL;
  /** True of a hidden change of a visible record. */
  hidesChange?: (caller: Caller) => SQL;
  /** Fields that history leaves out. */
  without?: readonly string[];
}

interface SearchOptions
  extends Pick<
    SearchDocument,
    "aliases" | "names" | "otherNames" | "variables" | "savedQueries" | "tracked"
  > {
  /** Search sources besides the fields. */
  sources?: (caller: Caller) => readonly SearchSource[];
  /** The ids of the records that are hidden from the caller, if there is a faster statement than `visible`. */
  hidden?: (caller: Caller) => SQL | undefined;
}

export interface Resource<F extends Fields = Fields> extends Description<F> {
  plural: string;
  /** The name of its table, as in history: networks. */
  name: string;
}

export function resource<F extends Fields>(
  description: Description<F> & { key: keyof F },
): Resource<F> {
  const { noun, path, table, standard, ofHost } = description;
  const made: Resource<F> = {
    plural: `${noun}s`,
    ...(standard && { page: (name: string) => `${path}/view/${name}` }),
    ...(ofHost && partOfHost(sql`${table}.host_id`)),
    ...description,
    name: getTableName(table),
  };
  register(made);
  registerRules(made.rules ?? []);
  return made;
}

function partOfHost(host: SQL): Pick<Description<Fields>, "visible" | "history"> {
  const past = sql`(recorded.state ->> 'host_id')::integer`;
  return {
    visible: (caller) => mayKnowHost(caller, host),
    history: { hidesChange: (caller) => isHiddenInChange(caller, "host", past) },
  };
}

/** A record as the API answers it, with names; hidden fields are only present if they are picked. */
export type RowOf<R> = R extends Resource<infer F> ? RowOfFields<F> : never;
export type RowOfFields<F extends Fields> = { id: number } & {
  -readonly [K in keyof F as F[K] extends Hidden ? never : K]: FieldValue<F[K]>;
} & {
  -readonly [K in keyof F as F[K] extends Hidden ? K : never]?: FieldValue<F[K]>;
};
/** A record as lists on pages show it. */
export type ListedRow<R> = R extends Resource<infer F> ? ListedRowOfFields<F> : never;
export type ListedRowOfFields<F extends Fields> = { id: number } & {
  -readonly [K in keyof F as IsListed<F[K]> extends true ? K : never]: FieldValue<F[K]>;
};
type IsListed<F> = F extends { inLists: infer Said extends boolean }
  ? Said
  : F extends Hidden
    ? false
    : true;
type FieldValue<F> = F extends Field<infer Value> ? Value : never;

type Bodies<F extends Fields, Which extends "create" | "change"> = {
  -readonly [K in keyof F as F[K][Which] extends TSchema ? K : never]: F[K][Which] extends TSchema
    ? F[K][Which]
    : never;
};

/** The fields within others that the caller knows of, by their whole names. */
export function partsFor({ fields }: Pick<Resource, "fields">, caller: Caller): Fields {
  return Object.assign({}, ...Object.values(fields).map((field) => field.parts?.(caller)));
}

/** The schema of a record. */
export function recordOf(resource: Resource): TObject {
  const shown = Object.entries(resource.fields).flatMap(([name, { schema }]) =>
    schema ? [[name, schema] as const] : [],
  );
  const title = inPascalCase(resource.noun);
  return Type.Object({ id: Type.Integer(), ...Object.fromEntries(shown) }, { title });
}

/** What a body that creates a record holds. */
export function creationFields<F extends Fields>(resource: Resource<F>): Bodies<F, "create"> {
  return bodies(resource, "create");
}

/** What a body that changes a record holds, each optional. */
export function changeFields<F extends Fields>(resource: Resource<F>): Bodies<F, "change"> {
  return bodies(resource, "change");
}

function bodies<F extends Fields, Which extends "create" | "change">(
  { fields }: Resource<F>,
  which: Which,
): Bodies<F, Which> {
  const taken = Object.entries(fields).flatMap(([name, field]) =>
    field[which] ? [[name, field[which]] as const] : [],
  );
  return Object.fromEntries(taken) as Bodies<F, Which>;
}

/** The query of the records that are visible to the caller. */
export function recordQuery<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
): RecordQuery<RowOfFields<F>> {
  if (resource.isPersonal && !seesAll(caller)) {
    return queryFor(resource, caller) as RecordQuery<RowOfFields<F>>;
  }
  const query = queries.get(resource) ?? cachedByVisibility((one) => queryFor(resource, one));
  queries.set(resource, query);
  return query(caller) as RecordQuery<RowOfFields<F>>;
}

/** The same with the fields that lists on pages show. */
export function listedQuery<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
): RecordQuery<ListedRowOfFields<F>> {
  const query = recordQuery(resource, caller);
  const isShown = (name: string, { hidden }: FieldSql) => resource.fields[name]?.inLists ?? !hidden;
  return showing(query, isShown);
}

/** The same with other descriptions of some fields, for queries that depend on more than the caller. */
export function recordQueryWith<F extends Fields>(
  resource: Resource<F>,
  caller: Caller,
  fields: Partial<F> & Fields,
): RecordQuery<RowOfFields<F>> {
  const query = recordQuery(resource, caller);
  const changed = queryFor({ ...resource, fields }, caller);
  return {
    ...query,
    fields: { ...query.fields, ...changed.fields },
    document: searchDocument({ ...resource, fields: { ...resource.fields, ...fields } }, caller),
  };
}

const MOST_CACHED = 100;

/** A query made once for all callers with the same visibility: of the caller, only whose search it is matters besides. */
export function cachedByVisibility<Row>(
  make: (caller: Caller) => RecordQuery<Row>,
): (caller: Caller) => RecordQuery<Row> {
  const cache = new Map<string, RecordQuery<Row>>();
  return (caller) => {
    const visibility = visibilityOf(caller);
    const query = cache.get(visibility) ?? make(caller);
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(visibility, query);
    return { ...query, document: { ...query.document, user: limitedUser(caller) } };
  };
}

const queries = new WeakMap<Resource, (caller: Caller) => RecordQuery>();

function queryFor(resource: Resource, caller: Caller): RecordQuery {
  const table = sql.raw(resource.name);
  const contexts = fieldContexts(resource, caller);
  const joins = contexts.flatMap(({ field, at }) => (field.join ? [field.join(at)] : []));
  const fields: FieldsSql[] = contexts.map(({ field, at }) => {
    const query = field.query(at);
    const own = query[at.name];
    const isUnique = at.name === resource.key && resource.page !== undefined;
    if (!own || (field.schema && !isUnique)) return query;
    return { ...query, [at.name]: { ...own, isUnique, hidden: !field.schema } };
  });
  return {
    from: sql.join([table, ...joins], sql` `),
    table,
    joins: sql.join(joins, sql` `),
    id: sql`${table}.id`,
    version: resource.version?.(caller) ?? sql`${table}.version`,
    fields: Object.assign({ id: { kind: "integer", column: sql`${table}.id` } }, ...fields),
    document: searchDocument(resource, caller),
    ...(resource.visible && { visible: resource.visible(caller) }),
    order: resource.order,
  };
}

/** The search document: the values by which a query finds records that are visible to the caller. */
export function searchDocument(resource: Resource, caller: Caller): SearchDocument {
  const table = sql.raw(resource.name);
  const { sources, hidden, ...options } = resource.search ?? {};
  const parts = partsFor(resource, caller);
  return {
    names: [resource.key],
    ...options,
    edition: siteVisibility(caller),
    // The name of a record that a field refers to may change without a change of this one.
    ...(Object.values(parts).some(({ shows }) => shows) && { tracked: undefined }),
    aliases: { ...shortNames(resource, caller), ...options.aliases },
    id: sql`${table}.id`,
    all: table,
    hidden: hidden ? hidden(caller) : hiddenIn(resource, caller),
    user: limitedUser(caller),
    // Tables with versions are tracked: see db/README.md.
    isWithoutHistory: !("version" in getTableColumns(resource.table)),
    sources: [
      ...keySource(table),
      ...fieldContexts(resource, caller).flatMap(({ field, at }) => field.sources(at)),
      ...(sources?.(caller) ?? []),
      ...fileSources(resource.name),
    ],
  };
}

/**
 * The document for what many callers share, such as the query of a group: of all records, with the fields that everybody may
 * know of.
 */
export function sharedDocument(resource: Resource): SearchDocument {
  const everybody = { ...consoleCaller, groups: [] };
  const cached = shared.get(resource);
  const edition = `${siteVisibility(everybody)} for all`;
  if (cached?.edition === edition) return cached;
  const document = searchDocument(resource, consoleCaller);
  const known = Object.keys(partsFor(resource, everybody));
  const isKnown = (path: string) => !path.startsWith("site.") || known.includes(path);
  const made = {
    ...document,
    edition,
    sources: document.sources.filter(({ path }) => isKnown(path)),
    aliases: Object.fromEntries(
      Object.entries(document.aliases ?? {}).filter(([, paths]) => paths.every(isKnown)),
    ),
  };
  shared.set(resource, made);
  return made;
}

const shared = new WeakMap<Resource, SearchDocument>();

/** A field within another one is also found by its own name, where no field and no alias is called so. */
function shortNames(
  { fields, search }: Resource,
  caller: Caller,
): NonNullable<SearchDocument["aliases"]> {
  const short = Object.keys(partsFor({ fields }, caller)).map(
    (path) => [path.slice(path.indexOf(".") + 1), [path]] as const,
  );
  return Object.fromEntries(
    short.filter(([name]) => !(name in fields) && !(name in (search?.aliases ?? {}))),
  );
}

/** A statement that selects the ids of the records that are hidden from the caller. */
function hiddenIn({ name, visible }: Resource, caller: Caller): SQL | undefined {
  if (!visible || seesAll(caller)) return undefined;
  const table = sql.raw(name);
  return sql`select ${table}.id from ${table} where not (${visible(caller)})`;
}

function fieldContexts(
  resource: Resource,
  caller: Caller,
): Array<{ field: Field; at: FieldContext }> {
  const table = sql.raw(resource.name);
  return Object.entries(resource.fields).map(([name, field]) => ({
    field,
    at: { name, table, id: sql`${table}.id`, caller },
  }));
}

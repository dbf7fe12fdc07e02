// Fields that show other records by their names.
import { type TSchema, Type } from "@sinclair/typebox";
import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "../auth/auth.ts";
import type { Kind } from "../input/kinds.ts";
import { REFERS_TO } from "../input/shape.ts";
import {
  bodies,
  type ChangeOf,
  type CreateOf,
  described,
  type Field,
  type FieldContext,
  NAMED,
  type OptionalSchema,
  RECORD,
  type ScalarOptions,
} from "./field.ts";
import {
  columnOf,
  listOfBatch,
  type Nested,
  namedSources,
  nestedRecord,
  type RowsOfBatch,
  sourceOf,
} from "./field_parts.ts";
import type { FieldSql } from "./filters.ts";
import { nestedList, type RecordQuery } from "./records.ts";
import { referenceSql, USER_JSON } from "./reference.ts";

interface ReferenceOptions<
  Input extends OptionalSchema,
  Required extends boolean,
  Fixed extends boolean,
  OnlyChanged extends boolean,
  Nullable extends boolean,
> extends Omit<
    ScalarOptions<Input, Required, Fixed, OnlyChanged>,
    "search" | "recordValue" | "nullable"
  > {
  kind: Kind;
  nullable?: Nullable;
  /** The column with the key; by default `<field>_id`. */
  key?: string;
  /** For an indirect reference: the rows that lead from the record to the key, and the key there. */
  through?: { from: SQL; key: SQL };
  /** Filtered through a join and not by key: PostgreSQL then expects few records for each name. */
  joined?: boolean;
  /** The column with the name of the other record; by default `name`. */
  nameColumn?: string;
  /** The alias of the other table, if a record refers to its own table. */
  alias?: string;
  /** Records of the other table may be inside of each other: filters reach everything inside of a record. */
  isTree?: boolean;
  /** Further fields of the other record with `recursive=true`. */
  nested?: Nested;
  /** Its texts say what this record is, as those of a model do: words find them without their field. */
  isDescribed?: boolean;
  /** True of other records that are visible to the caller; the others look as if they did not exist. */
  visible?: (caller: Caller, other: SQL) => SQL;
}

/** Another record, shown by its name and filtered by its name or its key. */
export function belongsTo<
  Input extends TSchema | undefined = undefined,
  Required extends boolean = false,
  Fixed extends boolean = false,
  OnlyChanged extends boolean = false,
  Nullable extends boolean = false,
>(
  to: PgTable,
  options: ReferenceOptions<Input, Required, Fixed, OnlyChanged, Nullable>,
): Field<
  Nullable extends true ? string | null : string,
  CreateOf<Input, Required, OnlyChanged>,
  ChangeOf<Input, Fixed>
> {
  const { kind, nameColumn = "name", nested = {}, visible = () => sql`true`, through } = options;
  const foreign = getTableName(to);
  const other = sql.identifier(options.alias ?? foreign);
  const table = options.alias ? sql`${sql.identifier(foreign)} ${other}` : sql`${other}`;
  const of = (column: string) => sql`${other}.${sql.identifier(column)}`;
  const column = (name: string) => options.key ?? `${name}_id`;
  const keyOf = (at: FieldContext) => through?.key ?? columnOf(at.table, column(at.name));
  // The key of an indirect reference is in no index of this table.
  const indirect = (key: SQL) => ({ isNull: sql`${key} is null`, key: undefined });
  return {
    label: options.label,
    kind,
    schema: described(NAMED, options.description),
    ...bodies(options, { [REFERS_TO]: foreign }),
    shows: foreign,
    ...(!through && {
      column,
      refersTo: { table: foreign, name: nameColumn, isHidden: options.visible !== undefined },
    }),
    query: (at) => ({
      [at.name]: {
        ...referenceSql({
          kind,
          key: keyOf(at),
          table,
          id: of("id"),
          name: of(nameColumn),
          visible: visible(at.caller, sql`${other}`),
          nested: nestedRecord(other, { [nameColumn]: kind, ...nested }),
        }),
        ...((through || options.joined) && indirect(keyOf(at))),
        ...(options.isTree && { tree: sql`${sql.identifier(foreign)}` }),
      },
      [`${at.name}_id`]: {
        kind: "integer",
        column: keyOf(at),
        hidden: true,
        ...(through && indirect(keyOf(at))),
      },
    }),
    join: (at) => sql`left join ${table} on ${of("id")} = ${keyOf(at)}`,
    sources: (at) => {
      const from = sql`${through?.from ?? at.table} join ${table} on ${of("id")} = ${keyOf(at)}`;
      const where = visible(at.caller, sql`${other}`);
      const found = { id: at.id, from, where };
      const names = { other, table: foreign };
      const sources = namedSources(at.name, found, names, { [nameColumn]: kind, ...nested });
      if (!options.isDescribed) return sources;
      return sources.map((one) => (one.kind === "text" ? { ...one, onlyByName: false } : one));
    },
  };
}

interface ManyOptions<Input extends OptionalSchema> {
  label: string;
  kind: Kind;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** A statement whose rows replace those of the table. */
  rows?: SQL;
  /** The table between the two; `key` is there, and beside it the key of the other record. */
  through?: { table: PgTable; to: string };
  /** The singular, for the filter by key: `interface_id`; without it there is no such filter. */
  singular?: string;
  nameColumn?: string;
  /** The order of their names, one expression with `one`, if it is not alphabetical. */
  order?: SQL;
  nested?: Nested;
  /** Whole records with `recursive=true`; their search sources are written by hand. */
  whole?: { schema: TSchema; query: (caller: Caller) => RecordQuery };
  /** The schema in bodies: a list of names. */
  input?: Input;
  /** Each of the other records belongs to one record only. */
  individual?: boolean;
  visible?: (caller: Caller, one: SQL) => SQL;
}

/** Other records that belong to this one, shown by their names. */
export function hasMany<Input extends TSchema | undefined = undefined>(
  options: ManyOptions<Input>,
): Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>> {
  const {
    kind,
    nameColumn = "name",
    nested = {},
    visible = () => sql`true`,
    through,
    whole,
  } = options;
  const table = sql.identifier(getTableName(options.table));
  const [one, link] = [sql.identifier("one"), sql.identifier("link")];
  const rows = (alias: typeof one) => {
    const own = options.rows || alias !== table;
    const source = own ? sql`${options.rows ?? table} ${alias}` : sql`${table}`;
    if (!through) return source;
    return sql`${sql.identifier(getTableName(through.table))} ${link}
      join ${source} on ${alias}.id = ${link}.${sql.identifier(through.to)}`;
  };
  const key = (alias: typeof one) => columnOf(sql`${through ? link : alias}`, options.key);
  const value = columnOf(sql`${one}`, nameColumn);
  return {
    label: options.label,
    kind,
    schema: Type.Array(Type.Union([Type.String(), whole?.schema ?? RECORD])),
    ...bodies<Input, false, false, false>(options),
    ...(options.individual && { individual: true }),
    shows: getTableName(options.table),
    query: (at) => {
      const valueRows = sql`${rows(one)} where ${key(one)} = ${at.id} and ${visible(at.caller, sql`${one}`)}`;
      const inside = whole
        ? nestedList(whole.query(at.caller), {
            key: columnOf(sql`${table}`, options.key),
            of: at.id,
          })
        : undefined;
      return {
        [at.name]: {
          ...listed({
            kind,
            name: value,
            from: valueRows,
            order: options.order,
            nested: nestedRecord(one, { [nameColumn]: kind, ...nested }),
          }),
          ...(inside && { nested: inside }),
          batchValue: listOfBatch(at, rowsOfBatch(options, at)),
        },
        ...(options.singular && {
          [`${options.singular}_id`]: {
            kind: "integer",
            column: columnOf(sql`${one}`, "id"),
            valueRows,
            hidden: true,
          },
        }),
      };
    },
    sources: (at) => {
      if (whole) return [];
      const where = visible(at.caller, sql`${table}`);
      const found = { id: key(table), from: rows(table), where };
      return namedSources(
        at.name,
        found,
        { other: table, table: getTableName(options.table) },
        { [nameColumn]: kind, ...nested },
      );
    },
  };
}

/** The rows of many records at once; the other records are `one`. */
function rowsOfBatch(
  { table, key, rows, through, order, nameColumn = "name", visible }: ManyOptions<OptionalSchema>,
  at: FieldContext,
): RowsOfBatch {
  const [one, link] = [sql`one`, sql`link`];
  const isVisible = visible?.(at.caller, one) ?? sql`true`;
  const value = columnOf(one, nameColumn);
  const source = sql`${rows ?? sql.identifier(getTableName(table))} ${one}`;
  if (through) {
    const to = columnOf(link, through.to);
    return {
      value: sql`(select ${value} from ${source} where one.id = ${to} and ${isVisible})`,
      from: sql`${sql.identifier(getTableName(through.table))} ${link}`,
      key: columnOf(link, key),
    };
  }
  const owner = columnOf(one, key);
  if (!order) return { value, from: source, key: owner, where: isVisible };
  // It may need columns of the record.
  return {
    value,
    order,
    from: sql`wanted ${at.table}, ${source}`,
    key: owner,
    where: sql`${isVisible} and ${at.id} = ${owner}`,
  };
}

interface ContentsOptions {
  label: string;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** The field with their name, and further fields with `recursive=true`. */
  columns: Record<string, Kind>;
}

/** Other records that are part of this one, in the order of creation; without filters. */
export function contents({
  label,
  table,
  key,
  columns,
}: ContentsOptions): Field<string[], undefined, undefined> {
  const one = sql.identifier("one");
  const from = sql`${sql.identifier(getTableName(table))} ${one}`;
  const owner = columnOf(sql`${one}`, key);
  const [nameColumn = "name"] = Object.keys(columns);
  return {
    label,
    kind: "value",
    schema: Type.Array(Type.Union([Type.String(), RECORD])),
    create: undefined,
    change: undefined,
    shows: getTableName(table),
    query: ({ name, id }) => {
      const all = (value: SQL) => sql`coalesce((
        select json_agg(${value} order by ${one}.id) from ${from} where ${owner} = ${id}), '[]'::json)`;
      return {
        [name]: {
          kind: "value",
          column: all(columnOf(sql`${one}`, nameColumn)),
          nested: all(nestedRecord(one, columns)),
          batchValue: listOfBatch(
            { name, id },
            {
              value: columnOf(sql`${one}`, nameColumn),
              order: sql`${one}.id`,
              from,
              key: owner,
            },
          ),
        },
      };
    },
    sources: ({ name }) =>
      namedSources(
        name,
        { id: owner, from, where: sql`${owner} is not null` },
        { other: one, table: getTableName(table) },
        columns,
      ),
  };
}

interface UserOptions {
  label: string;
  /** The column with the user's key. */
  key: string;
  description: string;
}

/** The user who created or changed a record: only public fields. */
export function byUser(options: UserOptions): Field<string | null, undefined, undefined> {
  const by = ({ table }: FieldContext) => columnOf(table, options.key);
  return {
    label: options.label,
    kind: "name",
    schema: described(NAMED, options.description),
    create: undefined,
    change: undefined,
    shows: "users",
    query: (at) => ({
      [at.name]: referenceSql({
        kind: "name",
        key: by(at),
        table: sql`users`,
        id: sql`users.id`,
        name: sql`users.username`,
        nested: USER_JSON,
      }),
      [`${at.name}_id`]: { kind: "integer", column: by(at), hidden: true },
    }),
    join: (at) => sql`left join users on users.id = ${by(at)}`,
    sources: (at) => {
      const rows = sql`${at.table} join users on users.id = ${by(at)} where true`;
      return sourceOf("label", at.name, { id: at.id, from: rows }, sql`users.username`);
    },
  };
}

interface NameListOptions {
  kind: Kind;
  name: SQL;
  /** Tables, and the condition that leads to the record around them. */
  from: SQL;
  order?: SQL;
  nested?: SQL;
}

/** Names of other records, in the order of those names; the list is filtered by any of them. */
export function listed({ kind, name, from, order = name, nested }: NameListOptions): FieldSql {
  const all = (value: SQL) =>
    sql`(select coalesce(json_agg(${value} order by ${order}), '[]'::json) from ${from})`;
  return {
    kind,
    column: name,
    valueRows: from,
    recordValue: all(name),
    ...(nested && { nested: all(nested) }),
  };
}

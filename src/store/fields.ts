// The kinds of fields that a resource is described by: see resource.ts. Each says how its value is kept, shown, read
// from a body, filtered and found.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "../auth/auth.ts";
import type { Kind } from "../input/kinds.ts";
import type { Kind as SearchKind, Source } from "../search/document.ts";
import {
  columnOf,
  described,
  type Field,
  NAMED,
  type Nested,
  namedSources,
  nestedRecord,
  type Place,
  RECORD,
  REFERS_TO,
  recordSchema,
  type Schema,
  sourceOf,
} from "./field.ts";
import type { FieldSql } from "./filters.ts";
import { type RecordQuery, within } from "./records.ts";
import { reference, USER } from "./reference.ts";

export { type Field, type Hidden, hidden, type Place, REFERS_TO, type Schema } from "./field.ts";

interface ScalarOptions<
  Input extends Schema,
  Required extends boolean,
  Fixed extends boolean,
  OnlyChanged extends boolean,
> {
  label: string;
  /** What bodies may hold, whose description is the sentence that refuses it; without one the field cannot be set. */
  input?: Input;
  /** A record cannot be created without it. */
  required?: Required;
  /** It is set when the record is created and never again. */
  fixed?: Fixed;
  /** It is set when the record is changed; a new record gets it in another way. */
  onlyChanged?: OnlyChanged;
  nullable?: boolean;
  /** How it is found, where that is not the way of its kind. */
  search?: SearchKind | "none";
  /** How it stands in a record, where that is not the column. */
  shown?: SQL;
  description?: string;
}

type CreateOf<
  Input extends Schema,
  Required extends boolean,
  OnlyChanged extends boolean,
> = OnlyChanged extends true
  ? undefined
  : Input extends TSchema
    ? Required extends true
      ? Input
      : TOptional<Input>
    : undefined;
type ChangeOf<Input extends Schema, Fixed extends boolean> = Fixed extends true ? undefined : Input;
type ValueOf<Plain, Input extends Schema> = Input extends TSchema
  ? null extends Static<Input>
    ? Plain | null
    : Plain
  : Plain;

function scalar<Plain>(kind: Kind) {
  return <
    Input extends TSchema | undefined = undefined,
    Required extends boolean = false,
    Fixed extends boolean = false,
    OnlyChanged extends boolean = false,
  >(
    options: ScalarOptions<Input, Required, Fixed, OnlyChanged>,
  ): Field<
    ValueOf<Plain, Input>,
    CreateOf<Input, Required, OnlyChanged>,
    ChangeOf<Input, Fixed>
  > => ({
    label: options.label,
    kind,
    schema: recordSchema(kind, options),
    ...bodies(options),
    column: (name) => name,
    query: ({ name, table }) => ({
      [name]: {
        kind,
        column: columnOf(table, name),
        ...(options.shown && { shown: options.shown }),
      },
    }),
    sources: ({ name, table, id }) => {
      const rows = { id, from: sql`${table} where true` };
      const value = columnOf(table, name);
      if (options.search === "none") return [];
      if (options.search) return [{ ...rows, path: name, kind: options.search, value }];
      const text = { ...rows, path: name, kind: "keyword", value: sql`${value}::text` } as const;
      // A block is also found as it is written, by parts of it.
      return [...sourceOf(kind, name, rows, value), ...(kind === "block" ? [text] : [])];
    },
  });
}

/** A name that is unique whatever its case. */
export const name = scalar<string>("name");
/** A name kept in lower case, as in DNS. */
export const label = scalar<string>("label");
/** A name kept in upper case. */
export const code = scalar<string>("code");
export const text = scalar<string>("text");
export const integer = scalar<number>("integer");
export const boolean = scalar<boolean>("boolean");
export const ip = scalar<string>("ip");
/** A block of addresses in CIDR notation. */
export const block = scalar<string>("block");
export const mac = scalar<string>("mac");
export const time = scalar<string>("time");

/** One of a few words. */
export function choice<Input extends TSchema>(
  options: ScalarOptions<Input, false, false, false> & { input: Input },
): Field<Static<Input>, TOptional<Input>, Input> {
  return { ...label(options), schema: options.input } as Field<
    Static<Input>,
    TOptional<Input>,
    Input
  >;
}

/** A JSON object: shown, and nothing to filter or sort by. */
export function json<Input extends TSchema>(
  options: ScalarOptions<Input, false, false, false> & { input: Input },
): Field<Record<string, unknown>, TOptional<Input>, Input> {
  const field = scalar<string>("value")(options);
  return { ...field, schema: RECORD } as unknown as Field<
    Record<string, unknown>,
    TOptional<Input>,
    Input
  >;
}

/** A list of texts. */
export function list<Input extends TSchema | undefined = undefined>(options: {
  label: string;
  input?: Input;
}): Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>> {
  const field = scalar<string[]>("list")({ ...options, search: "none" });
  return {
    ...field,
    schema: Type.Array(Type.String()),
    sources: ({ name, table, id }: Place): Source[] => {
      const from = sql`${table} cross join unnest(${columnOf(table, name)}) one where true`;
      return [{ id, from, path: name, kind: "keyword", value: sql`one` }];
    },
  } as unknown as Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>>;
}

interface ReferenceOptions<
  Input extends Schema,
  Required extends boolean,
  Fixed extends boolean,
  OnlyChanged extends boolean,
  Nullable extends boolean,
> extends Omit<
    ScalarOptions<Input, Required, Fixed, OnlyChanged>,
    "search" | "shown" | "nullable"
  > {
  kind: Kind;
  nullable?: Nullable;
  /** The column with the key; `<field>_id` where it is not said. */
  key?: string;
  /** Where another reference leads to the key: the rows from the record to it, and the key there. */
  through?: { from: SQL; key: SQL };
  /** What the other record is called by; `name` where it is not said. */
  called?: string;
  /** The name of the other table in the query, where the records' own table is of the same name. */
  alias?: string;
  /** The fields of the other record that stand beside its id and its name with `recursive=true`. */
  nested?: Nested;
  /** True of other records that the caller may know of; all others are as if there were none. */
  known?: (caller: Caller, other: SQL) => SQL;
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
  const { kind, called = "name", nested = {}, known = () => sql`true`, through } = options;
  const foreign = getTableName(to);
  const other = sql.identifier(options.alias ?? foreign);
  const table = options.alias ? sql`${sql.identifier(foreign)} ${other}` : sql`${other}`;
  const of = (column: string) => sql`${other}.${sql.identifier(column)}`;
  const column = (name: string) => options.key ?? `${name}_id`;
  const keyOf = (at: Place) => through?.key ?? columnOf(at.table, column(at.name));
  // Behind another table no index of this one has the key.
  const far = (key: SQL) => through && { absent: sql`${key} is null`, key: undefined };
  return {
    label: options.label,
    kind,
    schema: described(NAMED, options.description),
    ...bodies(options, { [REFERS_TO]: foreign }),
    ...(!through && {
      column,
      refersTo: { table: foreign, name: called, isHidden: options.known !== undefined },
    }),
    query: (at) => ({
      [at.name]: {
        ...reference({
          kind,
          key: keyOf(at),
          table,
          id: of("id"),
          name: of(called),
          known: known(at.caller, sql`${other}`),
          nested: nestedRecord(other, { [called]: kind, ...nested }),
        }),
        ...far(keyOf(at)),
      },
      [`${at.name}_id`]: {
        kind: "integer",
        column: keyOf(at),
        hidden: true,
        ...far(keyOf(at)),
      },
    }),
    join: (at) => sql`left join ${table} on ${of("id")} = ${keyOf(at)}`,
    sources: (at) => {
      const from = sql`${through?.from ?? at.table} join ${table} on ${of("id")} = ${keyOf(at)}`;
      const where = known(at.caller, sql`${other}`);
      return namedSources(at, { id: at.id, from, where }, other, { [called]: kind, ...nested });
    },
  };
}

interface ManyOptions<Input extends Schema> {
  label: string;
  kind: Kind;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** A statement of rows that stand in for the table's. */
  rows?: SQL;
  /** The table between the two; `key` is there, and beside it the key of the other record. */
  through?: { table: PgTable; to: string };
  /** One of them, in a word, for the filter by key: `interface_id`. */
  singular: string;
  called?: string;
  /** The order of their names, from `one`, where that is not by the alphabet. */
  order?: SQL;
  nested?: Nested;
  /** Whole records with `recursive=true`; what they are found by is said by hand. */
  whole?: { schema: TSchema; query: (caller: Caller) => RecordQuery };
  /** What bodies may hold: a list of names. */
  input?: Input;
  known?: (caller: Caller, one: SQL) => SQL;
}

/** Other records that belong to this one, shown by their names. */
export function hasMany<Input extends TSchema | undefined = undefined>(
  options: ManyOptions<Input>,
): Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>> {
  const { kind, called = "name", nested = {}, known = () => sql`true`, through, whole } = options;
  const table = sql.identifier(getTableName(options.table));
  const [one, link] = [sql.identifier("one"), sql.identifier("link")];
  const rows = (alias: typeof one) => {
    const own = options.rows || alias !== table;
    const those = own ? sql`${options.rows ?? table} ${alias}` : sql`${table}`;
    if (!through) return those;
    return sql`${sql.identifier(getTableName(through.table))} ${link}
      join ${those} on ${alias}.id = ${link}.${sql.identifier(through.to)}`;
  };
  const key = (alias: typeof one) => columnOf(sql`${through ? link : alias}`, options.key);
  const value = columnOf(sql`${one}`, called);
  return {
    label: options.label,
    kind,
    schema: Type.Array(Type.Union([Type.String(), whole?.schema ?? RECORD])),
    ...bodies<Input, false, false, false>(options),
    query: (at) => {
      const those = sql`${rows(one)} where ${key(one)} = ${at.id} and ${known(at.caller, sql`${one}`)}`;
      const inside = whole
        ? within(whole.query(at.caller), { key: columnOf(sql`${table}`, options.key), of: at.id })
        : undefined;
      return {
        [at.name]: {
          ...listed({
            kind,
            name: value,
            from: those,
            order: options.order,
            nested: nestedRecord(one, { [called]: kind, ...nested }),
          }),
          ...(inside && { nested: inside }),
        },
        [`${options.singular}_id`]: {
          kind: "integer",
          column: columnOf(sql`${one}`, "id"),
          among: those,
          hidden: true,
        },
      };
    },
    sources: (at) => {
      if (whole) return [];
      const where = known(at.caller, sql`${table}`);
      const found = { id: key(table), from: rows(table), where };
      return namedSources(at, found, table, { [called]: kind, ...nested });
    },
  };
}

interface ContentsOptions {
  label: string;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** What they are shown by, and the fields that stand beside that with `recursive=true`. */
  shown: Nested;
  /** What the other records are called in a search, where they are of the same table. */
  alias?: string;
}

/** Other records that are a part of this one, in the order in which they were added; no list is filtered by them. */
export function contents(options: ContentsOptions): Field<string[], undefined, undefined> {
  const { label, key, shown } = options;
  const table = sql.identifier(getTableName(options.table));
  const one = sql.identifier("one");
  const [called = "name"] = Object.keys(shown);
  return {
    label,
    kind: "value",
    schema: Type.Array(Type.Union([Type.String(), RECORD])),
    create: undefined,
    change: undefined,
    query: ({ name, id }) => {
      const those = sql`${table} ${one} where ${columnOf(sql`${one}`, key)} = ${id}`;
      const all = (value: SQL) =>
        sql`coalesce((select json_agg(${value} order by ${one}.id) from ${those}), '[]'::json)`;
      return {
        [name]: {
          kind: "value",
          column: all(columnOf(sql`${one}`, called)),
          nested: all(nestedRecord(one, shown)),
        },
      };
    },
    sources: (at) => {
      const alias = options.alias ? sql.identifier(options.alias) : table;
      const from = options.alias ? sql`${table} ${alias}` : sql`${table}`;
      const owner = columnOf(sql`${alias}`, key);
      return namedSources(at, { id: owner, from, where: sql`${owner} is not null` }, alias, shown);
    },
  };
}

interface DerivedOptions {
  label: string;
  kind: Kind;
  value: SQL;
  shown?: SQL;
  nullable?: boolean;
  /** Of a value from the table of a reference: true of records that have none. */
  absent?: SQL;
  /** Where the values of all records are found, where that is not beside the record. */
  source?: Pick<Source, "value" | "id" | "from">;
}

/** What follows from columns of the record, and of those that it names. */
export function derived<Value>(options: DerivedOptions): Field<Value, undefined, undefined> {
  const { kind, value, shown, absent, source } = options;
  return {
    label: options.label,
    kind,
    schema: recordSchema(kind, options),
    create: undefined,
    change: undefined,
    query: ({ name }) => ({
      [name]: { kind, column: value, ...(shown && { shown }), ...(absent && { absent }) },
    }),
    sources: ({ name, table, id }) => {
      const { value: kept, ...rows } = source ?? { value, id, from: sql`${table} where true` };
      return sourceOf(kind, name, rows, kept);
    },
  };
}

/** Who changed a record last and when, and when it was created. */
export function stamps() {
  return {
    user: byUser({ label: "User", key: "updated_by", description: "Who changed it last" }),
    created_at: time({ label: "Created", description: MOMENT }),
    updated_at: time({ label: "Updated", description: MOMENT }),
  };
}

export const MOMENT = "YYYY-MM-DD HH:MM, UTC";

interface UserOptions {
  label: string;
  /** The column with the user's key. */
  key: string;
  description: string;
}

/** Who did something to a record: no more of them than everybody may know. */
export function byUser(options: UserOptions): Field<string | null, undefined, undefined> {
  const by = ({ table }: Place) => columnOf(table, options.key);
  return {
    label: options.label,
    kind: "name",
    schema: described(NAMED, options.description),
    create: undefined,
    change: undefined,
    query: (at) => ({
      [at.name]: reference({
        kind: "name",
        key: by(at),
        table: sql`users`,
        id: sql`users.id`,
        name: sql`users.username`,
        nested: USER,
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

interface Listed {
  kind: Kind;
  name: SQL;
  /** Tables, and the condition that leads to the record around them. */
  from: SQL;
  order?: SQL;
  nested?: SQL;
}

/** Names of other records, in the order of those names; the list is filtered by any of them. */
export function listed({ kind, name, from, order = name, nested }: Listed): FieldSql {
  const all = (value: SQL) =>
    sql`(select coalesce(json_agg(${value} order by ${order}), '[]'::json) from ${from})`;
  return {
    kind,
    column: name,
    among: from,
    shown: all(name),
    ...(nested && { nested: all(nested) }),
  };
}

function bodies<
  Input extends Schema,
  Required extends boolean,
  Fixed extends boolean,
  OnlyChanged extends boolean,
>(
  options: Pick<
    ScalarOptions<Input, Required, Fixed, OnlyChanged>,
    "label" | "input" | "required" | "fixed" | "onlyChanged"
  >,
  annotations: Record<string, string> = {},
) {
  const { label, input, required, fixed, onlyChanged } = options;
  const titled = input && { ...input, title: label, ...annotations };
  const created = titled && !required ? Type.Optional(titled) : titled;
  return {
    create: (onlyChanged ? undefined : created) as CreateOf<Input, Required, OnlyChanged>,
    change: (fixed ? undefined : titled) as ChangeOf<Input, Fixed>,
  };
}

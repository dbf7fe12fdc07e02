// The kinds of fields that a resource is described by: see resource.ts. Each says how its value is kept, shown, read
// from a body, filtered and found.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "../auth/auth.ts";
import { type Kind, NATURES } from "../input/kinds.ts";
import type { Kind as SearchKind, Source } from "../search/language/search_document.ts";
import { columnOf, namedSources, nestedRecord, sourceOf } from "./field_parts.ts";
import type { FieldSql, FieldsSql } from "./filters.ts";
import { reference, USER } from "./reference.ts";

type Schema = TSchema | undefined;

/** One field: `Value` is what stands in a record, `Create` and `Change` what bodies may hold. */
export interface Field<
  Value = unknown,
  Create extends Schema = Schema,
  Change extends Schema = Schema,
> {
  /** What people call it. */
  label: string;
  kind: Kind;
  /** Its schema in a record; fields without one are for filters alone. */
  schema: TSchema | undefined;
  create: Create;
  change: Change;
  /** The column that keeps it, by the field's name; derived fields have none. */
  column?: (name: string) => string;
  /** The table of the keys in the column, the column that its rows are called by, and whether it may be hidden. */
  refersTo?: { table: string; name: string; isHidden: boolean };
  query: (at: Place) => FieldsSql;
  sources: (at: Place) => Source[];
  /** The table that `query` sorts by, joined to the record's own. */
  join?: (at: Place) => SQL;
  /** For the compiler alone. */
  readonly value?: Value;
}

/** Where a field is asked for: its name, its table, the record's key there, and who asks. */
export interface Place {
  name: string;
  table: SQL;
  id: SQL;
  caller: Caller;
}

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
  /** What the other record is called by; `name` where it is not said. */
  called?: string;
  /** The name of the other table in the query, where the records' own table is of the same name. */
  alias?: string;
  /** The fields of the other record that stand beside its id and its name with `recursive=true`. */
  nested?: Record<string, Kind>;
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
  const { kind, called = "name", nested = {}, known = () => sql`true` } = options;
  const foreign = getTableName(to);
  const other = sql.identifier(options.alias ?? foreign);
  const table = options.alias ? sql`${sql.identifier(foreign)} ${other}` : sql`${other}`;
  const of = (column: string) => sql`${other}.${sql.identifier(column)}`;
  const column = (name: string) => options.key ?? `${name}_id`;
  const keyOf = (at: Place) => columnOf(at.table, column(at.name));
  return {
    label: options.label,
    kind,
    schema: described(NAMED, options.description),
    ...bodies(options, { [REFERS_TO]: foreign }),
    column,
    refersTo: { table: foreign, name: called, isHidden: options.known !== undefined },
    query: (at) => ({
      [at.name]: reference({
        kind,
        key: keyOf(at),
        table,
        id: of("id"),
        name: of(called),
        known: known(at.caller, sql`${other}`),
        nested: nestedRecord(other, { [called]: kind, ...nested }),
      }),
      [`${at.name}_id`]: { kind: "integer", column: keyOf(at), hidden: true },
    }),
    join: (at) => sql`left join ${table} on ${of("id")} = ${keyOf(at)}`,
    sources: (at) => {
      const from = sql`${at.table} join ${table} on ${of("id")} = ${keyOf(at)}
        where ${known(at.caller, sql`${other}`)}`;
      return namedSources(at.name, { id: at.id, from }, other, { [called]: kind, ...nested });
    },
  };
}

interface ManyOptions {
  label: string;
  kind: Kind;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** Where a table stands between: how to reach `one` from it, and the key there that leads back. */
  through?: { from: SQL; key: SQL };
  /** One of them, in a word, for the filter by key: `interface_id`. */
  singular: string;
  called?: string;
  nested?: Record<string, Kind>;
  known?: (caller: Caller, one: SQL) => SQL;
  /** For filters alone. */
  hidden?: boolean;
}

/** Other records that belong to this one, shown by their names. */
export function hasMany(options: ManyOptions): Field<string[], undefined, undefined> {
  const { kind, called = "name", nested = {}, known = () => sql`true`, through } = options;
  const one = sql.identifier("one");
  const from = through?.from ?? sql`${sql.identifier(getTableName(options.table))} ${one}`;
  const key = through?.key ?? columnOf(sql`${one}`, options.key);
  const value = columnOf(sql`${one}`, called);
  return {
    label: options.label,
    kind,
    schema: options.hidden ? undefined : Type.Array(Type.Union([Type.String(), RECORD])),
    create: undefined,
    change: undefined,
    query: (at) => {
      const those = sql`${from} where ${key} = ${at.id} and ${known(at.caller, sql`${one}`)}`;
      const hidden = options.hidden ? { hidden: true } : {};
      return {
        [at.name]: {
          ...listed({
            kind,
            name: value,
            from: those,
            nested: nestedRecord(one, { [called]: kind, ...nested }),
          }),
          ...hidden,
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
      if (options.hidden) return [];
      const rows = { id: key, from: sql`${from} where ${known(at.caller, sql`${one}`)}` };
      return namedSources(at.name, rows, one, { [called]: kind, ...nested });
    },
  };
}

interface ContentsOptions {
  label: string;
  /** The table of the other records, and the column there that leads back to this one. */
  table: PgTable;
  key: string;
  /** What they are shown by, and the fields that stand beside that with `recursive=true`. */
  shown: Record<string, Kind>;
}

/** Other records that are a part of this one, in the order in which they were added; no list is filtered by them. */
export function contents({
  label,
  table,
  key,
  shown,
}: ContentsOptions): Field<string[], undefined, undefined> {
  const one = sql.identifier("one");
  const from = sql`${sql.identifier(getTableName(table))} ${one}`;
  const owner = columnOf(sql`${one}`, key);
  const [called = "name"] = Object.keys(shown);
  return {
    label,
    kind: "value",
    schema: Type.Array(Type.Union([Type.String(), RECORD])),
    create: undefined,
    change: undefined,
    query: ({ name, id }) => {
      const all = (value: SQL) => sql`coalesce((
        select json_agg(${value} order by ${one}.id) from ${from} where ${owner} = ${id}), '[]'::json)`;
      return {
        [name]: {
          kind: "value",
          column: all(columnOf(sql`${one}`, called)),
          nested: all(nestedRecord(one, shown)),
        },
      };
    },
    sources: ({ name }) =>
      namedSources(name, { id: owner, from: sql`${from} where ${owner} is not null` }, one, shown),
  };
}

interface DerivedOptions {
  label: string;
  kind: Kind;
  value: SQL;
  shown?: SQL;
  nullable?: boolean;
}

/** What follows from columns of the record. */
export function derived<Value>(options: DerivedOptions): Field<Value, undefined, undefined> {
  const { kind, value, shown } = options;
  return {
    label: options.label,
    kind,
    schema: recordSchema(kind, options),
    create: undefined,
    change: undefined,
    query: ({ name }) => ({ [name]: { kind, column: value, ...(shown && { shown }) } }),
    sources: ({ name, table, id }) =>
      sourceOf(kind, name, { id, from: sql`${table} where true` }, value),
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
  nested?: SQL;
}

/** Names of other records, in the order of those names; the list is filtered by any of them. */
export function listed({ kind, name, from, nested }: Listed): FieldSql {
  const all = (value: SQL) =>
    sql`(select coalesce(json_agg(${value} order by ${name}), '[]'::json) from ${from})`;
  return {
    kind,
    column: name,
    among: from,
    shown: all(name),
    ...(nested && { nested: all(nested) }),
  };
}

/** Of the schema of a field in a body: the table whose names it takes. */
export const REFERS_TO = "x-refers-to";

const RECORD = Type.Object({}, { additionalProperties: true });
/** A name, or with `recursive` the record behind it. */
export const NAMED = Type.Union([Type.String(), RECORD, Type.Null()]);

function recordSchema(
  kind: Kind,
  { input, nullable, description }: { input?: Schema; nullable?: boolean; description?: string },
): TSchema {
  const { type } = NATURES[kind].schema;
  const plain =
    type === "integer" ? Type.Integer() : type === "boolean" ? Type.Boolean() : Type.String();
  return described(
    nullable || takesNull(input) ? Type.Union([plain, Type.Null()]) : plain,
    description,
  );
}

function described(schema: TSchema, description?: string): TSchema {
  return description ? { ...schema, description } : schema;
}

function takesNull(input: Schema): boolean {
  return input?.anyOf?.some((one: TSchema) => one.type === "null") ?? false;
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

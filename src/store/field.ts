// The type of all fields of resources; fields.ts has the kinds.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import type { SQL } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { KIND_RULES, type Kind } from "../input/kinds.ts";
import type { SearchSource, ValueKind } from "../search/document.ts";
import type { FieldsSql } from "./filters.ts";

export type OptionalSchema = TSchema | undefined;

/** One field: `Value` is its type in a record, `Create` and `Change` are its schemas in bodies. */
export interface Field<
  Value = unknown,
  Create extends OptionalSchema = OptionalSchema,
  Change extends OptionalSchema = OptionalSchema,
> {
  /** Its name for people. */
  label: string;
  kind: Kind;
  /** Its schema in a record; fields without one are for filters alone. */
  schema: TSchema | undefined;
  create: Create;
  change: Change;
  /** Its column, by the name of the field; derived fields have none. */
  column?: (name: string) => string;
  /** The table that the column refers to, the column with the names there, and whether its rows may be hidden. */
  refersTo?: { table: string; name: string; isHidden: boolean };
  /** The table of the records that it shows by their names: pages link them. */
  shows?: string;
  /** No two records have the same value, so it is not offered when several are changed at once. */
  individual?: boolean;
  /** Forms and pages show it together with others of this group. */
  group?: string;
  /** If lists on pages differ from records: whether they show it. */
  inLists?: boolean;
  query: (at: FieldContext) => FieldsSql;
  sources: (at: FieldContext) => SearchSource[];
  /** The table that `query` sorts by, joined to the record's own. */
  join?: (at: FieldContext) => SQL;
  /** Fields within it, by their whole names, which depend on the site and on who asks. */
  parts?: (caller: Caller) => Record<string, Field>;
  /** What its column gets for a value of a body, if not the value. */
  toColumn?: (tx: Transaction, caller: Caller, value: unknown) => Promise<unknown>;
  /** Only for type inference. */
  readonly value?: Value;
}

/** A field for filters; it is in a record only if it is picked by name. */
export type Hidden<F extends Field = Field> = F & { schema: undefined };

export function hidden<F extends Field>(field: F): Hidden<F> {
  return { ...field, schema: undefined, sources: () => [] };
}

/** A field of records that lists on pages do not show, such as records that they count. */
export function inRecordsAlone<F extends Field>(field: F): F & { inLists: false } {
  return { ...field, inLists: false };
}

/** A field of lists on pages, which is not part of records in the API. */
export function inListsAlone<F extends Field>(field: F): Hidden<F> & { inLists: true } {
  return { ...hidden(field), inLists: true };
}

/** The context of a query of a field: its name, its table, the id of the record, and the caller. */
export interface FieldContext {
  name: string;
  table: SQL;
  id: SQL;
  caller: Caller;
}

export interface ScalarOptions<
  Input extends OptionalSchema,
  Required extends boolean,
  Fixed extends boolean,
  OnlyChanged extends boolean,
> {
  label: string;
  /** The schema in bodies; its description is the error message. Without one the field is read-only. */
  input?: Input;
  /** A record cannot be created without it. */
  required?: Required;
  /** It is set when the record is created and cannot be changed. */
  fixed?: Fixed;
  /** It can be changed, but not be given for a new record. */
  onlyChanged?: OnlyChanged;
  nullable?: boolean;
  /** No two records have the same value. */
  individual?: boolean;
  /** How it is searched, if not as usual for its kind. */
  search?: ValueKind | "none";
  /** Its value in a record, if it is not the column. */
  recordValue?: SQL;
  description?: string;
}

export type CreateOf<
  Input extends OptionalSchema,
  Required extends boolean,
  OnlyChanged extends boolean,
> = OnlyChanged extends true
  ? undefined
  : Input extends TSchema
    ? Required extends true
      ? Input
      : TOptional<Input>
    : undefined;
export type ChangeOf<Input extends OptionalSchema, Fixed extends boolean> = Fixed extends true
  ? undefined
  : Input;
export type ValueOf<Plain, Input extends OptionalSchema> = Input extends TSchema
  ? null extends Static<Input>
    ? Plain | null
    : Plain
  : Plain;

/** Another record as a whole. */
export const RECORD = Type.Object({}, { additionalProperties: true });
/** A name, or with `recursive` the record behind it. */
export const NAMED = Type.Union([Type.String(), RECORD, Type.Null()]);

export function recordSchema(
  kind: Kind,
  {
    input,
    nullable,
    description,
  }: { input?: OptionalSchema; nullable?: boolean; description?: string },
): TSchema {
  const { type } = KIND_RULES[kind].schema;
  const plain =
    type === "integer" ? Type.Integer() : type === "boolean" ? Type.Boolean() : Type.String();
  return described(
    nullable || takesNull(input) ? Type.Union([plain, Type.Null()]) : plain,
    description,
  );
}

export function described(schema: TSchema, description?: string): TSchema {
  return description ? { ...schema, description } : schema;
}

function takesNull(input: OptionalSchema): boolean {
  return input?.anyOf?.some((one: TSchema) => one.type === "null") ?? false;
}

export function bodies<
  Input extends OptionalSchema,
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

// What every field of a resource is, whatever its kind: see fields.ts.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import type { SQL } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { KIND_RULES, type Kind } from "../input/kinds.ts";
import type { SearchSource, ValueKind } from "../search/document.ts";
import type { FieldsSql } from "./filters.ts";

export type Schema = TSchema | undefined;

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
  query: (at: FieldContext) => FieldsSql;
  sources: (at: FieldContext) => SearchSource[];
  /** The table that `query` sorts by, joined to the record's own. */
  join?: (at: FieldContext) => SQL;
  /** For the compiler alone. */
  readonly value?: Value;
}

/** A field that lists are filtered by; it stands in a record only where it is asked for by name. */
export type Hidden<F extends Field = Field> = F & { schema: undefined };

export function hidden<F extends Field>(field: F): Hidden<F> {
  return { ...field, schema: undefined, sources: () => [] };
}

/** Where a field is asked for: its name, its table, the record's key there, and who asks. */
export interface FieldContext {
  name: string;
  table: SQL;
  id: SQL;
  caller: Caller;
}

export interface ScalarOptions<
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
  search?: ValueKind | "none";
  /** How it stands in a record, where that is not the column. */
  shown?: SQL;
  description?: string;
}

export type CreateOf<
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
export type ChangeOf<Input extends Schema, Fixed extends boolean> = Fixed extends true
  ? undefined
  : Input;
export type ValueOf<Plain, Input extends Schema> = Input extends TSchema
  ? null extends Static<Input>
    ? Plain | null
    : Plain
  : Plain;

/** Of the schema of a field in a body: the table whose names it takes. */
export const REFERS_TO = "x-refers-to";

/** Another record as a whole. */
export const RECORD = Type.Object({}, { additionalProperties: true });
/** A name, or with `recursive` the record behind it. */
export const NAMED = Type.Union([Type.String(), RECORD, Type.Null()]);

export function recordSchema(
  kind: Kind,
  { input, nullable, description }: { input?: Schema; nullable?: boolean; description?: string },
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

function takesNull(input: Schema): boolean {
  return input?.anyOf?.some((one: TSchema) => one.type === "null") ?? false;
}

export function bodies<
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

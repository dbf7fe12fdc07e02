// The kinds of fields of resources: see resource.ts. Each defines how its value is stored, shown, read from a body,
// filtered and searched.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import type { Kind } from "../input/kinds.ts";
import { line as lineOf, nullable } from "../input/shape.ts";
import type { SearchSource } from "../search/document.ts";
import {
  bodies,
  type ChangeOf,
  type CreateOf,
  type Field,
  type FieldContext,
  inListsAlone,
  RECORD,
  recordSchema,
  type ScalarOptions,
  type ValueOf,
} from "./field.ts";
import { columnOf, sourceOf } from "./field_parts.ts";
import type { BatchValue, FieldSql } from "./filters.ts";
import { byUser } from "./reference_fields.ts";

export type { Field, FieldContext, Hidden, OptionalSchema } from "./field.ts";
export { hidden, inListsAlone, inRecordsAlone, NAMED } from "./field.ts";
export { belongsTo, byUser, contents, hasMany, listed } from "./reference_fields.ts";

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
    ...(options.individual && { individual: true }),
    column: (name) => name,
    query: ({ name, table }) => ({
      [name]: {
        kind,
        column: columnOf(table, name),
        ...(options.recordValue && { recordValue: options.recordValue }),
        // Such a text has the indexes of names.
        ...(options.search === "keyword" && { isSorted: true }),
      },
    }),
    sources: ({ name, table, id }) => {
      const rows = { id, from: sql`${table} where true` };
      const value = columnOf(table, name);
      if (options.search === "none") return [];
      if (options.search) return [{ ...rows, path: name, kind: options.search, value }];
      const text = { ...rows, path: name, kind: "keyword", value: sql`${value}::text` } as const;
      // A block is also searched as text, by parts of it.
      return [...sourceOf(kind, name, rows, value), ...(kind === "block" ? [text] : [])];
    },
  });
}

/** A name that is unique whatever its case. */
export const name = scalar<string>("name");
/** A name that is stored in lower case, as in DNS. */
export const label = scalar<string>("label");
/** A name that is stored in upper case. */
export const code = scalar<string>("code");
export const text = scalar<string>("text");
export const integer = scalar<number>("integer");
export const boolean = scalar<boolean>("boolean");
export const ip = scalar<string>("ip");
/** A block of addresses in CIDR notation. */
export const block = scalar<string>("block");
export const mac = scalar<string>("mac");
export const time = scalar<string>("time");

/** An optional text on one line. */
export function line({ label, longest }: { label: string; longest: number }) {
  return text({ label, input: nullable(lineOf(longest)) });
}

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
export function list<Input extends TSchema | undefined = undefined>({
  kind = "list",
  ...options
}: {
  label: string;
  input?: Input;
  kind?: "list" | "tags";
}): Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>> {
  const field = scalar<string[]>(kind)({ ...options, search: "none" });
  return {
    ...field,
    schema: Type.Array(Type.String()),
    sources: ({ name, table, id }: FieldContext): SearchSource[] => {
      const from = sql`${table} cross join unnest(${columnOf(table, name)}) one where true`;
      const all = kind === "tags" ? { list: columnOf(table, name) } : {};
      return [{ id, from, path: name, kind: "keyword", value: sql`one`, ...all }];
    },
  } as unknown as Field<string[], CreateOf<Input, false, false>, ChangeOf<Input, false>>;
}

/** A comma separates tags in a cell of a sheet. */
export const TAG = Type.String({
  minLength: 1,
  maxLength: 30,
  pattern: "^[^,;\\n\\r\\t]+$",
  description: "Use 1 to 30 characters without a comma for a tag",
});
export const MOST_TAGS = 20;
const TAGS = Type.Array(TAG, {
  maxItems: MOST_TAGS,
  description: `Use at most ${MOST_TAGS} tags`,
});

/** As it is stored. */
export function tag(text: string): string {
  return text.trim().toLowerCase();
}

/** Short texts by which people group records of any kind: in lower case and in order, each once. */
export function tags() {
  return list({ label: "Tags", kind: "tags", input: TAGS });
}

interface DerivedOptions {
  label: string;
  kind: Kind;
  /** It may depend on what the caller sees. */
  value: SQL | ((caller: Caller) => SQL);
  recordValue?: SQL;
  nullable?: boolean;
  /** For a value from the table of a reference: true of records without that reference. */
  isNull?: SQL;
  /** How it is read for many records at once. */
  batchValue?: (name: string) => BatchValue;
  /** The values of all records, if they are not in the table of the record. */
  source?: Pick<SearchSource, "value" | "id" | "from">;
  /** See FieldSql. */
  indexedCopy?: FieldSql["indexedCopy"];
}

/** A value that is computed from columns of the record and of its references. */
export function derived<Value>(options: DerivedOptions): Field<Value, undefined, undefined> {
  const { kind, recordValue, isNull, batchValue, source, indexedCopy } = options;
  const valueFor = (caller: Caller) =>
    typeof options.value === "function" ? options.value(caller) : options.value;
  return {
    label: options.label,
    kind,
    schema: recordSchema(kind, options),
    create: undefined,
    change: undefined,
    query: ({ name, caller }) => ({
      [name]: {
        kind,
        column: valueFor(caller),
        ...(recordValue && { recordValue }),
        ...(isNull && { isNull }),
        ...(batchValue && { batchValue: batchValue(name) }),
        ...(indexedCopy && { indexedCopy }),
      },
    }),
    sources: ({ name, table, id, caller }) => {
      // Words are looked for in stored values alone.
      const own = { value: valueFor(caller), id, from: sql`${table} where true`, onlyByName: true };
      const { value: column, ...rows } = source ?? own;
      return sourceOf(kind, name, rows, column);
    },
  };
}

/**
 * A number that is computed for lists on pages and for filters: how often a record is used, how full it is. It is not
 * part of records in the API, so it costs nothing there. Only what the caller may see counts.
 */
export function usage(label: string, value: (caller: Caller) => SQL) {
  return inListsAlone(derived<number>({ label, kind: "integer", value }));
}

/** Last author, and times of creation and of the last change. */
export function stamps() {
  return {
    user: byUser({ label: "User", key: "updated_by", description: "Who changed it last" }),
    created_at: time({ label: "Created", description: MOMENT }),
    updated_at: time({ label: "Updated", description: MOMENT }),
  };
}

export const MOMENT = "YYYY-MM-DD HH:MM, UTC";

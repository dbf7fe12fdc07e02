// Schemas of input. The description of a field is its hint in the reference and in forms, and its error message.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import {
  type TypeCheck,
  TypeCompiler,
  type ValueError,
  ValueErrorType,
} from "@sinclair/typebox/compiler";
import { notItsStart } from "./addresses.ts";
import { reservedName, UNRESERVED_NAME } from "./domain_names.ts";
import { CODE, type FieldCode } from "./error_codes.ts";
import { type FieldError, refuse } from "./errors.ts";
import { LARGEST_KEY } from "./keys.ts";
import { MOST_ERRORS } from "./limits.ts";
import { normalizeInput, withArticle } from "./text.ts";

export const KEY = Type.Integer({
  minimum: 1,
  maximum: LARGEST_KEY,
  description: "Use the primary key of a record",
});

/** The key of a record of a kind, such as a domain. */
export function foreignKey(noun: string) {
  return { ...KEY, description: `Use the primary key of ${withArticle(noun)}` };
}

/** Annotation of a field in a body: the table whose names it takes. */
export const REFERS_TO = "x-refers-to";

/** A quantity. */
export const COUNT = Type.Integer({
  minimum: 1,
  maximum: LARGEST_KEY,
  description: "Use a whole number from 1",
});

export const MAC_ADDRESS = Type.String({
  pattern:
    "^[0-9A-Fa-f]{2}([:-]?[0-9A-Fa-f]{2}){5}$|^[0-9A-Fa-f]{4}([.:-])[0-9A-Fa-f]{4}\\2[0-9A-Fa-f]{4}$",
  description: "Use a MAC address such as 02:42:42:00:00:01, with colons, hyphens, dots or nothing",
  [CODE]: "not_a_mac_address",
});

export const TRUE_OR_FALSE = Type.Boolean({ description: "Use true or false" });

export function line(longest: number, description = `Use 1 to ${longest} characters on one line`) {
  return Type.String({ minLength: 1, maxLength: longest, pattern: "^[^\\n\\r\\t]*$", description });
}

export function paragraph(longest: number, description = `Use at most ${longest} characters`) {
  return Type.String({ maxLength: longest, description });
}

export function secret(description: string) {
  return Type.String({ minLength: 1, maxLength: 1024, description });
}

export function nullable<Schema extends TSchema>(schema: Schema) {
  const { description, title } = schema;
  return Type.Union([schema, Type.Null()], { description, ...(title && { title }) });
}

/** The same of any schema. A union stays one, which the reference shows in one list. */
export function orNull(schema: TSchema): TSchema {
  const { anyOf, ...rest } = schema;
  return anyOf ? { ...rest, anyOf: [...anyOf, Type.Null()] } : nullable(schema);
}

/** The body of a request, without any other fields. */
export function closed<Fields extends TProperties>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

/** The same fields, each optional, but at least one. */
export function atLeastOne<Fields extends TProperties>(fields: Fields) {
  return Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
}

/** The values of an HTML form, validated by the schema, as for the API. */
export function readFormInput<Shape extends TObject>(shape: Shape, form: FormData): Static<Shape> {
  const values: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(shape.properties)) {
    const inside = schema[SITE_PARTS] ? partsIn(field, schema, form) : [];
    if (inside.length > 0) values[field] = Object.fromEntries(inside);
    else if (form.has(field)) values[field] = fromText(schema, form.getAll(field).map(String));
  }
  return readInput(shape, values);
}

/** Annotation of an object whose fields are inputs of their own, such as site.rp_class: what they are of. */
export const SITE_PARTS = "x-site-fields";

type PartReader = (of: string, key: string, texts: string[]) => unknown;
let readPart: PartReader = (_of, _key, texts) => texts.at(-1);

/** Says how such an input is read. */
export function readPartsBy(reader: PartReader): void {
  readPart = reader;
}

function partsIn(field: string, schema: TSchema, form: FormData): Array<[string, unknown]> {
  return [...new Set(form.keys())].flatMap((name): Array<[string, unknown]> => {
    if (!name.startsWith(`${field}.`)) return [];
    const key = name.slice(field.length + 1);
    return [[key, readPart(schema[SITE_PARTS], key, form.getAll(name).map(String))]];
  });
}

/** Validates values that no route has checked: from a form or the console. */
export function readInput<Shape extends TObject>(shape: Shape, given: object): Static<Shape> {
  const value = normalizeInput(given);
  const check = compiled(shape);
  if (!check.Check(value)) throw refuse(fieldErrors(check.Errors(value)));
  return value;
}

export const REQUIRED = "This field is required";

type SchemaError = Pick<ValueError, "path" | "type" | "message" | "schema" | "value">;

/** The first error of each field. */
export function fieldErrors(errors: Iterable<SchemaError>): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of errors) {
    const field = error.path.slice(1).replaceAll("/", ".") || "body";
    if (!found.has(field))
      found.set(field, { field, message: sentence(error), code: codeOf(error) });
    if (found.size === MOST_ERRORS) break;
  }
  return [...found.values()];
}

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** The compiled check of a schema, cached. */
export function compiled<Shape extends TSchema>(shape: Shape): TypeCheck<Shape> {
  const check = checks.get(shape) ?? TypeCompiler.Compile(shape);
  checks.set(shape, check);
  return check as TypeCheck<Shape>;
}

function sentence(error: SchemaError): string {
  if (error.type === ValueErrorType.ObjectAdditionalProperties) return "Unknown field";
  // The pattern of a name helps nobody who has not chosen one.
  const isBlank = error.value == null || error.value === "";
  if (isBlank && error.schema[REFERS_TO]) return chooseOne(error.schema);
  if (error.type === ValueErrorType.ObjectRequiredProperty) return REQUIRED;
  if (error.type === ValueErrorType.ObjectMinProperties) return "Name at least one field to change";
  if (error.path === "") return "Send a JSON object";
  if (isReservedText(error)) return reservedName(String(error.value));
  const misplaced = error.schema.format === "block" && notItsStart(String(error.value));
  if (misplaced) return misplaced;
  return error.schema.description ?? (error.schema.type === "array" ? "Use a list" : error.message);
}

function codeOf({ type, schema, value }: SchemaError): FieldCode {
  if (type === ValueErrorType.ObjectAdditionalProperties) return "unknown_field";
  if (type === ValueErrorType.ObjectRequiredProperty) return "required";
  if (schema[REFERS_TO] && (value == null || value === "")) return "required";
  const [own = schema]: TSchema[] = schema.anyOf ?? [];
  return own[CODE] ?? "not_valid";
}

function isReservedText({ type, schema }: SchemaError): boolean {
  return type === ValueErrorType.StringFormat && schema.format === UNRESERVED_NAME;
}

/** Choose a device type. */
function chooseOne({ title = "record" }: TSchema): string {
  return `Choose ${withArticle(title.charAt(0).toLowerCase() + title.slice(1))}`;
}

function fromText(schema: TSchema, texts: string[]): unknown {
  if (schema.type === "array") {
    // Several fields of one name, or one field with a value on each line.
    const values = texts.flatMap((text) => text.split(/\r?\n/));
    return values.filter((value) => value.trim() !== "");
  }
  const text = texts.at(-1) ?? "";
  const schemas: TSchema[] = schema.anyOf ?? [schema];
  if (text.trim() === "" && schemas.some((one) => one.type === "null")) return null;
  if (schemas.some((one) => one.type === "boolean")) return text.toLowerCase() === "true";
  if (schemas.some((one) => one.type === "integer") && /^\s*-?[0-9]{1,15}\s*$/.test(text))
    return Number(text);
  return text;
}

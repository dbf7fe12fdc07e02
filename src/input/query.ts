// Parameters of a URL. A TypeBox schema describes them once: they are parsed and validated by it, and the OpenAPI document is
// made from it. The `title` of a parameter is its meaning; its `description` is the error message.
import type { Static, TArray, TObject, TProperties, TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { CODE, type FieldCode } from "./error_codes.ts";
import { type FieldError, refuse } from "./errors.ts";
import { compiled } from "./shape.ts";

/** These parameters and no others. Those that are arrays may be repeated. */
export function query<Parameters extends TProperties>(
  parameters: Parameters,
  unknown = "Unknown parameter",
) {
  return Type.Object(parameters, { additionalProperties: false, description: unknown });
}

export const NO_QUERY = query({});

export function flag(title: string) {
  return Type.Boolean({ default: false, title, description: "Use true or false, once" });
}

/** The values of the parameters, with the defaults of those that are not given. Refuses all errors at once. */
export function readQuery<Query extends TObject>(
  schema: Query,
  params: URLSearchParams,
): Static<Query> {
  const errors: FieldError[] = [];
  const values = collectQuery(schema, params, errors);
  if (errors.length > 0) throw refuse(errors);
  return values;
}

/** The same, for callers that collect further errors. */
export function collectQuery<Query extends TObject>(
  schema: Query,
  params: URLSearchParams,
  errors: FieldError[],
): Static<Query> {
  const values = { ...defaultsOf(schema) };
  for (const [field, pairs] of Map.groupBy(params, ([name]) => name)) {
    const parameter = Object.hasOwn(schema.properties, field) && schema.properties[field];
    if (!parameter) {
      errors.push({ field, message: schema.description ?? "", code: "unknown_field" });
      continue;
    }
    const texts = pairs.map(([, text]) => text);
    const message = errorOf(parameter, texts);
    if (message === undefined) values[field] = parse(parameter, texts);
    else errors.push({ field, message, code: codeIn(parameter) });
  }
  return values as Static<Query>;
}

/** For an array: the description of its items if a value is wrong, its own if the number or order of values is. */
function errorOf(parameter: TSchema, texts: string[]): string | undefined {
  if (!isArray(parameter)) {
    const isGood = texts.length === 1 && compiled(parameter).Check(parse(parameter, texts));
    return isGood ? undefined : parameter.description;
  }
  const { items, description } = parameter;
  const values = parse(parameter, texts) as unknown[];
  const check = compiled(items);
  if (!values.every((value) => check.Check(value))) return items.description;
  return description === undefined || compiled(parameter).Check(values) ? undefined : description;
}

function codeIn(parameter: TSchema): FieldCode {
  return (isArray(parameter) ? parameter.items : parameter)[CODE] ?? "not_valid";
}

function parse(parameter: TSchema, texts: string[]): unknown {
  if (isArray(parameter)) return texts.map((text) => valueIn(parameter.items, text));
  return valueIn(parameter, texts[0] ?? "");
}

/** The text as a value of the type of the schema; the text itself if it is none. */
function valueIn({ type }: TSchema, text: string): unknown {
  if (type === "integer" && /^-?[0-9]+$/.test(text)) return clamped(Number(text));
  if (type === "number" && /^-?[0-9]{1,15}(\.[0-9]{1,9})?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return text;
}

/** Any integer becomes a safe one: a page beyond the end is empty, and other parameters have lower limits. */
function clamped(number: number): number {
  return Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

export function isArray(schema: TSchema): schema is TArray {
  return schema.type === "array";
}

const defaults = new WeakMap<TObject, Record<string, unknown>>();

function defaultsOf(schema: TObject): Record<string, unknown> {
  const cached =
    defaults.get(schema) ??
    Object.fromEntries(
      Object.entries(schema.properties).flatMap(([name, one]) =>
        "default" in one ? [[name, one.default]] : [],
      ),
    );
  defaults.set(schema, cached);
  return cached;
}

// What the reference says of every route, made from the same shapes and fields that the routes use.
import { type TSchema, Type } from "@sinclair/typebox";
import { notFound } from "../errors.ts";
import { type Fields, lookups } from "../filter.ts";
import { NATURES } from "../kinds.ts";

/** Paths name records by number; whatever is no such number is a record that does not exist. */
export const byId = Type.Object({ id: Type.String({ description: "The record's primary key" }) });

const LARGEST_ID = 2_147_483_647;

export function idOf(text: string): number {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0;
  if (id === 0 || id > LARGEST_ID) throw notFound();
  return id;
}

export function listOf<Schema extends TSchema>(record: Schema) {
  return {
    200: Type.Array(record, {
      description: "One page; `link` and `x-total-count` tell of the others",
    }),
  };
}

export function shown<Schema extends TSchema>(record: Schema) {
  return { 200: record };
}

export function made<Schema extends TSchema>(record: Schema) {
  return { 201: record };
}

export const removed = { 204: Type.Void({ description: "Gone" }) };

/** The query parameters of a list: paging, sorting, search and a filter for every field. */
export function listParameters(fields: Fields) {
  const filters = lookups(fields).map(({ name, field, kind, lookup }) => ({
    ...parameter(
      name,
      lookup === "isnull" ? { type: "boolean" } : NATURES[kind].schema,
      MEANINGS[lookup] ?? "",
    ),
    description: `${field} ${MEANINGS[lookup]}`,
  }));
  return {
    parameters: [
      parameter("page", { type: "integer", minimum: 1, default: 1 }, "Which page"),
      parameter(
        "per_page",
        { type: "integer", minimum: 1, default: 20 },
        "Records a page, 100 at most",
      ),
      parameter(
        "sort",
        { type: "string" },
        "Fields separated by commas, a minus before those that descend",
      ),
      parameter("q", { type: "string" }, "Text to look for"),
      parameter("recursive", { type: "boolean" }, "Whole records where a name stands otherwise"),
      ...filters,
    ],
  };
}

/** The query parameters of a write. */
export const writeParameters = {
  parameters: [
    parameter("dry_run", { type: "boolean" }, "Validate and answer, but change nothing"),
  ],
};

const MEANINGS: Record<string, string> = {
  "": "is this; repeat the parameter for one of several",
  ne: "is not this",
  gte: "is this or more",
  lte: "is this or less",
  contains: "contains this text, in any case",
  startswith: "starts with this text, in any case",
  isnull: "is null (true) or not (false)",
};

function parameter(name: string, schema: object, description: string) {
  return { name, in: "query" as const, required: false, schema, description };
}

// What the reference says of every route, made from the same shapes and fields that the routes use.
import { type TSchema, Type } from "@sinclair/typebox";
import { NATURES } from "../input/kinds.ts";
import { type FieldsSql, lookups } from "../store/filters.ts";

/** Paths name records by number; whatever is no such number is a record that does not exist. */
export const byId = Type.Object({ id: Type.String({ description: "The record's primary key" }) });

export function listOf<Schema extends TSchema>(record: Schema) {
  return {
    200: Type.Array(record, {
      description:
        "One page; `link` and `x-total-count` tell of the others. A `link` of more than 8 kB is left out: `x-link-omitted: true`",
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

const RECURSIVE = "Whole records where a name stands otherwise";

const LIST_PARAMETERS = [
  parameter("page", { type: "integer", minimum: 1, default: 1 }, "Which page"),
  parameter(
    "per_page",
    { type: "integer", minimum: 1, default: 20 },
    "Records a page, 100 at most",
  ),
  parameter(
    "sort",
    { type: "string" },
    "Fields separated by commas, a minus before those that descend; relevance first for what answers best to q",
  ),
  parameter("q", { type: "string" }, "A query, such as name:arch* AND NOT network:Lab"),
];

/** The query parameters of a list: paging, sorting, search and a filter for every field. */
export function listParameters(fields: FieldsSql) {
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
      ...LIST_PARAMETERS,
      parameter("recursive", { type: "boolean" }, RECURSIVE),
      ...filters,
    ],
  };
}

const NESTED = parameter("recursive", { type: "boolean" }, RECURSIVE);

/** The query parameters of a single record that has no past. */
export const nestingParameters = { parameters: [NESTED] };

/** The query parameters of a single record. */
export const readParameters = {
  parameters: [
    NESTED,
    parameter("at", { type: "string" }, "As it was then, such as 2026-01-31 14:05, in UTC"),
  ],
};

const DRY_RUN = parameter(
  "dry_run",
  { type: "boolean" },
  "Validate and answer, but change nothing",
);

const FORCE = parameter(
  "force",
  { type: "boolean" },
  "For admins: use the gateway, network or broadcast address of a network",
);

/** The query parameters of a write that answers with a record. */
export const writeParameters = {
  parameters: [DRY_RUN, NESTED, FORCE],
};

/** Of a write that answers with none. */
export const dryRunParameters = { parameters: [DRY_RUN] };

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

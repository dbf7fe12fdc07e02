// The parts of a route that the OpenAPI document is made from: response schemas and parameter schemas.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { TIME } from "../input/kinds.ts";
import { flag, query } from "../input/query.ts";
import { fields, recursive } from "../store/list_query.ts";

/** A string, because anything that is not a number is answered with 404, not 422. */
export const byId = Type.Object({ id: Type.String({ description: "The record's primary key" }) });

export function listResponse<Schema extends TSchema>(record: Schema) {
  return {
    200: Type.Array(record, {
      description:
        "One page, or by `Accept` the whole list as text/csv, application/x-ndjson or xlsx. `link` and `x-total-count` describe the others, with `skip_total=true` only `link`, without `last`. A `link` of more than 8 kB is left out: `x-link-omitted: true`",
    }),
  };
}

export function recordResponse<Schema extends TSchema>(record: Schema) {
  return { 200: record };
}

export function createdResponse<Schema extends TSchema>(record: Schema) {
  return { 201: record };
}

export const removedResponse = { 204: Type.Void({ description: "Gone" }) };

export const sameResponse = { 204: Type.Void({ description: "It was so already" }) };

/** For records without past states. */
export const nestingQuery = query({ recursive, fields });

export const pastQuery = query({
  recursive,
  fields,
  at: Type.Optional(
    Type.String({
      ...TIME,
      title: "As it was then, such as 2026-01-31 14:05, in UTC",
      description: `${TIME.description}, once`,
    }),
  ),
});

const dry_run = flag("Validate and answer, but change nothing");

/** For writes that return a record. */
export const writeQuery = query({
  dry_run,
  recursive,
  force: flag("For admins: use the gateway, network or broadcast address of a network"),
});

/** For writes of an item. */
export const itemQuery = query({
  ...writeQuery.properties,
  unique_serial: flag("Refuse a serial number that another item of the manufacturer has"),
});

/** For writes that return nothing. */
export const dryRunQuery = query({ dry_run });

/** For an import. */
export const importQuery = query({
  dry_run,
  apply: Type.Union([Type.Literal("all"), Type.Literal("good")], {
    default: "all",
    title: "Apply all rows or none (all), or only the valid rows (good)",
    description: "Use all or good, once",
  }),
});

/** The parameters for the OpenAPI document. An array is a parameter that may be repeated. */
export function parametersOf({ properties }: TObject) {
  return {
    parameters: Object.entries(properties).map(([name, { title, ...schema }]) => ({
      name,
      in: "query" as const,
      required: false,
      description: title ?? "",
      schema,
    })),
  };
}

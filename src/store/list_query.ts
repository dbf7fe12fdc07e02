// The parameters of a list: paging, order, search, and the filters of its fields.
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { FieldError } from "../input/errors.ts";
import { collectQuery, flag, query } from "../input/query.ts";
import { type FieldFilter, type FieldSql, filtersOf } from "./filters.ts";
import { type PageRange, pageOf, pageParameters } from "./paging.ts";

export const recursive = flag("Whole records instead of names");

/** Of any list and record; http/answers.ts leaves out the others. */
export const fields = Type.Optional(
  Type.Array(Type.String(), { title: "Only these fields, separated by commas" }),
);

const parameters = {
  ...pageParameters,
  sort: Type.Optional(
    Type.Array(Type.String(), {
      title:
        "Fields separated by commas, with a minus for descending order; relevance sorts by the match with q",
    }),
  ),
  q: Type.Optional(
    Type.String({
      title: "A query, such as name:arch* AND NOT network:Lab",
      description: "Search for one text, given once",
    }),
  ),
  recursive,
  fields,
  cursor: Type.Optional(
    Type.String({
      title:
        "Walk the list in the order of ids, so that no record is lost or repeated while others are made or deleted: begin with *, and follow the link `next`",
      description: "Use * to begin, or the cursor of a link, once",
    }),
  ),
  skip_total: flag("Do not count the matches: no x-total-count, and no last in link"),
};
type Parameters = Static<TObject<typeof parameters>>;

export interface ListQuery {
  page: PageRange;
  sort: string[];
  q: string | undefined;
  isRecursive: boolean;
  skipsTotal: boolean;
  /** Undefined for a list with pages. */
  cursor: string | undefined;
  filters: Array<FieldFilter & { texts: string[] }>;
}

export function readListQuery(
  kinds: Kinds,
  params: URLSearchParams,
  errors: FieldError[],
): ListQuery {
  const { schema, filters } = schemaOf(kinds);
  const values: Parameters & Record<string, unknown> = collectQuery(schema, params, errors);
  const { page, per_page, sort = [], q, cursor } = values;
  const { recursive: isRecursive, skip_total: skipsTotal } = values;
  const given = Object.entries(values).flatMap(([name, texts]) => {
    const filter = filters.get(name);
    return filter && Array.isArray(texts) ? [{ ...filter, texts: texts.map(String) }] : [];
  });
  return {
    page: pageOf({ page, per_page }),
    sort,
    q,
    isRecursive,
    skipsTotal,
    cursor,
    filters: given,
  };
}

/** The schema of a list with these fields. */
export function listQuery(fields: Kinds): TObject {
  return schemaOf(fields).schema;
}

type Kinds = Record<string, Pick<FieldSql, "kind">>;

interface ListSchema {
  schema: TObject<typeof parameters>;
  filters: Map<string, FieldFilter>;
}

const bySignature = new Map<string, ListSchema>();
const byFields = new WeakMap<Kinds, ListSchema>();

/** Cached by names and kinds: some lists create their fields for each caller. */
function schemaOf(fields: Kinds): ListSchema {
  const cached = byFields.get(fields);
  if (cached) return cached;
  const signature = Object.entries(fields)
    .map(([name, { kind }]) => `${name} ${kind}`)
    .join();
  const made = bySignature.get(signature) ?? makeSchema(fields);
  bySignature.set(signature, made);
  byFields.set(fields, made);
  return made;
}

export const UNKNOWN_PARAMETER = "This list has no such parameter";

function makeSchema(fields: Kinds): ListSchema {
  const filters = filtersOf(fields);
  for (const name of Object.keys(parameters)) filters.delete(name);
  const schemas = [...filters].map(([name, { schema }]) => [name, schema]);
  const offered: Record<string, TSchema> = Object.fromEntries(schemas);
  const schema = query({ ...offered, ...parameters }, UNKNOWN_PARAMETER);
  return { schema, filters };
}

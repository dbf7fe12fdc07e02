// The field `changed` of a query: the fields whose values a change set changed, as a table of records and fields. They are
// compared by the values that the search knows, so derived fields count too.
import { type SQL, sql } from "drizzle-orm";
import { isPath, type SearchDocument, type SearchSource } from "../../search/document.ts";
import type { Leaf } from "../../search/language/tree.ts";
import type { Resource } from "../../store/resource.ts";
import { RECORD_KEY } from "./versions.ts";

export const CHANGED = "changed";

/** How a query finds the changed fields. */
export const CHANGED_SOURCE: SearchSource = {
  path: CHANGED,
  kind: "keyword",
  value: sql`changed_fields.field`,
  lower: sql`changed_fields.field`,
  id: sql`changed_fields.record`,
  from: sql`changed_fields where true`,
  onlyByName: true,
};

/** Each change has these itself. */
const STAMPS = /^(user|created_at|updated_at|(.*\.)?id)$/;

interface Compared {
  path: string;
  id: SQL;
  from: SQL;
  value: SQL;
}

/** The table `changed_fields`, with the fields that these terms can mean. */
export function changedFieldsTable(
  resource: Resource,
  document: SearchDocument,
  leaves: readonly Leaf[],
): { name: string; query: SQL } {
  const isWanted = wantedBy(leaves.filter(({ field }) => field?.paths.includes(CHANGED)));
  const { variables } = document;
  const fields = [...document.sources.filter(isCompared), ...jsonFields(resource, document)];
  const names = [...new Set(fields.map(({ path }) => path))].flatMap((path) =>
    namesOf(path, document)
      .filter(isWanted)
      .map((name) => ({ path, name })),
  );
  const wanted = fields.filter(({ path }) => names.some((one) => one.path === path));
  const values = wanted.map(
    ({ id, from, path, value }) =>
      sql`select ${id}, ${path}::text, (${value})::text collate "C" from ${from} and ${value} is not null`,
  );
  if (variables) values.push(variableValues(variables));
  return { name: "changed_fields", query: differing(values, names) };
}

function isCompared({ path }: SearchSource): boolean {
  return path !== CHANGED && !STAMPS.test(path);
}

/** Their values have no source of their own. */
function jsonFields({ fields, name }: Resource, { id, sources }: SearchDocument): Compared[] {
  const table = sql.identifier(name);
  return Object.entries(fields).flatMap(([path, { kind, column, parts }]) => {
    if (kind !== "value" || !column || parts || sources.some((one) => one.path === path)) return [];
    const value = sql`${table}.${sql.identifier(column(path))}`;
    return [{ path, id, from: sql`${table} where true`, value }];
  });
}

/** A variable is a field of its own. */
function variableValues({
  path,
  name,
  id,
  from,
  text,
  number,
  truth,
}: NonNullable<SearchDocument["variables"]>): SQL {
  const value = sql`coalesce(${text}, (${number})::text, (${truth})::text)`;
  return sql`select ${id}, ${`${path}.`}::text || lower(${name} collate names), ${value} collate "C" from ${from}`;
}

/** What a query may call a field: its path, what it is in, and its aliases. */
function namesOf(path: string, { aliases = {} }: SearchDocument): string[] {
  const parts = path.split(".");
  const around = parts.map((_, at) => parts.slice(0, at + 1).join("."));
  const others = Object.entries(aliases).flatMap(([name, patterns]) =>
    patterns.some((pattern) => isPath(path, pattern)) ? [name] : [],
  );
  return [...new Set([...around, ...others])];
}

function wantedBy(leaves: readonly Leaf[]): (name: string) => boolean {
  const texts = leaves.flatMap((leaf) =>
    leaf.kind === "term" || leaf.kind === "phrase" ? [leaf.text.toLowerCase()] : [],
  );
  return texts.length === leaves.length ? (name) => texts.includes(name) : () => true;
}

/** The values of a record before and after differ; the number of a version before is even. */
function differing(
  values: readonly SQL[],
  names: ReadonlyArray<{ path: string; name: string }>,
): SQL {
  const of = (side: number) =>
    sql`array_agg(value order by value) filter (where (id >> 32) % 2 = ${sql.raw(String(side))})`;
  const none = sql`select null::bigint, null::text, null::text collate "C" where false`;
  return sql`
    select ${RECORD_KEY} as record, coalesce(named.field, differing.path) as field
    from (
      select id >> 33 as pair, path
      from (${sql.join([none, ...values], sql` union all `)}) listed (id, path, value)
      where id in (select ${RECORD_KEY} from versions)
      group by 1, 2 having ${of(0)} is distinct from ${of(1)}
    ) differing
      join versions on versions.version >> 1 = differing.pair
      left join unnest(${sql.param(names.map(({ path }) => path))}::text[],
        ${sql.param(names.map(({ name }) => name))}::text[]) named (path, field) on named.path = differing.path`;
}

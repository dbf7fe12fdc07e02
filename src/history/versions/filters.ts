// The filters of changes that are about the records before and after: a query, a scope, a group.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { invalid, Refusal } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { ALL } from "../../network/variables/variables.ts";
import { resourceOf } from "../../resources.ts";
import type { SearchDocument, SearchSource } from "../../search/document.ts";
import { checkSyntax, queryOnRows } from "../../search/find.ts";
import { type Resource, sharedDocument } from "../../store/resource.ts";
import { recordsNamed } from "../named.ts";
import { CHANGED_SOURCE, changedFieldsTable } from "./changed.ts";
import type { VersionFilter } from "./matching.ts";
import { tablesConcerning } from "./records.ts";
import { realId } from "./versions.ts";

interface RecordFilters {
  kind?: string[];
  scope?: string[];
  group?: string[];
  query?: string;
}

/** The kind of records that a query is about, unless another one is given. */
const HOSTS = "hosts";

export function hasQuery({ query = "" }: RecordFilters): boolean {
  return query.trim() !== "";
}

/** Refuses a query that is not valid, or more kinds than one. */
export function checkQuery(filters: RecordFilters): void {
  const { query = "" } = filters;
  if (hasQuery(filters)) checkSyntax(documentOf(kindOf(filters)), query, "query");
}

function kindOf({ kind = [HOSTS] }: RecordFilters): Resource {
  const [first = HOSTS, ...others] = kind;
  const resource = resourceOf(first);
  if (others.length > 0 || !resource) throw invalid("query", "Use one kind, once, with a query");
  return resource;
}

/** None if nothing can match. */
export async function versionFilters(filters: RecordFilters): Promise<VersionFilter[] | undefined> {
  const { scope, group } = filters;
  const query = await queryFilter(filters);
  const places: VersionFilter[] = [];
  for (const [names, kind, make] of [
    [scope, "scopes", scopeFilter],
    [group, "groups", groupFilter],
  ] as const) {
    if (!names) continue;
    const ids = await idsNamed(names, kind);
    if (ids.length === 0) return undefined;
    places.push(await make(ids));
  }
  return joined([...(query ? [query] : []), ...places]);
}

/** Filters on one kind are about the same record. A change that matches directly matches one of them only. */
function joined(filters: VersionFilter[]): VersionFilter[] {
  const kinds = Map.groupBy(filters, ({ kind }) => kind);
  return [...kinds].map(([kind, some]) => {
    const [only] = some;
    if (only && some.length === 1) return only;
    return {
      kind,
      conditions: some.flatMap(({ conditions }) => conditions),
      tables: some.flatMap(({ tables }) => tables),
    };
  });
}

async function idsNamed(names: readonly string[], kind: string): Promise<number[]> {
  const found = await Promise.all(names.map((name) => recordsNamed(name.trim(), [kind])));
  return found.flat().map(({ id }) => id);
}

// A query ---------------------------------------------------------------------------------------------

async function queryFilter(filters: RecordFilters): Promise<VersionFilter | undefined> {
  const { query = "" } = filters;
  if (!hasQuery(filters)) return undefined;
  const resource = kindOf(filters);
  const document = documentOf(resource);
  const { leaves, condition } = await queryOnRows({ text: query, document, field: "query" });
  const tables = [changedFieldsTable(resource, document, leaves)];
  return { kind: resource.name, conditions: [condition], tables };
}

const documents = new WeakMap<SearchDocument, SearchDocument>();

/** What a query finds of rows that the caller sees, of versions. */
function documentOf(resource: Resource): SearchDocument {
  const shared = sharedDocument(resource);
  const made = documents.get(shared) ?? withChanged(shared);
  documents.set(shared, made);
  return made;
}

function withChanged(shared: SearchDocument): SearchDocument {
  const present = withRealIds(shared);
  return { ...present, sources: [...present.sources, CHANGED_SOURCE] };
}

function withRealIds(document: SearchDocument): SearchDocument {
  return { ...document, sources: document.sources.map(withRealId) };
}

function withRealId(source: SearchSource): SearchSource {
  return /(^|\.)id$/.test(source.path) ? { ...source, value: realId(source.value) } : source;
}

// A scope ---------------------------------------------------------------------------------------------

async function scopeFilter(scopes: readonly number[]): Promise<VersionFilter> {
  const ids = integers(scopes);
  const inside = sql`hosts.id in (
    select interfaces.host_id from interfaces join networks on networks.id = interfaces.network_id
    where ${realId(sql`networks.scope_id`)} = any(${ids}))`;
  // The scope of a network never changes.
  const where = sql`(table_name = 'scopes' and row_id = any(${ids})
    or table_name = 'networks' and (coalesce(after, before) ->> 'scope_id')::integer = any(${ids}))`;
  const direct = { tables: ["scopes", "networks"], where };
  return { kind: HOSTS, conditions: [async () => inside], tables: [], direct };
}

// A group ---------------------------------------------------------------------------------------------

interface GroupBelow {
  id: number;
  name: string;
  query: string | null;
}

/** Its hosts are those of the groups below it too, and of `all` every host. A group by query has the hosts that it finds. */
async function groupFilter(groups: readonly number[]): Promise<VersionFilter> {
  const below = await database.rows<GroupBelow>(sql`
    with recursive below (id) as (
      select unnest(${integers(groups)})
      union select child_id from group_children join below on parent_id = below.id
    )
    select below.id, coalesce(groups.name, '') as name, groups.query
    from below left join groups on groups.id = below.id order by below.id`);
  const ids = integers(below.map(({ id }) => id));
  const own = integers(groups);
  const document = withRealIds(sharedDocument(kindOf({})));
  const queries = await Promise.all(
    below.flatMap(({ query }) => (query === null ? [] : [membersBy(query, document)])),
  );
  const isEveryone = below.some(({ id, name }) => groups.includes(id) && name === ALL);
  const put = sql`hosts.id in (
    select group_hosts.host_id from group_hosts where ${realId(sql`group_hosts.group_id`)} = any(${ids}))`;
  const inside = async (read: Parameters<VersionFilter["conditions"][number]>[0]): Promise<SQL> => {
    if (isEveryone) return sql`true`;
    const found = await Promise.all(queries.map((one) => one(read)));
    return sql`(${sql.join([put, ...found], sql` or `)})`;
  };
  const where = sql`(table_name = 'groups' and row_id = any(${own})
    or table_name = 'group_hosts' and (coalesce(after, before) ->> 'group_id')::integer = any(${own})
    or table_name = 'group_children' and (coalesce(after, before) ->> 'parent_id')::integer = any(${own}))`;
  const direct = { tables: tablesConcerning("groups"), where };
  return { kind: HOSTS, conditions: [inside], tables: [], direct };
}

/** A query of a group that is not valid any more finds nothing. */
async function membersBy(
  text: string,
  document: SearchDocument,
): Promise<VersionFilter["conditions"][number]> {
  const nothing = (error: unknown) => {
    if (error instanceof Refusal && error.status === 422) return sql`false`;
    throw error;
  };
  try {
    const { condition } = await queryOnRows({ text, document, field: "query" });
    return (read) => condition(read).catch(nothing);
  } catch (error) {
    const none = nothing(error);
    return async () => none;
  }
}

// Records just before and just after change sets. The search evaluates a query on them as on present records: a statement
// begins with tables of these versions under the names of the real ones. The rows of a version have ids of their own: the
// number of the version times 2^32, plus the id of the row. So versions do not mix, and references lead to rows of the same
// time.
//
// The version before a set is the state at the end of the set without its changes; rows that it changed are locked until
// then, so nobody else has changed them in between.
import { type SQL, sql } from "drizzle-orm";
import { statementText } from "../../../db/client.ts";
import { type Caller, seesAll } from "../../auth/auth.ts";
import { mayKnowNetwork, mayKnowPastHost, mayKnowPastNetwork } from "../../auth/visibility.ts";
import { integers } from "../../input/keys.ts";
import { recordFrom } from "../../store/past/rows.ts";
import { type VersionRows, versionRowsOf } from "./records.ts";
import { referencesOf, tableColumns, tablesReferredTo } from "./tables.ts";

/** A record that a change set changed, itself or a part of it. */
export interface RecordInSet {
  change_set: number;
  record: number;
  /** The record that its rows are found by: for an interface its host. */
  root: number;
}

/** The key of the row of a record, by the version in `versions`. */
export const RECORD_KEY = sql`(versions.version * 4294967296 + versions.record)`;

/** The id of a row, without its version. */
export function realId(id: SQL): SQL {
  return sql`(${id} & 4294967295)`;
}

export interface VersionTable {
  name: string;
  query: SQL;
}

interface VersionRequest {
  caller: Caller;
  kind: string;
  records: readonly RecordInSet[];
}

/** A statement on the versions of these records, with further tables that are made from them. */
export function onVersions(
  { caller, kind, records }: VersionRequest,
  statement: SQL,
  further: readonly VersionTable[] = [],
): SQL {
  const parts = versionRowsOf(kind);
  const own = [...new Set(parts.map(({ table }) => table))];
  const lookups = tablesReferredTo(own);
  const context: TableContext = { caller, own };
  const all: VersionTable[] = [
    ...timeTables(records, lookups),
    ...(seesAll(caller) ? [] : [{ name: "hidden_networks", query: hiddenNetworks(caller) }]),
    ...own.flatMap((table) =>
      ownTables(
        parts.filter((one) => one.table === table),
        context,
      ),
    ),
    ...lookups.map((table) => lookupTable(table, { ...context, lookups })),
    ...DERIVED,
    ...further,
  ];
  const needed = neededBy(statement, all);
  const tables = needed.map(
    ({ name, query }) => sql`${sql.identifier(name)} as materialized (${query})`,
  );
  return sql`with ${sql.join(tables, sql`, `)} ${statement}`;
}

/** PostgreSQL does not execute the others, but would plan them. */
function neededBy(statement: SQL, tables: readonly VersionTable[]): VersionTable[] {
  let text = statementText(statement);
  return tables
    .toReversed()
    .filter(({ name, query }) => {
      const isNeeded = new RegExp(`\\b${name}\\b`).test(text);
      if (isNeeded) text += statementText(query);
      return isNeeded;
    })
    .toReversed();
}

// Times -----------------------------------------------------------------------------------------------

/**
 * The rows that many records refer to, such as networks, seldom change: all versions between two changes of them share one
 * state, an era.
 */
function timeTables(changed: readonly RecordInSet[], lookups: readonly string[]): VersionTable[] {
  const of = (values: number[]) => integers(values);
  const records = sql`
    select change_set, record, root, row_number() over ()::bigint as pair
    from unnest(${of(changed.map((one) => one.change_set))}, ${of(changed.map(({ record }) => record))},
      ${of(changed.map(({ root }) => root))}) one (change_set, record, root)`;
  const ends = sql`
    select each.change_set,
      (select min(id) from changes where changes.change_set = each.change_set) as first,
      (select max(id) from changes where changes.change_set = each.change_set) as last
    from (select distinct change_set from records) each`;
  const turns = sql`
    select id, change_set from changes
    where table_name = any(${sql.param([...lookups])}::text[])
      and id between (select min(first) from ends) and (select max(last) from ends)`;
  // Negative: an era of its own, because it lacks the changes of the set.
  const eraOf = sql`
    select ends.*, (select count(*) from turns where id <= last) as era_after,
      case when change_set in (select change_set from turns) then -change_set
        else (select count(*) from turns where id <= last) end as era_before
    from ends`;
  const versions = sql`
    select pair * 2 + side as version, records.change_set, record, root, last, side = 1 as is_after,
      dense_rank() over (order by case when side = 1 then era_after else era_before end) as era
    from records join set_eras using (change_set) cross join (values (0), (1)) sides (side)`;
  const eras = sql`
    select distinct on (era) era as version, era, change_set, last, is_after from versions order by era`;
  return [
    { name: "records", query: records },
    { name: "ends", query: ends },
    { name: "turns", query: turns },
    { name: "set_eras", query: eraOf },
    { name: "versions", query: versions },
    { name: "eras", query: eras },
  ];
}

// Tables ----------------------------------------------------------------------------------------------

interface TableContext {
  caller: Caller;
  /** The tables whose rows belong to one version; the rows of others belong to an era. */
  own: readonly string[];
}

/** The rows of versions. A table that refers to itself also gets the rows that those refer to. */
function ownTables(parts: readonly VersionRows[], context: TableContext): VersionTable[] {
  const [first] = parts;
  if (!first) return [];
  const { table } = first;
  const own = sql.join(
    parts.map((part) => rowsAt(part, "versions", context)),
    sql` union all `,
  );
  const [key] = [...referencesOf(table)].find(([, to]) => to === table) ?? [];
  if (key === undefined) return [{ name: table, query: own }];
  const ownRows = `own_${table}`;
  const parent = sql.identifier(key);
  const wanted = sql`
    select distinct ${parent} >> 32 as version, ${realId(sql`${parent}`)}::integer as id
    from ${sql.identifier(ownRows)} where ${parent} is not null
      and ${parent} not in (select id from ${sql.identifier(ownRows)})`;
  const all = sql`
    select * from ${sql.identifier(ownRows)}
    union all ${rowsAt({ table, wanted }, "versions", context)}`;
  return [
    { name: ownRows, query: own },
    { name: table, query: all },
  ];
}

/** The rows that rows of other tables refer to. */
function lookupTable(
  table: string,
  context: TableContext & { lookups: readonly string[] },
): VersionTable {
  const { own, lookups } = context;
  const before = [...own, ...lookups.slice(0, lookups.indexOf(table))];
  const keys = before.flatMap((from) =>
    [...referencesOf(from)].flatMap(([key, to]) => (to === table ? [{ from, key }] : [])),
  );
  const wanted = keys.map(({ from, key }) => {
    const column = sql.identifier(key);
    return sql`
      select ${column} >> 32 as version, ${realId(sql`${column}`)}::integer as id
      from ${sql.identifier(from)} where ${column} is not null`;
  });
  return {
    name: table,
    query: rowsAt(
      { table, wanted: sql`${sql.join(wanted, sql` union `)} union select 0, 0 where false` },
      "eras",
      context,
    ),
  };
}

/** Rows of a table as they were, without those that are hidden from the caller. */
function rowsAt({ table, wanted, only }: VersionRows, times: string, context: TableContext): SQL {
  const { own } = context;
  const references = referencesOf(table);
  const columns = tableColumns(table).map((column) => {
    const name = sql.identifier(column);
    if (column === "id") return sql`at.version * 4294967296 + one.id as id`;
    const to = references.get(column);
    if (to === undefined) return sql`one.${name}`;
    const time = own.includes(to) ? sql`version` : sql`era`;
    return sql`at.${time} * 4294967296 + one.${name} as ${name}`;
  });
  return sql`
    select ${sql.join(columns, sql`, `)} from (${wanted}) wanted
      join ${sql.raw(times)} at on at.version = wanted.version
      cross join lateral (${stateOf(table)}) was
      cross join lateral ${recordFrom(table, sql`was.state`)} one
    where was.state is not null and ${only ?? sql`true`} and ${visible(table, context, wanted)}`;
}

/**
 * The state of a row: after the last change until then; if there is none, before the next one; if there is none either, the
 * row as it is.
 */
function stateOf(table: string): SQL {
  const rows = sql`table_name = ${sql.raw(`'${table}'`)} and row_id = wanted.id`;
  return sql`
    select state from (
      (select after as state from changes
        where ${rows} and changes.id <= at.last and (at.is_after or change_set <> at.change_set)
        order by changes.id desc limit 1)
      union all
      (select before from changes
        where ${rows} and (changes.id > at.last or change_set = at.change_set)
        order by changes.id limit 1)
      union all
      (select to_jsonb(present) from ${sql.identifier(table)} present where present.id = wanted.id)
    ) known limit 1`;
}

/** The functions that know what is hidden are slow, so they are called once for each host or network, not for each state. */
function visible(table: string, { caller, own }: TableContext, wanted: SQL): SQL {
  if (seesAll(caller)) return sql`true`;
  const isInHidden = (network: SQL) => sql`${network} in (select id from hidden_networks)`;
  if (table === "hosts") {
    return sql`one.id in (
      select id from (select distinct id from (${wanted}) named) each
      where ${mayKnowPastHost(caller, sql`each.id`)})`;
  }
  if (table === "networks") return sql`not ${isInHidden(sql`one.id`)}`;
  if (table !== "interfaces") return sql`true`;
  const host = own.includes("hosts")
    ? sql`at.version * 4294967296 + one.host_id in (select id from hosts)`
    : mayKnowPastHost(caller, sql`one.host_id`);
  return sql`not ${isInHidden(sql`one.network_id`)} and ${host}`;
}

function hiddenNetworks(caller: Caller): SQL {
  return sql`
    select id from networks where not ${mayKnowNetwork(caller)}
    union select row_id from changes where table_name = 'networks' and action = 'delete'
      and not ${mayKnowPastNetwork(caller, sql`row_id`)}`;
}

// What triggers keep for the search, and the history does not record ----------------------------------

const FULL_NAMES = sql`
  select hosts.id as host_id, coalesce(hosts.name || '.' || main.domain, hosts.name) as name
  from hosts left join (
    select distinct on (owner.id) owner.id, domains.name as domain
    from interfaces join hosts owner on owner.id = interfaces.host_id
      join networks on networks.id = interfaces.network_id join domains on domains.id = networks.domain_id
    order by owner.id, interfaces.name <> owner.name, interfaces.id
  ) main on main.id = hosts.id`;

const HOST_VARIABLES = sql`
  select distinct hosts.id as host_id, path,
    case when octet_length(lowered) > 1600 then left(lowered, 400) else lowered end as text,
    case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end as number,
    case when jsonb_typeof(value) = 'boolean' then (value #>> '{}')::boolean end as truth
  from hosts cross join lateral values_in(hosts.automation_vars) cross join lateral (
    select case when jsonb_typeof(value) = 'string' then left(lower((value #>> '{}') collate names), 1000) end
  ) short (lowered)`;

const DERIVED: readonly VersionTable[] = [
  { name: "full_names", query: FULL_NAMES },
  { name: "host_variables", query: HOST_VARIABLES },
];

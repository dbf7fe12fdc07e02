// Selects the hosts whose search results may have changed since a change. A change of a record that many hosts share may
// have affected all hosts.
import { type SQL, sql } from "drizzle-orm";

/** With more changes it is faster to search again. */
const MOST_CHANGES = 2_000;
/** Tables whose rows many hosts share. */
const SHARED = [
  ...["networks", "scopes", "domains", "device_types", "groups", "users"],
  ...["manufacturers", "models", "locations", "statuses"],
];

/** Selects ChangedRecords. If the change no longer exists, the database was restored and everything may differ. */
export function changedSince(change: number): SQL {
  // In SQL: it reads keys out of JSON states of the history.
  return sql`
    with recent as materialized (
      select table_name, row_id, before, after from changes where id > ${change}::bigint
      order by id limit ${sql.raw(String(MOST_CHANGES + 1))}
    ), states as materialized (
      select table_name, before as state from recent union all select table_name, after from recent
    ), touched (id) as (
      select row_id from recent where table_name = 'hosts'
      union select (state ->> 'host_id')::integer from states where table_name in ('interfaces', 'group_hosts', 'items')
      union select host_id from interfaces where id = any(array(
        select (state ->> 'interface_id')::integer from states where table_name = 'cnames'))
      union select host_id from items where id = any(array(
        select (state ->> 'item_id')::integer from states where table_name in ('comments', 'macs')))
      union select host_id from items where parent_id = any(array(
        select row_id from recent where table_name = 'items'))
    )
    select (select string_agg(int4send(id), '') from touched where id is not null) as ids,
      not exists (select from changes where id = ${change}::bigint)
        or (select count(*) > ${sql.raw(String(MOST_CHANGES))} or bool_or(table_name in (${shared})) from recent) as is_more`;
}

const shared = sql.raw(SHARED.map((name) => `'${name}'`).join(", "));

// The users whose watches with mails at once some change sets may concern, whatever these users may see of them.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { PARTS } from "../../history/change_sql.ts";
import type { PartOf } from "../../store/past/parts.ts";

/** Of the change sets after one, up to another. */
export async function concernedUsers(after: number, upTo: number): Promise<number[]> {
  const within = sql`change_set > ${after} and change_set <= ${upTo}`;
  const rows = await database.rows<{ user_id: number }>(sql`
    with changed as materialized (
      select table_name, row_id, before, after from changes where ${within}
    ), wanted as materialized (
      select user_id, watches.table_name, watches.row_id from watches where mail = 'at_once'
    ), records as materialized (
      ${sql.join(changedRecords(), sql` union `)}
    )
    select user_id from wanted join records on records.kind = wanted.table_name and records.id = wanted.row_id
    union
    select user_id from wanted where row_id is null and exists (select from changed)`);
  return rows.map(({ user_id }) => user_id);
}

/** The changed records, and those that they are or were parts of. */
function changedRecords(): SQL[] {
  const ownersOf = (kind: string, [table, key]: PartOf) =>
    [sql`before`, sql`after`].map(
      (state) =>
        sql`select ${kind}::text, (${state} ->> ${key})::integer from changed where table_name = ${table}`,
    );
  return [
    sql`select table_name as kind, row_id as id from changed`,
    ...Object.entries(PARTS).flatMap(([kind, all]) => all.flatMap((part) => ownersOf(kind, part))),
    ...ownersOf("networks", ["interfaces", "network_id"]),
    sql`select 'networks', network_id from changed join interfaces on host_id = changed.row_id
      where changed.table_name = 'hosts'`,
  ];
}

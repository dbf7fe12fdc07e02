// Items counted by their status and model.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

export interface Count {
  /** Null for items without one. */
  name: string | null;
  count: number;
}

export interface ItemCounts {
  total: number;
  /** The most frequent first. */
  statuses: Count[];
  models: Count[];
}

const MOST_COUNTED = sql.raw("8");

/** The members `total`, `statuses` and `models` of a JSON object, of rows with status_id and model_id. */
export function counted(rows: SQL): SQL {
  return sql`
    'total', (select count(*)::int from ${rows}),
    'statuses', ${countsBy(sql`status_id`, sql`statuses`, rows)},
    'models', ${countsBy(sql`model_id`, sql`models`, rows)}`;
}

export async function countsOf(rows: SQL): Promise<ItemCounts> {
  const found = await database.row<{ json: string }>(sql`
    with chosen as materialized (${rows})
    select json_build_object(${counted(sql`chosen`)})::text as json`);
  return JSON.parse(found?.json ?? "{}");
}

function countsBy(key: SQL, table: SQL, rows: SQL): SQL {
  return sql`(
    select coalesce(json_agg(json_build_object('name', most.name, 'count', most.count)), '[]') from (
      select one.name, counts.count
      from (select ${key} as id, count(*)::int as count from ${rows} group by 1) counts
        left join ${table} one on one.id = counts.id
      order by counts.count desc, lower(one.name) limit ${MOST_COUNTED}
    ) most)`;
}

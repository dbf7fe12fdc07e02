// The ancestors and descendants of an item: what it is inside, up to the rack, and everything inside it.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Read } from "../../store/read.ts";
import { counted, type ItemCounts } from "./counts.ts";

export interface Relative {
  id: number;
  parent_id: number | null;
  ics_id: string;
  serial_number: string;
  model: string | null;
}

export interface Family extends ItemCounts {
  /** The outermost first. */
  above: Relative[];
  /** Depth first: each item before those inside it. At most MOST_RELATIVES. */
  inside: Array<Relative & { depth: number }>;
}

const MOST_RELATIVES = 200;

export async function familyOf(id: number, read: Read = database.rows): Promise<Family> {
  // In SQL: the builder has no recursive queries.
  const [found] = await read<{ json: string }>(
    sql`
    with recursive above as (
      select id, parent_id, 0 as height from items where id = ${id}
      union all select items.id, items.parent_id, height + 1 from items join above on items.id = above.parent_id
    ), inside as (
      select id, 0 as depth, array[]::text[] as path, status_id, model_id from items where id = ${id}
      union all
      select items.id, depth + 1, path || items.ics_id, items.status_id, items.model_id
      from items join inside on items.parent_id = inside.id
    ), held as (select * from inside where depth > 0)
    select json_build_object(
      'above', (select coalesce(json_agg(${RELATIVE} order by height desc), '[]')
        from above ${named(sql`above`)} where height > 0),
      'inside', (select coalesce(json_agg(${RELATIVE} || jsonb_build_object('depth', first.depth) order by path), '[]')
        from (select * from held order by path limit ${MOST_RELATIVES}) first ${named(sql`first`)}),
      ${counted(sql`held`)}
    )::text as json`,
  );
  return JSON.parse(found?.json ?? "{}");
}

const RELATIVE = sql`jsonb_build_object('id', items.id, 'parent_id', items.parent_id,
  'ics_id', items.ics_id, 'serial_number', items.serial_number, 'model', models.name)`;

function named(of: SQL): SQL {
  return sql`join items on items.id = ${of}.id left join models on models.id = items.model_id`;
}

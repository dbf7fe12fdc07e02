// The records that have an attribute: items, counted by status and model, and the tree of what is in a location.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { items } from "../../../db/tables/inventory.ts";
import { counted, countsOf, type ItemCounts } from "../items/counts.ts";
import type { AttributeKind } from "./attribute.ts";

export interface PlacedItem {
  id: number;
  parent_id: number | null;
  location_id: number;
  ics_id: string;
  serial_number: string;
  model: string | null;
}

export interface InnerLocation {
  id: number;
  parent_id: number | null;
  name: string;
  /** The items in it and in the locations inside it. */
  count: number;
}

export interface LocationContents extends ItemCounts {
  /** The names of the locations that it is in, the outermost first. */
  around: string[];
  /** The locations inside it, each before those inside it. At most MOST_LISTED. */
  places: InnerLocation[];
  places_total: number;
  /** Its items and those of the locations inside it, depth first. At most MOST_LISTED. */
  items: PlacedItem[];
}

const MOST_LISTED = sql.raw("200");

/** A location with what it is in and everything inside it, in one query. */
export async function contentsOf(location: number): Promise<LocationContents> {
  const found = await database.row<{ json: string }>(sql`
    with recursive around as (
      select parent_id, 0 as steps from locations where id = ${location}
      union all
      select one.parent_id, steps + 1 from locations one join around on one.id = around.parent_id
    ), places as (
      select id, array[id] as ids, (array[]::text[] collate names) as path from locations where id = ${location}
      union all
      select one.id, ids || one.id, path || lower(one.name) from locations one join places on one.parent_id = places.id
    ), items_here as materialized (
      select items.id, items.parent_id, items.ics_id, places.path, places.id as place_id, items.status_id, items.model_id
      from places join items on items.location_id = places.id
    ), counts as (
      select inside.id, sum(own.count)::int as count
      from (select place_id, count(*) from items_here group by place_id) own
        join places on places.id = place_id, unnest(places.ids) as inside(id)
      group by inside.id
    ), outermost as (
      select id, path || (ics_id collate names) as path from items_here
      where not exists (select from items_here around where around.id = items_here.parent_id)
      order by items_here.path, ics_id limit ${MOST_LISTED}
    ), inside as (
      select id, path from outermost
      union all
      select items_here.id, inside.path || (items_here.ics_id collate names) from items_here join inside on items_here.parent_id = inside.id
    )
    select json_build_object(
      'around', (select coalesce(json_agg(name order by steps desc), '[]')
        from around join locations on locations.id = around.parent_id),
      'places', (select coalesce(json_agg(${PLACE} order by path), '[]')
        from (select * from places where id <> ${location} order by path limit ${MOST_LISTED}) first
        join locations using (id) left join counts using (id)),
      'places_total', (select count(*)::int - 1 from places),
      'items', (select coalesce(json_agg(${ITEM} order by path), '[]')
        from (select * from inside order by path limit ${MOST_LISTED}) first
        join items using (id) left join models on models.id = items.model_id),
      ${counted(sql`items_here`)}
    )::text as json`);
  return JSON.parse(found?.json ?? "{}");
}

const PLACE = sql`json_build_object('id', id, 'parent_id', parent_id, 'name', name,
  'count', coalesce(count, 0))`;
const ITEM = sql`json_build_object('id', items.id, 'parent_id', items.parent_id,
  'location_id', items.location_id, 'ics_id', items.ics_id, 'serial_number', items.serial_number,
  'model', models.name)`;

/** The items that have an attribute of another kind, counted. Items have no actions. */
export function itemCountsOf({ name }: AttributeKind, id: number): Promise<ItemCounts> {
  const those: SQL = name === "action" ? sql`false` : sql`${items[`${name}_id`]} = ${id}`;
  return countsOf(sql`select status_id, model_id from ${items} where ${those}`);
}

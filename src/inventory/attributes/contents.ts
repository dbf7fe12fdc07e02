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
}

export interface LocationContents extends ItemCounts {
  /** The locations inside it, each before those inside it. At most MOST_LISTED. */
  places: InnerLocation[];
  places_total: number;
  /** Its items and those of the locations inside it, depth first. At most MOST_LISTED. */
  items: PlacedItem[];
}

const MOST_LISTED = sql.raw("200");

/** A location with everything inside it, in one query. */
export async function contentsOf(location: number): Promise<LocationContents> {
  const found = await database.row<{ json: string }>(sql`
    with recursive places as (
      select id, (array[]::text[] collate names) as path from locations where id = ${location}
      union all
      select one.id, path || lower(one.name) from locations one join places on one.parent_id = places.id
    ), items_here as materialized (
      select items.id, items.parent_id, items.ics_id, places.path, items.status_id, items.model_id
      from places join items on items.location_id = places.id
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
      'places', (select coalesce(json_agg(${PLACE} order by path), '[]')
        from (select * from places where id <> ${location} order by path limit ${MOST_LISTED}) first
        join locations using (id)),
      'places_total', (select count(*)::int - 1 from places),
      'items', (select coalesce(json_agg(${ITEM} order by path), '[]')
        from (select * from inside order by path limit ${MOST_LISTED}) first
        join items using (id) left join models on models.id = items.model_id),
      ${counted(sql`items_here`)}
    )::text as json`);
  return JSON.parse(found?.json ?? "{}");
}

const PLACE = sql`json_build_object('id', id, 'parent_id', parent_id, 'name', name)`;
const ITEM = sql`json_build_object('id', items.id, 'parent_id', items.parent_id,
  'location_id', items.location_id, 'ics_id', items.ics_id, 'serial_number', items.serial_number,
  'model', models.name)`;

/** The items that have an attribute of another kind, counted. Items have no actions. */
export function itemCountsOf({ name }: AttributeKind, id: number): Promise<ItemCounts> {
  const those: SQL = name === "action" ? sql`false` : sql`${items[`${name}_id`]} = ${id}`;
  return countsOf(sql`select status_id, model_id from ${items} where ${those}`);
}

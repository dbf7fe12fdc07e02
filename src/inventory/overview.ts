// How many records of each kind the inventory has.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";

export interface InventoryCounts {
  items: number;
  locations: number;
  models: number;
  manufacturers: number;
  statuses: number;
  actions: number;
}

/** Everybody sees all of them. */
export async function inventoryCounts(): Promise<InventoryCounts | undefined> {
  return database.row<InventoryCounts>(sql`
    select (select count(*)::int from items) as items, (select count(*)::int from locations) as locations,
      (select count(*)::int from models) as models, (select count(*)::int from manufacturers) as manufacturers,
      (select count(*)::int from statuses) as statuses, (select count(*)::int from actions) as actions`);
}

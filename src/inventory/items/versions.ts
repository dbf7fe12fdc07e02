// An item as the fields of a form show it: now, and as somebody left it at an earlier version.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { knownVersion, mayKnowHost } from "../../auth/visibility.ts";
import type { Found } from "../../store/records.ts";

export const VALUES = [
  "ics_id",
  "serial_number",
  "quantity",
  "manufacturer",
  "model",
  "location",
  "status",
  "parent",
  "host",
  "stack_member",
] as const;

/** Texts, as they stand in the fields. */
export type Values = Record<(typeof VALUES)[number], string>;

export function valuesOf({ json }: Pick<Found, "json">): Values {
  const record = JSON.parse(json);
  const pairs = VALUES.map((name) => [name, record[name] === null ? "" : String(record[name])]);
  return Object.fromEntries(pairs);
}

/** Undefined where nothing is known of that version. What has gone since is called as it was last. */
export async function valuesAt(
  caller: Caller,
  id: number,
  version: number,
): Promise<Values | undefined> {
  const mayKnow = mayKnowHost(caller, sql`items.host_id`);
  const found = await database.row<{ json: string }>(sql`
    select row_to_json(shown)::text as json from (
      select items.ics_id, items.serial_number, items.quantity,
        coalesce(manufacturers.name, former_name('manufacturers', items.manufacturer_id, 'name')) as manufacturer,
        coalesce(models.name, former_name('models', items.model_id, 'name')) as model,
        coalesce(locations.name, former_name('locations', items.location_id, 'name')) as location,
        coalesce(statuses.name, former_name('statuses', items.status_id, 'name')) as status,
        coalesce(parent.ics_id, former_name('items', items.parent_id, 'ics_id')) as parent,
        case when ${mayKnow} then hosts.name end as host,
        case when ${mayKnow} then items.stack_member end as stack_member
      from changes
        cross join lateral jsonb_populate_record(null::items, after) items
        left join manufacturers on manufacturers.id = items.manufacturer_id
        left join models on models.id = items.model_id
        left join locations on locations.id = items.location_id
        left join statuses on statuses.id = items.status_id
        left join items parent on parent.id = items.parent_id
        left join hosts on hosts.id = items.host_id
      where table_name = 'items' and row_id = ${id}
        and ${knownVersion(caller, { version: sql`items.version`, unseen: sql`items.unseen` })} = ${version}
      order by changes.id desc limit 1
    ) shown`);
  return found && valuesOf(found);
}

// The states of an item, oldest first: a new state for each change of location, parent, quantity or status.
import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { MOMENT } from "../../store/fields.ts";
import { jsonObject } from "../../store/reference.ts";

const name = Type.Union([Type.String(), Type.Null()]);

const state = Type.Object({
  location: name,
  parent: name,
  quantity: Type.Integer(),
  status: name,
  updated_at: Type.String({ description: MOMENT }),
});
export type ItemState = Static<typeof state>;

export const ITEM_STATES = Type.Array(state, {
  description: "One entry per state, oldest first, the current one last",
});

/**
 * The states of the item with this key; with a moment, those up to it, with the names of that time. A subquery instead
 * of a database function: before version 18, PostgreSQL plans such a function in each statement, which would take four
 * fifths of reading an item.
 */
export function historyOf(item: SQL, moment?: SQL): SQL {
  const until = moment ? sql`and changes.at <= ${moment}` : sql``;
  return sql`(
    select coalesce(json_agg(${jsonObject({
      location: nameOf(LOCATION, moment),
      parent: nameOf(PARENT, moment),
      quantity: sql`(after ->> 'quantity')::integer`,
      status: nameOf(STATUS, moment),
      updated_at: sql`shown(states.at)`,
    })} order by states.id), '[]'::json)
    from (
      select id, at, after, lag(after) over (order by id) as previous from changes
      where table_name = 'items' and row_id = ${item} and after is not null ${until}
    ) states
    where previous is null
      or previous -> 'location_id' is distinct from after -> 'location_id'
      or previous -> 'parent_id' is distinct from after -> 'parent_id'
      or previous -> 'quantity' is distinct from after -> 'quantity'
      or previous -> 'status_id' is distinct from after -> 'status_id')`;
}

interface PastReference {
  table: string;
  name: string;
  /** The column of the item. */
  key: string;
}

const LOCATION: PastReference = { table: "locations", name: "name", key: "location_id" };
const PARENT: PastReference = { table: "items", name: "ics_id", key: "parent_id" };
const STATUS: PastReference = { table: "statuses", name: "name", key: "status_id" };

function nameOf({ table, name, key }: PastReference, moment?: SQL): SQL {
  const id = `(after ->> '${key}')::integer`;
  const reference = sql.raw(`'${table}', ${id}, '${name}'`);
  if (moment) return sql`name_at(${reference}, ${moment})`;
  return sql`coalesce(${sql.raw(`(select ${name} from ${table} where id = ${id})`)}, former_name(${reference}))`;
}

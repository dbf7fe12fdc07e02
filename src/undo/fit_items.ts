// Checks of restored items and locations: their parents, and the places of items on hosts.
import { sql } from "drizzle-orm";
import type { FitCheck } from "./fit_check.ts";

/** Refuses to move an item back if another item has been added to it since: that one would have another location. */
function leftBehind(column: string): FitCheck {
  const name = sql.identifier(column);
  return {
    tables: ["items"],
    offender: (restored) => sql`
      select items.ics_id, parent.ics_id as parent from items join items parent on parent.id = items.parent_id
      where parent.id = any(${restored("items", column)}) and items.id <> all(${restored("items")})
        and items.${name} is distinct from parent.${name} limit 1`,
    message: ({ ics_id, parent }) => `${ics_id} has been moved into ${parent} since`,
  };
}

/** Refuses to restore a record inside one that is now inside it. */
function circle(table: "items" | "locations", noun: string, nameColumn: string): FitCheck {
  const [from, name] = [sql.identifier(table), sql.identifier(nameColumn)];
  return {
    tables: [table],
    offender: (restored) => sql`
      with recursive above as (
        select id, parent_id from ${from} where id = any(${restored(table, "parent_id")})
        union select above.id, one.parent_id from ${from} one join above on one.id = above.parent_id
      ) select one.${name} as name from above join ${from} one using (id) where above.parent_id = above.id limit 1`,
    message: ({ name }) => `${name} now contains the ${noun} that it would return to`,
  };
}

const STACK: FitCheck = {
  tables: ["items", "hosts"],
  offender: (restored) => sql`
    select ics_id, hosts.name from items
      join hosts on hosts.id = host_id join device_types on device_types.id = device_type_id
    where stack_member is not null and device_types.name <> 'Network'
      and (items.id = any(${restored("items")}) or host_id = any(${restored("hosts")})) limit 1`,
  message: ({ ics_id, name }) =>
    `${ics_id} would be a stack member of ${name}, which is not a network device`,
};

export const CHECKS: FitCheck[] = [
  circle("items", "item", "ics_id"),
  circle("locations", "location", "name"),
  leftBehind("location_id"),
  leftBehind("status_id"),
  STACK,
];

// The records that a user changed last.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import type { Colour } from "../inventory/attributes/attribute.ts";
import { resourceOf, resources } from "../resources.ts";
import { FROM, visibleChange } from "./change_sql.ts";

export interface RecentRecord {
  /** The name of its table. */
  kind: string;
  id: number;
  name: string;
  at: string;
}

/** Limits of the search: the latest change sets of the user, and the changes of each. */
const MOST_SETS = 50;
const MOST_CHANGES = 10;

/** Records that exist, are visible to the caller and have a page, the latest first; all but those of one table. */
export async function recentWork(
  caller: Caller,
  { most, without = "" }: { most: number; without?: string },
): Promise<RecentRecord[]> {
  if (caller.id === null) return [];
  return database.rows<RecentRecord>(sql`
    select kind, id, name, shown(at) as at
    from ${changedBy(caller)} cross join lateral (select ${nameOf(caller)} as name) named
    where name is not null and kind <> ${without} order by change desc limit ${most}`);
}

export interface RecentItem {
  ics_id: string;
  location: string | null;
  status: string | null;
  colour: Colour | null;
  at: string;
}

/** The items that the caller changed last, with where they are now. */
export async function recentItems(caller: Caller, most: number): Promise<RecentItem[]> {
  if (caller.id === null) return [];
  return database.rows<RecentItem>(sql`
    select ics_id, locations.name as location, statuses.name as status, colour, shown(at) as at
    from ${changedBy(caller)} join items on items.id = records.id
      left join locations on locations.id = location_id left join statuses on statuses.id = status_id
    where kind = 'items' order by change desc limit ${most}`);
}

/** The records that the latest change sets of the caller concern, as `records`. */
function changedBy(caller: Caller): SQL {
  return sql`(
      select kind, owner as id, max(change) as change, max(at) as at
      from (
        select id from change_sets where user_id = ${caller.id} order by id desc limit ${MOST_SETS}
      ) sets cross join lateral (
        select changes.id as change, changes.at, ${KIND} as kind, ${OWNER} as owner
        ${FROM} where change_set = sets.id and ${visibleChange(caller)}
        order by changes.id desc limit ${MOST_CHANGES}
      ) changed group by kind, owner
    ) records`;
}

/** The records on whose pages a change is shown: of a comment, its item. */
const OWNERS: Array<[table: string, kind: string, key: string]> = [
  ...resources.flatMap(({ name, partOf, fields }): Array<[string, string, string]> => {
    const [field, owner] =
      Object.entries(fields).find(([, { refersTo }]) => refersTo?.table === partOf) ?? [];
    const key = field && owner?.column?.(field);
    return partOf && resourceOf(partOf)?.page && key ? [[name, partOf, key]] : [];
  }),
  ["group_hosts", "groups", "group_id"],
  ["group_children", "groups", "parent_id"],
];

const KIND = byTable(({ kind }) => kind, sql`table_name`);
const OWNER = byTable(({ key }) => sql`(recorded.state ->> ${key})::integer`, sql`row_id`);

function byTable(what: (owner: { kind: SQL; key: SQL }) => SQL, otherwise: SQL): SQL {
  const text = (value: string) => sql.raw(`'${value}'`);
  const cases = OWNERS.map(
    ([table, kind, key]) =>
      sql`when ${text(table)} then ${what({ kind: text(kind), key: text(key) })}`,
  );
  return sql`case table_name ${sql.join(cases, sql` `)} else ${otherwise} end`;
}

function nameOf(caller: Caller): SQL {
  const cases = resources.flatMap(({ name, key, page, visible }) => {
    const table = sql.identifier(name);
    const isVisible = visible?.(caller) ?? sql`true`;
    return page
      ? [
          sql`when ${sql.raw(`'${name}'`)} then (
            select ${table}.${sql.identifier(key)} from ${table} where ${table}.id = records.id and ${isVisible})`,
        ]
      : [];
  });
  return sql`case kind ${sql.join(cases, sql` `)} end`;
}

// SQL for changes: their names, which of them the caller sees, and those of one record.
import { type SQL, sql } from "drizzle-orm";
import { STAMP_COLUMNS } from "../../db/tables/columns.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import { isHiddenInChange } from "../auth/visibility.ts";
import { resources } from "../resources.ts";
import { type FileOwner, fileOwners } from "../store/file_owners.ts";
import { changesOfParts, type PartOf, partIds } from "../store/past/parts.ts";
import { hiddenKeys } from "../store/site/definitions.ts";

export interface RecordRef {
  table: string;
  id: number;
}

/** Tables whose changes all users may read, except hidden ones. */
export const TABLES: readonly string[] = [
  ...resources.map(({ name }) => name),
  "group_hosts",
  "group_children",
];

export const NAME = sql`
  coalesce(recorded.state ->> 'name', recorded.state ->> 'vlan_name', recorded.state ->> 'ics_id', recorded.state ->> 'address',
    items.ics_id, groups.name, former_name('items', (recorded.state ->> 'item_id')::integer, 'ics_id'),
    former_name('groups', of_group.id, 'name'))`;

/** The columns of an event. */
export const EVENT = sql`
  change_set::int, shown(changes.at) as at, users.username as user, table_name, row_id, action,
  ${NAME} as name`;

/** Changes, for conditions that need no names. */
export const ONLY_CHANGES = sql`
  from changes cross join lateral (select coalesce(after, before) as state) recorded`;

/** Changes joined with the tables that name their records. */
export const FROM = sql`
  from changes
    left join users on users.id = changes.user_id
    cross join lateral (select coalesce(after, before) as state) recorded
    left join items on table_name = 'comments' and items.id = (recorded.state ->> 'item_id')::integer
    cross join lateral (select case table_name
      when 'group_hosts' then (recorded.state ->> 'group_id')::integer
      when 'group_children' then (recorded.state ->> 'parent_id')::integer end as id) of_group
    left join groups on groups.id = of_group.id`;

/** A condition for changes of records that are, or before their deletion were, visible to the caller. */
export function visibleChange(caller: Caller): SQL {
  const known = sql`table_name = any(${sql.param([...TABLES])})`;
  return seesAll(caller) ? known : sql`${known} and not ${hiddenChange(caller)}`;
}

/** A condition for changes that are hidden from the caller, who does not see all. */
export function hiddenChange(caller: Caller): SQL {
  const cases = resources.flatMap(({ name, history }) => {
    const isHidden = [
      history?.hidesChange?.(caller) ?? history?.hides?.(sql`row_id`, caller) ?? [],
      changesNothingKnown(caller, name) ?? [],
    ].flat();
    return isHidden.length > 0
      ? [sql`when ${sql.raw(`'${name}'`)} then (${sql.join(isHidden, sql` or `)})`]
      : [];
  });
  const isHiddenMember = isHiddenInChange(
    caller,
    "host",
    sql`(recorded.state ->> 'host_id')::integer`,
  );
  return sql`case table_name ${sql.join(cases, sql` `)}
    when 'group_hosts' then ${isHiddenMember} else false end`;
}

/** True of a change of values alone that are in fields of the site which the caller may not know of. */
function changesNothingKnown(caller: Caller, table: string): SQL | undefined {
  const hidden = hiddenKeys(caller, table);
  if (hidden.length === 0) return undefined;
  const stamps = sql.param(["site", ...STAMP_COLUMNS]);
  const keys = sql.param(hidden);
  return sql`coalesce(before - ${stamps}::text[] = after - ${stamps}::text[]
    and (before -> 'site') - ${keys}::text[] = (after -> 'site') - ${keys}::text[], false)`;
}

/** The ids of the changes of a record and its parts. */
export function changeIdsOf({ table, id }: RecordRef): SQL {
  const own = sql`select id from changes where table_name = ${table} and row_id = ${id}`;
  const owner = sql`= ${id}`;
  const parts = (PARTS[table] ?? []).flatMap((part) => [
    changesOfParts(part, owner),
    ...(INSIDE_PARTS[part[0]] ?? []).map((one) =>
      changesOfParts(one, sql`in (${partIds(part, owner)})`),
    ),
  ]);
  return sql.join([own, ...parts], sql` union `);
}

const FILES_OF = Object.fromEntries(
  fileOwners.map(([table, { key }]) => [table, ["files", key] satisfies PartOf]),
) as unknown as Record<FileOwner, PartOf>;

/** The parts of records, whose changes belong to theirs. */
export const PARTS: Record<string, PartOf[]> = {
  ...Object.fromEntries(fileOwners.map(([table]) => [table, [FILES_OF[table]]])),
  items: [FILES_OF.items, ["comments", "item_id"], ["macs", "item_id"]],
  hosts: [FILES_OF.hosts, ["interfaces", "host_id"], ["group_hosts", "host_id"]],
  groups: [
    ["group_hosts", "group_id"],
    ["group_children", "parent_id"],
  ],
};

/** What belongs to such parts. */
const INSIDE_PARTS: Record<string, PartOf[]> = { interfaces: [["cnames", "interface_id"]] };

// The history: changes as the triggers recorded them.
import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { resources } from "../resources.ts";
import type { Page } from "../store/paging.ts";
import type { Read } from "../store/read.ts";
import { differences, type RowChange, type RowState } from "./differences.ts";

const text = Type.Union([Type.String(), Type.Null()]);
const key = Type.Union([Type.Integer(), Type.Null()]);
const event = Type.Object({
  change_set: Type.Integer(),
  at: Type.String({ description: "YYYY-MM-DD HH:MM, UTC" }),
  user: text,
  table_name: Type.String(),
  row_id: Type.Integer(),
  action: Type.Union([Type.Literal("insert"), Type.Literal("update"), Type.Literal("delete")]),
  name: Type.Union([Type.String(), Type.Null()], {
    description: "What the record is called, now or when it went; of a comment, its item",
  }),
});
const eventWithDifferences = Type.Object({
  ...event.properties,
  differences: Type.Array(Type.Object({ field: Type.String(), old: text, now: text })),
});
export const change = Type.Object({
  id: Type.Integer(),
  at: event.properties.at,
  user: text,
  undoes: Type.Union(key.anyOf, { description: "The change that this one took back" }),
  undone_by: Type.Union(key.anyOf, { description: "The change that took this one back" }),
  events: Type.Array(eventWithDifferences, { description: "The first 500" }),
  total: Type.Integer({ description: "How many there are" }),
});

export type Event = Static<typeof event>;
/** An event with its differences. */
export type EventWithDifferences = Static<typeof eventWithDifferences>;
export type ChangeSet = Static<typeof change>;

export interface Timeline extends Page {
  events: EventWithDifferences[];
  total: number;
}

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

/** The latest changes, optionally of one user. */
export function recent(caller: Caller, which: { by?: number; most: number }): Promise<Event[]> {
  const by = which.by === undefined ? sql`true` : sql`changes.user_id = ${which.by}`;
  return database.rows<Event>(sql`
    select ${EVENT} ${FROM} where ${visibleChange(caller)} and ${by}
    order by changes.id desc limit ${which.most}`);
}

const FIRST_PAGE: Page = { page: 1, per_page: 20 };

/** All changes of one record and its parts, newest first. */
export async function timelineOf(
  caller: Caller,
  which: RecordRef,
  page: Page = FIRST_PAGE,
): Promise<Timeline> {
  if (!TABLES.includes(which.table)) throw notFound();
  const changeIds = sql`
    select changes.id ${FROM} where changes.id = any(array(${idsOf(which)})) and ${visibleChange(caller)}`;
  const rows = await database.rows<EventRow>(sql`
    select ${EVENT}, before, after, (select count(*)::int from (${changeIds}) all_of_it) as total ${FROM}
    where changes.id = any(array(${changeIds}))
    order by changes.id desc limit ${page.per_page} offset ${(page.page - 1) * page.per_page}`);
  return {
    ...page,
    events: await withDifferences(database.rows, caller, rows),
    total: rows[0]?.total ?? 0,
  };
}

const MOST_EVENTS = 500;

/** A change set with its events in TABLES. */
export async function changeSet(
  caller: Caller,
  id: number,
  read: Read = database.rows,
): Promise<ChangeSet> {
  const condition = sql`change_set = ${id} and ${visibleChange(caller)}`;
  const [set] = await read<Omit<ChangeSet, "events">>(sql`
    select sets.id::int, shown(sets.at) as at, users.username as user, sets.undoes::int,
      (select id::int from change_sets where undoes = sets.id limit 1) as undone_by,
      (select count(*)::int ${FROM} where ${condition}) as total
    from change_sets sets left join users on users.id = sets.user_id where sets.id = ${id}`);
  const rows = await read<EventRow>(sql`
    select ${EVENT}, before, after ${FROM}
    where ${condition} order by changes.id limit ${MOST_EVENTS}`);
  if (!set || rows.length === 0) throw notFound();
  return { ...set, events: await withDifferences(read, caller, rows) };
}

export interface ChangedRow {
  table_name: string;
  row_id: number;
  name: string | null;
  before: RowState | null;
  after: RowState | null;
}

/** The changes of a change set that are visible to the caller; not found if there is none. */
export async function rowsOf(read: Read, caller: Caller, set: number): Promise<ChangedRow[]> {
  const rows = await read<ChangedRow>(sql`
    select table_name, row_id, ${NAME} as name, before, after ${FROM}
    where change_set = ${set} and ${visibleChange(caller)} order by changes.id`);
  if (rows.length === 0) throw notFound();
  return rows;
}

type EventRow = Event & RowChange & { total?: number };

const NAME = sql`
  coalesce(recorded.state ->> 'name', recorded.state ->> 'vlan_name', recorded.state ->> 'ics_id', recorded.state ->> 'address',
    items.ics_id, groups.name, former_name('items', (recorded.state ->> 'item_id')::integer, 'ics_id'),
    former_name('groups', of_group.id, 'name'))`;

const EVENT = sql`
  change_set::int, shown(changes.at) as at, users.username as user, table_name, row_id, action,
  ${NAME} as name`;

const FROM = sql`
  from changes
    left join users on users.id = changes.user_id
    cross join lateral (select coalesce(after, before) as state) recorded
    left join items on table_name = 'comments' and items.id = (recorded.state ->> 'item_id')::integer
    cross join lateral (select case table_name
      when 'group_hosts' then (recorded.state ->> 'group_id')::integer
      when 'group_children' then (recorded.state ->> 'parent_id')::integer end as id) of_group
    left join groups on groups.id = of_group.id`;

/** A condition for changes of records that are, or before their deletion were, visible to the caller. */
function visibleChange(caller: Caller): SQL {
  const known = sql`table_name = any(${sql.param([...TABLES])})`;
  return seesAll(caller) ? known : sql`${known} and not ${HIDDEN}`;
}

const HIDDEN_MEMBER = sql`is_hidden_host((recorded.state ->> 'host_id')::integer)`;

const HIDDEN = hiddenChange();

function hiddenChange(): SQL {
  const cases = resources.flatMap(({ name, history }) => {
    const isHidden = history?.hidesChange ?? history?.hides?.(sql`row_id`);
    return isHidden ? [sql`when ${sql.raw(`'${name}'`)} then ${isHidden}`] : [];
  });
  return sql`case table_name ${sql.join(cases, sql` `)}
    when 'group_hosts' then ${HIDDEN_MEMBER} else false end`;
}

/** The ids of the changes of a record and its parts. */
function idsOf({ table, id }: RecordRef): SQL {
  const own = sql`select id from changes where table_name = ${table} and row_id = ${id}`;
  const parts = (PARTS[table] ?? []).map(
    ([tables, key]) => sql`
      select id from changes where table_name in ${tables} and ${key(sql`before`)} = ${id}
      union select id from changes where table_name in ${tables} and ${key(sql`after`)} = ${id}`,
  );
  return sql.join([own, ...parts], sql` union `);
}

type Key = (state: SQL) => SQL;

// Written as the indexes of `changes` are.
const PARTS: Record<string, Array<[tables: SQL, key: Key]>> = {
  items: [[sql`('comments', 'macs')`, (state) => sql`(${state} ->> 'item_id')::integer`]],
  hosts: [[sql`('interfaces', 'group_hosts')`, (state) => sql`(${state} ->> 'host_id')::integer`]],
  groups: [
    [sql`('group_hosts')`, (state) => sql`(${state} ->> 'group_id')::integer`],
    [sql`('group_children')`, (state) => sql`(${state} ->> 'parent_id')::integer`],
  ],
};

async function withDifferences(
  read: Read,
  caller: Caller,
  rows: EventRow[],
): Promise<EventWithDifferences[]> {
  const each = await differences(read, caller, rows);
  return rows.map(({ before, after, total, ...event }, at) => ({
    ...event,
    differences: each[at] ?? [],
  }));
}

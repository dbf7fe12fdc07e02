// The filters of the list of changes.
import { FormatRegistry, type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { changeParameter, cursorParameter } from "../input/change_ids.ts";
import { SEARCH_TEXT } from "../input/kinds.ts";
import { LONGEST_WAIT } from "../input/limits.ts";
import { query } from "../input/query.ts";
import { literal } from "../input/text.ts";
import { readTime } from "../input/times.ts";
import { resources } from "../resources.ts";
import { periodOf } from "../search/language/dates.ts";
import { pageParameters } from "../store/paging.ts";
import { NAME } from "./change_sql.ts";
import { changeIdsOfNamed } from "./named.ts";
import { checkQuery, hasQuery, versionFilters } from "./versions/filters.ts";
import type { VersionFilter } from "./versions/matching.ts";
import { ACTIONS } from "./words.ts";

/** The name for changes without a user, made by console commands. */
export const SYSTEM_USER = "system";

/** The kinds of records, by the names of their lists: items, hosts. */
export const RECORD_KINDS: readonly string[] = resources.map(({ name }) => name);

FormatRegistry.Set("moment", (text) => periodIn(text) !== undefined);

function anyOf<Name extends string>(names: readonly Name[], title: string) {
  const one = Type.Union(
    names.map((name) => Type.Literal(name)),
    { description: `Use one of ${names.join(", ")}` },
  );
  return Type.Optional(Type.Array(one, { title }));
}

const MOMENT = {
  format: "moment",
  description: "Use a time such as 2026-01-31, 2026-01-31 14:05 (UTC) or now-7d, once",
};

const parameters = {
  user: Type.Optional(
    Type.Array(SEARCH_TEXT, {
      title: `Who made it, by username; ${SYSTEM_USER} for the administrator at the console`,
    }),
  ),
  kind: anyOf(RECORD_KINDS, "Changes of records of this kind; with groups, also of their members"),
  action: anyOf(ACTIONS, "Changes that added (insert), changed (update) or deleted a record"),
  record: Type.Optional(
    Type.String({
      ...SEARCH_TEXT,
      title: "Changes of this record, by its present or a former name, or by its primary key",
      description: `${SEARCH_TEXT.description}, once`,
    }),
  ),
  scope: Type.Optional(
    Type.Array(SEARCH_TEXT, {
      title:
        "Changes of network scopes of this name, of their networks, and of hosts that are or were in them, with their interfaces, cnames, groups and items",
    }),
  ),
  group: Type.Optional(
    Type.Array(SEARCH_TEXT, {
      title:
        "Changes of Ansible groups of this name, and of hosts that are or were in them or in a group below",
    }),
  ),
  query: Type.Optional(
    Type.String({
      ...SEARCH_TEXT,
      title:
        "Changes of records that this query of the search language finds as they were before or after; of the one `kind` that is given, else of hosts. `changed:ip` finds those that have other addresses than before",
      description: `${SEARCH_TEXT.description}, once`,
    }),
  ),
  from: Type.Optional(Type.String({ ...MOMENT, title: "Made at this time or later" })),
  to: Type.Optional(Type.String({ ...MOMENT, title: "Made at this time or earlier" })),
  q: Type.Optional(
    Type.String({
      ...SEARCH_TEXT,
      title: "The record's name, or an old or new value, contains this text, in any case",
      description: `${SEARCH_TEXT.description}, once`,
    }),
  ),
};

/** The parameters of the list of changes. */
export const changesQuery = query({
  ...parameters,
  after: Type.Optional({
    ...cursorParameter,
    title: "Changes after this one, the oldest first; 0 for all",
  }),
  before: Type.Optional({ ...changeParameter, title: "Changes before this one, the newest first" }),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_WAIT,
      title: "With after: waits so many seconds for a change, if there is none",
      description: `Use a number of seconds from 0 to ${LONGEST_WAIT}, once`,
    }),
  ),
  per_page: pageParameters.per_page,
});

export const FILTERS = Object.keys(parameters);

export type ChangeFilters = Static<ReturnType<typeof query<typeof parameters>>>;

/** Conditions on a set, and on one of its changes. */
export interface Conditions {
  sets: SQL[];
  changes: SQL[];
  /** Conditions on the records before and after. */
  versions: VersionFilter[];
  /** Whether it may have to read every change, because no index contains the text or the action. */
  isSlow: boolean;
  /** `changes` uses tables that FROM joins. */
  needsNames: boolean;
}

/** Refuses a query that is not valid, or does not go with the other filters. */
export function checkFilters(filters: ChangeFilters): void {
  checkQuery(filters);
}

/** Undefined if nothing can match. */
export async function conditionsOf(filters: ChangeFilters): Promise<Conditions | undefined> {
  const { user, kind, action, record, q } = filters;
  const versions = await versionFilters(filters);
  if (!versions) return undefined;
  const wanted: Conditions = { sets: [], changes: [], versions, isSlow: false, needsNames: false };
  if (user) wanted.sets.push(madeBy(user));
  wanted.sets.push(...madeBetween(filters));
  // With a record or a query, the kind selects the record, and changes of its parts match too.
  if (kind && record === undefined && !hasQuery(filters)) {
    wanted.changes.push(sql`table_name = any(${sql.param(tablesOf(kind))})`);
  }
  if (action) {
    wanted.changes.push(sql`action = any(${sql.param(action)}::text[])`);
    wanted.isSlow = true;
  }
  if (record !== undefined) {
    const ids = await changeIdsOfNamed(record, kind);
    if (!ids) return undefined;
    wanted.sets.push(
      sql`sets.id = any(array(select change_set from changes where id = any(array(${ids}))))`,
    );
    wanted.changes.push(sql`changes.id = any(array(${ids}))`);
  }
  if (q !== undefined && q.trim() !== "") {
    wanted.changes.push(contains(q.trim()));
    wanted.isSlow = true;
    wanted.needsNames = true;
  }
  return wanted;
}

function madeBy(names: string[]): SQL {
  const isSystem = names.includes(SYSTEM_USER) ? sql`sets.user_id is null` : sql`false`;
  return sql`(${isSystem} or sets.user_id in (
    select id from users where lower(username) in (
      select lower(name collate names) from unnest(${sql.param(names)}::text[]) name)))`;
}

/** A time includes its whole length: `to` a day includes that day. */
function madeBetween({ from, to }: ChangeFilters): SQL[] {
  const [first, last] = [from && periodIn(from), to && periodIn(to)];
  return [
    ...(first ? [sql`sets.at >= ${moment(first.from)}`] : []),
    ...(last ? [sql`sets.at < ${moment(last.until)}`] : []),
  ];
}

/** Read once, and not for each row. */
function moment(text: string): SQL {
  return sql`(select ${text}::text::timestamptz)`;
}

function periodIn(text: string): { from: string; until: string } | undefined {
  const known = readTime(text);
  if (known) return known;
  const { from, until } = periodOf(text, Date.now()) ?? {};
  if (from === undefined || until === undefined) return undefined;
  return { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
}

/** The members of groups are in tables of their own. */
const LINKS: Record<string, string[]> = { groups: ["group_hosts", "group_children"] };

function tablesOf(kinds: string[]): string[] {
  return kinds.flatMap((kind) => [kind, ...(LINKS[kind] ?? [])]);
}

// Text ------------------------------------------------------------------------------------------------

/** Columns with values that people write; neither keys nor times. */
const COLUMNS = [
  ...new Set(
    resources.flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([field, { column, refersTo, kind, parts }]) =>
        // Parts may be hidden from who asks.
        column && !parts && !refersTo && !["integer", "boolean", "time"].includes(kind)
          ? [column(field)]
          : [],
      ),
    ),
  ),
].filter((column) => !column.endsWith("_id") || column === "ics_id");

function contains(text: string): SQL {
  const pattern = `%${literal(text)}%`;
  return sql`(exists (
      select from (
        select key, value from jsonb_each_text(before) union all select key, value from jsonb_each_text(after)
      ) written
      where value ilike ${pattern} and key = any(${sql.param(COLUMNS)})
        and (before -> key) is distinct from (after -> key)
    ) or ${NAME} ilike ${pattern})`;
}

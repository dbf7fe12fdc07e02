// An item as it was at a given time, read from history, with the names of that time.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowPast, mayKnowPastHost, visibleVersion } from "../../auth/visibility.ts";
import { keyIn } from "../../input/keys.ts";
import type { Field } from "../../store/fields.ts";
import type { FieldsSql } from "../../store/filters.ts";
import { partIds } from "../../store/past/parts.ts";
import { recordFrom } from "../../store/past/rows.ts";
import * as records from "../../store/records.ts";
import { historyOf } from "./history.ts";
import { type Item, item } from "./item.ts";

/** By either id; by ICS id also a deleted item. */
export function findAt(
  caller: Caller,
  id: string,
  moment: Date,
): Promise<records.RecordJson<Item>> {
  const at = sql`${moment.toISOString()}::timestamptz`;
  const past = {
    from: fromOf(id, at),
    version: visibleVersion(caller, sql`items`),
    fields: fieldsAt(caller, at),
  };
  return records.find(past, sql`true`);
}

/** The fields of an item at that time: its own columns, the names of other records, and its parts. */
function fieldsAt(caller: Caller, at: SQL): FieldsSql {
  const known = mayKnowPastHost(caller, sql`items.host_id`);
  const table = sql`items`;
  const shown = Object.entries<Field>(item.fields).filter(([, { schema }]) => schema);
  const own = shown.map(([name, field]) => {
    const { column, refersTo, query } = field;
    if (!column || !refersTo) return [name, query({ name, table, id: ID, caller })[name]];
    const key = sql`items.${sql.identifier(column(name))}`;
    const seen = mayKnowPast(caller, refersTo.table, key);
    const called = nameAt(refersTo, key, at);
    return [name, { kind: field.kind, column: sql`case when ${seen} then ${called} end` }];
  });
  return {
    id: { kind: "integer", column: ID },
    ...(Object.fromEntries(own) as FieldsSql),
    children: partsAt({ table: "items", by: "parent_id", nameColumn: "ics_id" }, at),
    macs: partsAt({ table: "macs", by: "item_id", nameColumn: "address" }, at),
    comments: partsAt({ table: "comments", by: "item_id", nameColumn: "body" }, at),
    stack_member: { kind: "integer", column: sql`case when ${known} then items.stack_member end` },
    history: { kind: "value", column: historyOf(ID, at) },
  };
}

const ID = sql`items.id`;

function nameAt({ table, name }: NonNullable<Field["refersTo"]>, key: SQL, at: SQL): SQL {
  return sql`name_at(${table}, ${key}, ${name}, ${at})`;
}

interface PastPart {
  table: string;
  /** The foreign key of the item. */
  by: string;
  nameColumn: string;
}

/** The records of a table that belonged to the item at that time, selected from all that ever did. */
function partsAt({ table, by, nameColumn }: PastPart, at: SQL): FieldsSql[string] {
  const column = sql`coalesce((
    select json_agg(part.state -> ${nameColumn}::text order by part.id)
    from (
      select ever.id, state_at(${table}, ever.id, ${at}) as state
      from (${partIds([table, by], sql`= items.id`)}) ever
    ) part
    where (part.state ->> ${by}::text)::integer = items.id), '[]'::json)`;
  return { kind: "value", column };
}

function fromOf(id: string, at: SQL): SQL {
  const states = sql`
    select state_at('items', candidate.id, ${at}) as state from (${candidatesFor(id)}) candidate (id)`;
  return sql`(
      select state from (${states}) states where state is not null
      order by state ->> 'ics_id' = ${id.toUpperCase()} desc limit 1
    ) past
    cross join lateral ${recordFrom("items", sql`past.state`)} items`;
}

function candidatesFor(id: string): SQL {
  if (/^[0-9]+$/.test(id)) return sql`select ${keyIn(id) ?? 0}::integer`;
  const label = id.toUpperCase();
  return sql`
    select id from items where ics_id = ${label}
    union select row_id from former_names where table_name = 'items' and name = lower(${label}::text collate names)`;
}

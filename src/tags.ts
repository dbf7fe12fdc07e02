// The tags of all kinds of records: which there are, how often each is used, and a new name for one of them.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../db/client.ts";
import { type Caller, requireAdmin } from "./auth/auth.ts";
import { notFound } from "./input/errors.ts";
import { literal } from "./input/text.ts";
import { resources } from "./resources.ts";
import { type Resource, recordQuery } from "./store/resource.ts";
import { changeSetOf, type Transaction, write } from "./store/write.ts";

/** Those whose records have tags. */
export const tagged = resources.filter(({ fields }) => fields.tags?.kind === "tags");

export interface UsedTag {
  tag: string;
  /** How many records have it, by the paths of their lists. */
  counts: Record<string, number>;
}

/** The page shows so many. */
export const MOST_SHOWN_TAGS = 2_000;

/** What the caller sees of them, in alphabetical order. */
export function listTags(caller: Caller): Promise<UsedTag[]> {
  return database.rows<UsedTag>(sql`
    select tag, json_object_agg(path, count) as counts
    from (select tag, path, count(*)::int as count from (${usesOf(caller)}) uses group by tag, path) counted
    group by tag order by tag limit ${MOST_SHOWN_TAGS}`);
}

const MOST_SUGGESTED = 20;

/** Those with the text in them. */
export async function suggestTags(caller: Caller, text: string): Promise<string[]> {
  const pattern = `%${literal(text.toLowerCase())}%`;
  const found = await database.rows<{ tag: string }>(sql`
    select distinct tag from (${usesOf(caller)}) uses where tag like ${pattern}::text order by tag limit ${MOST_SUGGESTED}`);
  return found.map(({ tag }) => tag);
}

/** A row for each tag of each record. */
function usesOf(caller: Caller): SQL {
  const each = tagged.map((resource) => {
    const { visible = sql`true` } = recordQuery(resource, caller);
    const table = sql.identifier(resource.name);
    return sql`
      select unnest(${table}.tags) as tag, ${resource.path}::text as path from ${table}
      where ${table}.tags <> '{}' and ${visible}`;
  });
  return sql.join(each, sql` union all `);
}

/** On all records; a tag that there is already takes it in, and no tag removes it. One undo takes it back. */
export async function renameTag(
  caller: Caller,
  tag: string,
  to: string | null,
): Promise<{ change_set: number; records: number }> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    let records = 0;
    for (const resource of tagged) records += await renameIn(tx, resource, { tag, to });
    if (records === 0) throw notFound();
    return { change_set: await changeSetOf(tx), records };
  });
}

async function renameIn(
  tx: Transaction,
  { name }: Resource,
  { tag, to }: { tag: string; to: string | null },
): Promise<number> {
  const table = sql.identifier(name);
  const tags =
    to === null
      ? sql`array_remove(tags, ${tag}::text)`
      : sql`array_replace(tags, ${tag}::text, ${to}::text)`;
  const changed = await tx.execute(sql`
    with own as (select id from ${table} where tags @> array[${tag}::text] order by id for no key update)
    update ${table} set tags = ${tags} from own where ${table}.id = own.id returning ${table}.id`);
  return changed.length;
}

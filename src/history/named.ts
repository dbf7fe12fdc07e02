// Records by their present or former names.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { keyIn } from "../input/keys.ts";
import { isMac } from "../input/kinds.ts";
import { resources } from "../resources.ts";
import { condition } from "../store/filters.ts";
import type { Resource } from "../store/resource.ts";
import { changeIdsOf, type RecordRef } from "./change_sql.ts";

/** Records of one name, of several kinds; more are left out. */
const MOST_RECORDS = 20;

/** The ids of the changes of a record and its parts. Undefined if there is no such record. */
export async function changeIdsOfNamed(text: string, kinds?: string[]): Promise<SQL | undefined> {
  const id = keyIn(text.trim());
  const named = await recordsNamed(text.trim(), kinds);
  const numbered =
    id === undefined
      ? []
      : (kinds ?? resources.map(({ name }) => name)).map((table) => ({ table, id }));
  const all = [...named, ...numbered];
  return all.length > 0 ? sql.join(all.map(changeIdsOf), sql` union `) : undefined;
}

export async function recordsNamed(text: string, kinds?: string[]): Promise<RecordRef[]> {
  const wanted = resources.filter(({ name }) => !kinds || kinds.includes(name));
  const tables = wanted.map(({ name }) => name);
  const now = wanted.flatMap((resource) => recordsNow(resource, text));
  const former = sql`
    select table_name, row_id as id from former_names where name = lower(${text}::text collate names)`;
  return database.rows<RecordRef>(sql`
    select table_name as table, id from (${sql.join([...now, former], sql` union `)}) named
    where table_name = any(${sql.param(tables)}) order by table_name, id desc limit ${MOST_RECORDS}`);
}

function recordsNow({ name, key, fields }: Resource, text: string): SQL[] {
  const { kind, column } = fields[key] ?? {};
  if (!kind || !column || (kind === "mac" && !isMac(text)) || kind === "text") return [];
  const called = { kind, column: sql`${sql.identifier(name)}.${sql.identifier(column(key))}` };
  const { where } = condition(called, "", [text]);
  return [sql`select ${name}::text as table_name, id from ${sql.identifier(name)} where ${where}`];
}

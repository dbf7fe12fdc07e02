// How a total is brought up to date: by the history of its tables, or of a log by the entries that were added.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import type { CountedRows, Since } from "./difference.ts";
import { rolesIn, sinceSet, type TrackedTables } from "./since_changes.ts";
import { sinceEntry } from "./since_entries.ts";

const MOST_SHAPES = 1_000;

interface DatabaseSchema extends TrackedTables {
  tables: readonly string[];
  /** The tables with editions: rows are added, and hardly ever changed or deleted. */
  logs: readonly string[];
}

let schema: Promise<DatabaseSchema> | undefined;
const shapes = new Map<string, ((matching: SQL) => Since) | undefined>();

onOpen(() => {
  schema = undefined;
  shapes.clear();
});

/** Undefined if nothing tells what has changed: of other tables, and of conditions about rows far away. */
export async function sinceOf({ matching, siblings }: CountedRows): Promise<Since | undefined> {
  schema ??= readSchema().catch((error) => {
    schema = undefined;
    throw error;
  });
  const known = await schema;
  const text = database.statementText(matching);
  if (!shapes.has(text)) {
    if (shapes.size >= MOST_SHAPES) shapes.clear();
    shapes.set(text, shapeOf(text, known, siblings));
  }
  return shapes.get(text)?.(matching);
}

async function readSchema(): Promise<DatabaseSchema> {
  const found = await database.row<{ json: string }>(sql`
    select json_build_object(
      'tables', array(select relname from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace),
      'tracked', array(select tgrelid::regclass::text from pg_trigger where tgname = 'track'),
      'logs', array(select tgrelid::regclass::text from pg_trigger where tgname = 'new_edition'),
      'references', array(
        select json_build_object('table', conrelid::regclass::text, 'column', attname, 'to', confrelid::regclass::text)
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and cardinality(conkey) = 1 and connamespace = current_schema()::regnamespace)
    )::text as json`);
  return JSON.parse(found?.json ?? '{"tables":[],"tracked":[],"logs":[],"references":[]}');
}

// Also in the texts of Drizzle, which quotes names.
const READ = /\b(?:from|join)\s+"?([a-z_]+)"?/g;

function shapeOf(text: string, schema: DatabaseSchema, siblings: string | undefined) {
  const read = [...text.matchAll(READ)]
    .map(([, name = ""]) => name)
    .filter((name) => schema.tables.includes(name));
  const [own = ""] = read;
  if (schema.logs.includes(own)) {
    return read.length === 1 ? (matching: SQL) => sinceEntry(own, matching) : undefined;
  }
  const roles = rolesIn(read, schema, siblings);
  return roles && ((matching: SQL) => sinceSet(roles, matching));
}

// Where a record's values are kept, said once for all that stand in the same rows.
import { type SQL, sql } from "drizzle-orm";
import type { Kind, Source } from "./search_document.ts";

type Rows = Pick<Source, "id" | "from" | "onlyByName">;
/** A label is a keyword that is kept in lower case. */
type Value = readonly [kind: Kind | "label", value: SQL];

/** By their paths. */
export function sourcesIn(rows: Rows, values: Record<string, Value>): Source[] {
  return Object.entries(values).map(([path, [kind, value]]) =>
    kind === "label"
      ? { ...rows, path, kind: "keyword", value, lower: value }
      : { ...rows, path, kind, value },
  );
}

/** What records say of each other: by the path of the field alone, and by what is inside of it. */
export function nestedIn(rows: Rows, field: string, values: Record<string, Value>): Source[] {
  const inside = Object.entries(values).map(([name, value]) => [`${field}.${name}`, value]);
  return sourcesIn({ ...rows, onlyByName: true }, Object.fromEntries(inside));
}

/** What every record that people edit ends with, and its key. */
export function edited(table: SQL): Source[] {
  const id = sql`${table}.id`;
  const written = sql`${table} join users on users.id = ${table}.updated_by where true`;
  return [
    ...keyOf(table),
    ...sourcesIn({ id, from: written }, { user: ["label", sql`users.username`] }),
    ...times(table),
  ];
}

/** A number in a text is hardly ever a key: whoever means one says so. */
export function keyOf(table: SQL): Source[] {
  const id = sql`${table}.id`;
  return sourcesIn(
    { id, from: sql`${table} where true`, onlyByName: true },
    { id: ["number", id] },
  );
}

export function times(table: SQL): Source[] {
  return sourcesIn(
    { id: sql`${table}.id`, from: sql`${table} where true` },
    {
      created_at: ["time", sql`${table}.created_at`],
      updated_at: ["time", sql`${table}.updated_at`],
    },
  );
}

// What of an attribute can be found; the picture of its code cannot.
import { sql } from "drizzle-orm";
import { keySource, type SearchDocument, sourcesIn } from "../../search/document.ts";

/** By the name of the table of its kind. */
export function attributeDocument(name: string): SearchDocument {
  const table = sql`${sql.identifier(name)}`;
  const id = sql`${table}.id`;
  return {
    id,
    all: table,
    sources: [
      ...keySource(table),
      ...sourcesIn(
        { id, from: sql`${table} where true` },
        {
          name: ["keyword", sql`${table}.name`],
          description: ["text", sql`${table}.description`],
        },
      ),
    ],
  };
}

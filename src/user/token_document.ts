// What of a token can be found, and where it is kept.
import { sql } from "drizzle-orm";
import { keyOf, type SearchDocument, sourcesIn } from "../search/document.ts";

const TOKEN = sql`tokens.id`;

/** Of everybody's: whoever lists them takes out those of others. */
export const tokenDocument: SearchDocument = {
  id: TOKEN,
  all: sql`tokens`,
  sources: [
    ...keyOf(sql`tokens`),
    ...sourcesIn(
      { id: TOKEN, from: sql`tokens where true` },
      {
        description: ["text", sql`tokens.description`],
        read_only: ["boolean", sql`tokens.read_only`],
        created_at: ["time", sql`tokens.created_at`],
        expires_at: ["time", sql`tokens.expires_at`],
        last_used_at: ["time", sql`tokens.last_used_at`],
      },
    ),
  ],
};

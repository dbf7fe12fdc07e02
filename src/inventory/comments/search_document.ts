// What of a comment can be found, and where it is kept.
import { sql } from "drizzle-orm";
import { keySource, type SearchDocument, sourcesIn, timeSources } from "../../search/document.ts";

const COMMENT = sql`comments.id`;
const ON_ITEMS = sql`comments join items on items.id = comments.item_id where true`;
const BY_USERS = sql`comments join users on users.id = comments.created_by where true`;

export const commentDocument: SearchDocument = {
  id: COMMENT,
  all: sql`comments`,
  sources: [
    ...keySource(sql`comments`),
    ...sourcesIn(
      { id: COMMENT, from: sql`comments where true` },
      { body: ["text", sql`comments.body`] },
    ),
    ...sourcesIn({ id: COMMENT, from: ON_ITEMS }, { item: ["keyword", sql`items.ics_id`] }),
    ...sourcesIn({ id: COMMENT, from: BY_USERS }, { user: ["label", sql`users.username`] }),
    ...timeSources(sql`comments`),
  ],
};

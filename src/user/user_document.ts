// What of a user can be found, and where it is kept: addresses and groups where `known` is true of `users`.
import { type SQL, sql } from "drizzle-orm";
import { keyOf, type SearchDocument, sourcesIn } from "../search/document.ts";

const USER = sql`users.id`;

export function userDocument(known: SQL): SearchDocument {
  return {
    id: USER,
    all: sql`users`,
    aliases: { name: ["username", "display_name"], group: ["groups"] },
    sources: [
      ...keyOf(sql`users`),
      ...sourcesIn(
        { id: USER, from: sql`users where true` },
        {
          username: ["label", sql`users.username`],
          display_name: ["keyword", sql`users.display_name`],
        },
      ),
      ...sourcesIn(
        { id: USER, from: sql`users where ${known}` },
        { email: ["keyword", sql`users.email`] },
      ),
      ...sourcesIn(
        { id: USER, from: sql`users cross join unnest(users.groups) one where ${known}` },
        { groups: ["label", sql`one`] },
      ),
    ],
  };
}

// Saved searches: the URL query of a list under a name.
import { type Static, Type } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { searches } from "../../db/tables/user.ts";
import type { Caller } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { closed, line } from "../input/shape.ts";
import { write } from "../store/write.ts";

export interface SavedSearch {
  id: number;
  name: string;
  query: string;
}

export const newSearch = closed({
  list: line(100, "Name the list by its path"),
  name: line(60, "Use 1 to 60 characters on one line"),
  query: Type.String({ maxLength: 16_384, description: "Use the query of the list's URL" }),
});

const MOST = 50;

/** The caller's saved searches of a list. */
export function list(caller: Caller, of: string): Promise<SavedSearch[]> {
  return database.rows(
    database.build
      .select({ id: searches.id, name: searches.name, query: searches.query })
      .from(searches)
      .where(and(ownedBy(caller), eq(searches.list, of)))
      .orderBy(sql`lower(${searches.name})`)
      .limit(MOST),
  );
}

/** Replaces a saved search of the same name. */
export async function save(caller: Caller, input: Static<typeof newSearch>): Promise<void> {
  await write(caller, (tx) =>
    tx.execute(sql`
      insert into ${searches} (user_id, list, name, query)
      values (${caller.id}, ${input.list}, ${input.name}, ${input.query})
      on conflict (user_id, list, lower(name)) do update set name = excluded.name, query = excluded.query`),
  );
}

/** Returns the list that it belonged to. */
export function remove(caller: Caller, id: number): Promise<string> {
  return write(caller, async (tx) => {
    const [gone] = await tx
      .delete(searches)
      .where(and(eq(searches.id, id), ownedBy(caller)))
      .returning({ list: searches.list });
    if (!gone) throw notFound();
    return gone.list;
  });
}

function ownedBy({ id }: Caller) {
  return sql`${searches.user_id} = ${id}`;
}

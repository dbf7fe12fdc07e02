// The data of a user that is visible to all users.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { notFound } from "../input/errors.ts";
import { textError } from "../input/text.ts";

export interface Person {
  id: number;
  username: string;
  display_name: string | null;
}

/** A user by name, including a deactivated one: history keeps the names. */
export async function findPerson(username: string): Promise<Person> {
  if (textError(username)) throw notFound();
  const found = await database.row<Person>(
    sql`select id, username, display_name from users where username = ${username.toLowerCase()}`,
  );
  if (!found) throw notFound();
  return found;
}

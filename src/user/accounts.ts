// Users by name, including deactivated ones: for the console commands and for filters.
import { asc, eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { users } from "../../db/tables/user.ts";
import { Refusal } from "../input/errors.ts";

interface NamedUser {
  id: number;
  username: string;
  display_name: string | null;
  email: string | null;
  groups: string[];
  deactivated_at: string | null;
}

const account = {
  id: users.id,
  username: users.username,
  display_name: users.display_name,
  email: users.email,
  groups: users.groups,
  deactivated_at: sql<string | null>`shown(${users.deactivated_at})`.as("deactivated_at"),
};

export function list(): Promise<NamedUser[]> {
  return database.rows(database.build.select(account).from(users).orderBy(asc(users.username)));
}

const MOST_NAMES = 500;

/** The names of users, for a choice of them. */
export async function usernames(): Promise<string[]> {
  const found = await database.rows<{ username: string }>(
    sql`select username from users order by lower(username), id limit ${MOST_NAMES}`,
  );
  return found.map(({ username }) => username);
}

export async function find(username: string): Promise<NamedUser> {
  const found = await database.row(
    database.build.select(account).from(users).where(eq(users.username, username.toLowerCase())),
  );
  if (!found) throw new Refusal(404, `There is no user '${username}'`);
  return found;
}

export async function findActive(username: string): Promise<NamedUser> {
  const found = await find(username);
  if (found.deactivated_at) {
    throw new Refusal(422, `The user '${found.username}' is deactivated: activate it first`);
  }
  return found;
}

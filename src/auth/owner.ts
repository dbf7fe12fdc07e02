// A user as a caller, for work that runs on their behalf and without a request.
import { and, eq, isNull, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { users } from "../../db/tables/user.ts";
import { type Caller, prepareForCallers, type UserGroup } from "./auth.ts";
import { RIGHTS_COLUMN, type Right } from "./rights.ts";

/** The user with their present permissions, to read only; undefined if they are deactivated. */
export async function ownerCaller(id: number): Promise<Caller | undefined> {
  await prepareForCallers();
  const owner = await database.row(
    database.build
      .select({
        username: users.username,
        groups: users.groups,
        rights: sql<Right[] | null>`${RIGHTS_COLUMN}`,
      })
      .from(users)
      .where(and(eq(users.id, id), isNull(users.deactivated_at))),
  );
  if (!owner) return undefined;
  return {
    id,
    username: owner.username,
    groups: owner.groups as UserGroup[],
    ...(owner.rights && { rights: owner.rights }),
    read_only: true,
  };
}

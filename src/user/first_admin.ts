import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { users } from "../../db/tables/user.ts";
import { machine } from "../auth/auth.ts";
import { readablePassword } from "../auth/secret.ts";
import * as passwords from "./passwords.ts";

interface Settings {
  adminUsername: string;
  adminPassword: string | undefined;
}

/** Makes the first admin where there is no user at all; of several that start at once, one does. */
export async function ensureAdmin({ adminUsername, adminPassword }: Settings): Promise<void> {
  const anybody = sql`select 1 as one from ${users} limit 1`;
  if (await database.row(anybody)) return;
  const password = adminPassword ?? readablePassword();
  const password_hash = await passwords.hash(password, passwords.turnOf(machine));
  const isMine = await database.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('first admin', 0))`);
    const [found] = await tx.execute(anybody);
    if (found) return false;
    await tx.insert(users).values({ username: adminUsername, password_hash, groups: ["admin"] });
    return true;
  });
  // Never through the log: logs are kept.
  if (isMine && adminPassword === undefined) {
    process.stderr.write(
      `\n  The first admin is '${adminUsername}', with the password ${password}\n\n`,
    );
  }
}

import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { users } from "../../db/tables/user.ts";
import { consoleCaller } from "../auth/auth.ts";
import { readablePassword } from "../auth/secret.ts";
import * as passwords from "./passwords.ts";

interface AdminSettings {
  adminUsername: string;
  adminPassword: string | undefined;
}

// Not through the log, because logs are stored.
let tell = (line: string): unknown => process.stderr.write(`\n  ${line}\n\n`);

/** A command that tells the password itself. */
export function tellFirstAdminBy(command: (line: string) => void): void {
  tell = command;
}

/** Creates the first admin if there is no user. A lock lets one of several starting processes do it. */
export async function ensureAdmin({ adminUsername, adminPassword }: AdminSettings): Promise<void> {
  const anyUser = database.build.select({ id: users.id }).from(users).limit(1);
  if (await database.row(anyUser)) return;
  const password = adminPassword ?? readablePassword();
  const password_hash = await passwords.hash(password, passwords.queueTurnOf(consoleCaller));
  const isCreated = await database.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('first admin', 0))`);
    const [found] = await tx.select({ id: users.id }).from(users).limit(1);
    if (found) return false;
    await tx.insert(users).values({ username: adminUsername, password_hash, groups: ["admin"] });
    return true;
  });
  if (isCreated && adminPassword === undefined) {
    tell(`The first admin is '${adminUsername}', with the password ${password}`);
  }
}

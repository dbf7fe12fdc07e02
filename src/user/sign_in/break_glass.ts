// Break-glass accounts: local admins who can log in by password whatever the settings of the providers are. Each use is
// an entry of its own in the audit log.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import { write } from "../../store/write.ts";

const SETTING = "local_passwords";

export const breakGlassExists: SQL = sql`exists (
  select from users keeper
  where keeper.is_break_glass and keeper.deactivated_at is null and keeper.password_hash is not null
    and 'admin' = any(keeper.groups))`;

/** Passwords of other local accounts are refused. Never while there is no break-glass account: nobody could log in. */
export const onlyBreakGlass: SQL = sql`(
  exists (select from settings where settings.name = ${SETTING} and settings.value = 'break_glass') and ${breakGlassExists})`;

/** Whether only break-glass accounts may log in by a local password. */
export async function isRequired(): Promise<boolean> {
  const found = await database.row<{ so: boolean }>(sql`select ${onlyBreakGlass} as so`);
  return found?.so ?? false;
}

/** The names of the accounts. */
export async function accounts(caller: Caller): Promise<string[]> {
  requireAdmin(caller);
  const found = await database.rows<{ username: string }>(sql`
    select username from users where is_break_glass and deactivated_at is null order by username`);
  return found.map(({ username }) => username);
}

export async function require(caller: Caller, isOn: boolean): Promise<void> {
  requireAdmin(caller);
  await write(caller, async (tx) => {
    await advisoryLock(tx, SETTING);
    const [found] = await tx.execute<{ exists: boolean }>(
      sql`select ${breakGlassExists} as exists`,
    );
    if (isOn && !found?.exists) {
      throw invalid(
        "local_passwords",
        "First mark an admin with a password as break-glass account",
      );
    }
    await tx.execute(sql`
      insert into settings (name, value) values (${SETTING}, ${isOn ? "break_glass" : "all"})
      on conflict (name) do update set value = excluded.value`);
    const details = { local_passwords: isOn ? "only break-glass accounts" : "all" };
    await audit.addWithin(tx, { event: "sign_in.changed", ...audit.auditCaller(caller), details });
  });
}

/** Marks an admin with a password as break-glass account, or removes the mark. */
export async function mark(caller: Caller, id: number, isOn: boolean): Promise<void> {
  requireAdmin(caller);
  await write(caller, async (tx) => {
    const [found] = await tx.execute<{ username: string; fits: boolean }>(sql`
      select username, password_hash is not null and 'admin' = any(groups) as fits from users
      where id = ${id} and deactivated_at is null for no key update`);
    if (!found) throw notFound();
    if (isOn && !found.fits) {
      throw invalid("action", "A break-glass account is an admin with a password");
    }
    await tx.execute(sql`update users set is_break_glass = ${isOn} where id = ${id}`);
    const details = { is_break_glass: isOn };
    const event = "user.changed";
    await audit.addWithin(tx, {
      event,
      ...audit.auditCaller(caller),
      target: found.username,
      details,
    });
  });
}

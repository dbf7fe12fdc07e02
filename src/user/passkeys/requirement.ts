// Groups whose members need a passkey. It is asked for at the next login, and never of break-glass accounts, which have
// to work when passkeys do not.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, GROUPS, requireAdmin, type UserGroup } from "../../auth/auth.ts";
import type { RelyingParty } from "../../auth/relying_party.ts";
import { invalid } from "../../input/errors.ts";
import { write } from "../../store/write.ts";

const SETTING = "passkey_groups";

/** Of a user in a statement: a local account that needs a passkey. */
export const needsPasskey: SQL = sql`(
  users.password_hash is not null and not users.is_break_glass and coalesce(
    users.groups && (select string_to_array(value, ',') from settings where settings.name = ${SETTING}), false))`;

/** Of a user in a statement. */
export const hasPasskey: SQL = sql`exists (select from passkeys where passkeys.user_id = users.id)`;

export async function requiredGroups(): Promise<UserGroup[]> {
  const found = await database.row<{ value: string }>(
    sql`select value from settings where name = ${SETTING}`,
  );
  const names = found?.value.split(",") ?? [];
  return GROUPS.filter((group) => names.includes(group));
}

export async function requireOf(
  caller: Caller,
  groups: readonly UserGroup[],
  party: RelyingParty | undefined,
): Promise<void> {
  requireAdmin(caller);
  if (groups.length > 0 && !party) throw invalid("groups", NOT_HERE);
  await write(caller, async (tx) => {
    await tx.execute(sql`
      insert into settings (name, value) values (${SETTING}, ${groups.join(",")})
      on conflict (name) do update set value = excluded.value`);
    const details = { passkeys_required_of: groups.join(", ") || "nobody" };
    await audit.addWithin(tx, { event: "sign_in.changed", ...audit.auditCaller(caller), details });
  });
}

/** Where there can be no passkeys. */
export const NOT_HERE = "Passkeys need PUBLIC_URL to be an https address with a host name";

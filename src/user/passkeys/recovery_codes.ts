// Recovery codes replace a lost passkey, each once. They are shown when they are generated, and stored as hashes.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { recovery_codes } from "../../../db/tables/user.ts";
import { networkOf } from "../../auth/client_network.ts";
import { recoveryCode, recoveryCodeHash } from "../../auth/secret.ts";
import { invalid } from "../../input/errors.ts";
import { RECOVERY_CODES } from "../../input/limits.ts";
import type { Transaction } from "../../store/write.ts";
import * as failedLogins from "../failed_logins.ts";
import * as throttle from "../throttle.ts";

/** New codes in place of the earlier ones. */
export async function generate(tx: Transaction, user: number): Promise<string[]> {
  await forget(tx, user);
  const codes = Array.from({ length: RECOVERY_CODES }, recoveryCode);
  await tx
    .insert(recovery_codes)
    .values(codes.map((code) => ({ user_id: user, code_hash: recoveryCodeHash(code) })));
  return codes;
}

export async function forget(tx: Transaction, user: number): Promise<void> {
  await tx.delete(recovery_codes).where(sql`user_id = ${user}`);
}

interface RecoveryAttempt {
  user: { id: number; username: string };
  code: string;
  address: string;
  request_id: string;
}

/**
 * Uses a code; returns how many are left. Failures count for the client like wrong passwords. They have a name of their
 * own, because the right password, which comes first, would delete those of the user.
 */
export async function use({ user, code, address, request_id }: RecoveryAttempt): Promise<number> {
  const { id, username } = user;
  const client = networkOf(address);
  const attempt = { username: `recovery code of ${username}`, client, isKnown: false };
  const delays = await database.row<throttle.LoginDelays>(
    sql`select ${throttle.loginDelays(attempt)}`,
  );
  if (delays) throttle.requireNotBlocked(delays, attempt);
  let left = 0;
  const { matches, failures } = await throttle.throttled(attempt, async () => {
    const [used] = await database.execute<{ left: number }>(sql`
      delete from recovery_codes where user_id = ${id} and code_hash = ${recoveryCodeHash(code)}
      returning (select count(*)::int - 1 from recovery_codes others where others.user_id = ${id}) as left`);
    left = used?.left ?? 0;
    return used !== undefined;
  });
  if (matches) return left;
  await failedLogins.record({ user_id: id, username, address, request_id, failures });
  throw invalid("code", "This is none of your recovery codes, or it was used before");
}

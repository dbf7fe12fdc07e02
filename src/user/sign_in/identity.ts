// Whether an account belongs to a person of a provider. Such an account has no password here.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { invalid } from "../../input/errors.ts";
import type { Transaction } from "../../store/write.ts";

/** The name of the provider by which this user logs in; undefined for a local account. */
export async function providerOf(user: number): Promise<string | undefined> {
  const found = await database.row<{ name: string }>(sql`
    select name from identities join identity_providers on identity_providers.id = provider_id
    where user_id = ${user} order by identities.id limit 1`);
  return found?.name;
}

/** Refuses to set or to ask for a password. */
export async function requireLocal(user: number, field: string): Promise<void> {
  const service = await database.row(sql`select from users where id = ${user} and is_service`);
  if (service) throw invalid(field, "A service account has no password");
  const provider = await providerOf(user);
  if (provider === undefined) return;
  throw invalid(field, `This account logs in by ${provider} and has no password here`);
}

/** From now on an admin has decided whether the account is active, not what its provider said. */
export async function noteAdminDecision(tx: Transaction, user: number): Promise<void> {
  await tx.execute(sql`update identities set gone_at = null where user_id = ${user}`);
}

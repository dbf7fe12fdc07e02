// Who sees a sensitive network beside admins and auditors.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";

/** For admins: the users to whom it is shown, and the groups of providers that lead to it. */
export async function seenBy(caller: Caller, network: number): Promise<string[]> {
  if (!isAdmin(caller)) return [];
  const found = await database.rows<{ name: string }>(sql`
    select username as name from user_rights join users on users.id = user_id
      where network_id = ${network} and provider_id is null and deactivated_at is null
    union all
    select outer_group || ' of ' || name from right_mappings
      join identity_providers on identity_providers.id = provider_id
      where network_id = ${network}
    order by 1`);
  return found.map(({ name }) => name);
}

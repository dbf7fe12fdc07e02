// Whether the caller may put hosts into a network.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { isLimitedToPlaces } from "../../store/rights/check.ts";
import { isInOwnScope } from "../../store/rights/where.ts";
import type { Network } from "./network.ts";

/** As the condition mayUseNetwork of src/store/may_edit.ts, by a row that was read. */
export async function mayPutHosts(
  caller: Caller,
  { id, admin_only, sensitive }: Pick<Network, "id" | "admin_only" | "sensitive">,
): Promise<boolean> {
  if (isAdmin(caller)) return true;
  if (admin_only || sensitive) return false;
  if (!isLimitedToPlaces(caller)) return true;
  const found = await database.row<{ may_use: boolean }>(sql`
    select ${isInOwnScope(caller, sql`networks`)} as may_use from networks where id = ${id}`);
  return found?.may_use ?? false;
}

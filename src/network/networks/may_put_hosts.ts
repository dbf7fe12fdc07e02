// Whether the caller may put hosts into a network.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayUseNetwork } from "../../store/may_edit.ts";

export async function mayPutHosts(caller: Caller, network: number): Promise<boolean> {
  if (isAdmin(caller)) return true;
  const found = await database.row<{ may_use: boolean }>(
    sql`select ${mayUseNetwork(caller)} as may_use from networks where id = ${network}`,
  );
  return found?.may_use ?? false;
}

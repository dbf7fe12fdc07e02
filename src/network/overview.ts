// The number of records of each kind that are visible to the caller.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";

export interface Overview {
  hosts: number;
  items: number;
  networks: number;
}

export async function overview(caller: Caller): Promise<Overview> {
  const found = await database.row<Overview>(sql`
    select (select count(*)::int from hosts where ${mayKnowHost(caller, sql`hosts.id`)}) as hosts,
      (select count(*)::int from items) as items,
      (select count(*)::int from networks where ${mayKnowNetwork(caller)}) as networks`);
  return found ?? { hosts: 0, items: 0, networks: 0 };
}

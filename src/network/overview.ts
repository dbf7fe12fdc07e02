// The number of records of each kind that are visible to the caller.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";

export interface NetworkCounts {
  hosts: number;
  interfaces: number;
  networks: number;
  scopes: number;
  domains: number;
  groups: number;
  device_types: number;
}

/** How many of each kind the caller sees. */
export async function networkCounts(caller: Caller): Promise<NetworkCounts | undefined> {
  return database.row<NetworkCounts>(sql`
    select (select count(*)::int from hosts where ${mayKnowHost(caller, sql`hosts.id`)}) as hosts,
      (select count(*)::int from interfaces where ${mayKnowHost(caller, sql`interfaces.host_id`)}) as interfaces,
      (select count(*)::int from networks where ${mayKnowNetwork(caller)}) as networks,
      (select count(*)::int from scopes) as scopes, (select count(*)::int from domains) as domains,
      (select count(*)::int from groups) as groups, (select count(*)::int from device_types) as device_types`);
}

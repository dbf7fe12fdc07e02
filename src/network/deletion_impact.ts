// Counts the records that the deletion of hosts, interfaces or groups affects.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import { integers } from "../input/keys.ts";
import { membersIn, queries } from "./groups/members.ts";

export interface Impact {
  interfaces: number;
  cnames: number;
  /** Items are kept, without a host. */
  items: number;
}

export async function impactOfHosts(hosts: number[]): Promise<Impact> {
  const chosen = sql`any(${integers(hosts)})`;
  const found = await database.row<Impact>(sql`
    select (select count(*)::int from interfaces where host_id = ${chosen}) as interfaces,
      (select count(*)::int from cnames join interfaces on interfaces.id = interface_id
        where host_id = ${chosen}) as cnames,
      (select count(*)::int from items where host_id = ${chosen}) as items`);
  return found ?? { interfaces: 0, cnames: 0, items: 0 };
}

export async function impactOfInterfaces(ids: number[]): Promise<Impact> {
  const found = await database.row<{ cnames: number }>(
    sql`select count(*)::int as cnames from cnames where interface_id = any(${integers(ids)})`,
  );
  return { interfaces: 0, cnames: found?.cnames ?? 0, items: 0 };
}

/** How many hosts that the caller sees are in any of these groups. */
export async function hostsInGroups(caller: Caller, groups: number[]): Promise<number> {
  const those = integers(groups);
  const queried = await queries(caller, database.rows, sql`id = any(${those})`);
  const found = await database.row<{ hosts: number }>(sql`
    select count(distinct member.id)::int as hosts from ${membersIn(queried)} member
    where member.group_id = any(${those}) and ${mayKnowHost(caller, sql`member.id`)}`);
  return found?.hosts ?? 0;
}

// Counts the records that the deletion of hosts or an interface affects.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { integers } from "../input/keys.ts";

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

export async function impactOfInterface(id: number): Promise<Impact> {
  const found = await database.row<{ cnames: number }>(
    sql`select count(*)::int as cnames from cnames where interface_id = ${id}`,
  );
  return { interfaces: 0, cnames: found?.cnames ?? 0, items: 0 };
}

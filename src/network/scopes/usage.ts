// Scopes with their utilisation by networks that are visible to the caller.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Scope, scope } from "./scope.ts";

interface ScopeUsage {
  /** The number of its networks, and their share of the supernet in percent. */
  count: number;
  utilisation: number;
}

export type ScopeRow = Omit<Scope, "networks"> & ScopeUsage;

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<ScopeRow>> {
  return records.list(queryWithUse(caller), params);
}

/** By name, case-sensitive. */
export function findNamed(caller: Caller, name: string): Promise<records.RecordJson<ScopeRow>> {
  return records.find(
    queryWithUse(caller),
    sql`lower(scopes.name) = lower(${name}::text collate names) and scopes.name = ${name}`,
  );
}

/** A network as the diagrams of its scope show it. */
export interface ScopeNetwork {
  vlan_name: string;
  vlan_id: number;
  address: string;
}

/** The networks of a scope, by address. */
export function networksOf(caller: Caller, scope: number): Promise<ScopeNetwork[]> {
  return database.rows<ScopeNetwork>(sql`
    select vlan_name, vlan_id, address::text as address from networks
    where scope_id = ${scope} and ${mayKnowNetwork(caller)} order by networks.address`);
}

export function queryWithUse(caller: Caller): records.RecordQuery<ScopeRow> {
  const networks = sql`networks one where one.scope_id = scopes.id and ${mayKnowNetwork(caller, sql`one`)}`;
  return records.extend<ScopeUsage>()(records.omit(recordQuery(scope, caller), WITHOUT), {
    count: { kind: "integer", column: sql`(select count(*)::int from ${networks})` },
    utilisation: {
      kind: "integer",
      column: sql`(
        select coalesce(floor(100 * sum(power(2::float8, masklen(scopes.supernet) - masklen(one.address)))), 0)::int
        from ${networks})`,
    },
  });
}

const WITHOUT = ["networks"] as const;

// Domains with the number of records in them that are visible to the caller.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import type { FieldSql } from "../../store/filters.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Domain, domain } from "./domain.ts";

interface DomainUsage {
  scope_count: number;
  network_count: number;
  host_count: number;
}

export type DomainRow = Omit<Domain, "scopes" | "networks"> & DomainUsage;

export function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<DomainRow>> {
  return records.list(queryWithUse(caller), params);
}

export function queryWithUse(caller: Caller): records.RecordQuery<DomainRow> {
  const query = records.omit(recordQuery(domain, caller), WITHOUT);
  return records.extend<DomainUsage>()(query, {
    scope_count: count(sql`select id from scopes where domain_id = domains.id`),
    network_count: count(sql`
      select id from networks where domain_id = domains.id and ${mayKnowNetwork(caller)}`),
    host_count: count(sql`
      select distinct one.host_id from networks join interfaces one on one.network_id = networks.id
      where domain_id = domains.id and ${mayKnowHost(caller, sql`one.host_id`)}`),
  });
}

const WITHOUT = ["scopes", "networks"] as const;

function count(those: SQL): FieldSql {
  return { kind: "integer", column: sql`(select count(*)::int from (${those}) those)` };
}

// Targets for Prometheus, by its HTTP service discovery.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { memberships, queries } from "../groups/members.ts";
import { MAIN_INTERFACES } from "../interfaces/main_interface.ts";
import type { Feed } from "./feed.ts";
import { feedQuery, filters } from "./parameters.ts";
import { select } from "./selection.ts";

interface ScrapeTarget {
  name: string;
  ip: string;
  is_ioc: boolean;
  device_type: string;
  network: string;
  scope: string;
  domain: string;
  groups: string | null;
}

const PORT = Type.Integer({
  minimum: 1,
  maximum: 65_535,
  description: "Use a whole number from 1 to 65535",
});
const query = feedQuery({
  ...filters,
  port: Type.Optional(Type.Array(PORT, { title: "The port of the target; repeat for several" })),
});

/** Each host by its main address, once for each `port`. */
export const prometheus: Feed<typeof query> = {
  name: "prometheus",
  type: "application/json",
  query,
  async make(caller, parameters) {
    const { hosts } = await select(caller, parameters);
    const queried = await queries(caller, database.rows);
    // In SQL: memberships come from the queries of groups, as a subselect.
    const rows = await database.rows<ScrapeTarget>(sql`
      select hosts.name, host(interfaces.ip) as ip, hosts.is_ioc, device_types.name as device_type,
        networks.vlan_name as network, scopes.name as scope, domains.name as domain, joined.names as groups
      from hosts
        join device_types on device_types.id = hosts.device_type_id
        join ${MAIN_INTERFACES} main on main.host_id = hosts.id
        join interfaces on interfaces.id = main.id
        join networks on networks.id = interfaces.network_id
        join scopes on scopes.id = networks.scope_id
        join domains on domains.id = networks.domain_id
        left join (
          select host_id, string_agg(distinct escaped, ',' order by escaped) as names
          from ${memberships(queried)} member join groups on groups.id = group_id, ${ESCAPED} group by host_id
        ) joined on joined.host_id = hosts.id
      where ${hosts} order by hosts.name`);
    const text = JSON.stringify(
      rows.map((row) => ({ targets: targetsOf(row, parameters.port), labels: labelsOf(row) })),
    );
    return () => text;
  },
};

/** A comma in a name would read as two groups, and patterns would match behind an escaped one. */
const ESCAPED = sql`lateral replace(replace(groups.name, '%', '%25'), ',', '%2C') as escaped`;

function targetsOf({ ip }: ScrapeTarget, ports: number[] = []): string[] {
  const address = ip.includes(":") ? `[${ip}]` : ip;
  return ports.length === 0 ? [address] : ports.map((port) => `${address}:${port}`);
}

/** Labels for relabelling. A list begins and ends with a comma, so that `.*,web,.*` matches one of its values. */
function labelsOf(row: ScrapeTarget): Record<string, string> {
  return {
    __meta_cadastre_host: row.name,
    __meta_cadastre_fqdn: `${row.name}.${row.domain}`,
    __meta_cadastre_device_type: row.device_type,
    __meta_cadastre_is_ioc: String(row.is_ioc),
    __meta_cadastre_network: row.network,
    __meta_cadastre_scope: row.scope,
    __meta_cadastre_domain: row.domain,
    __meta_cadastre_groups: row.groups === null ? "" : `,${row.groups},`,
  };
}

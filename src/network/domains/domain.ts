// The description of domains: the suffixes of full names.
import { sql } from "drizzle-orm";
import { domains, networks, scopes } from "../../../db/tables/network.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import * as fields from "../../store/fields.ts";
import { type ListedRow, type RowOf, resource } from "../../store/resource.ts";
import * as shapes from "../common/shapes.ts";

export const domain = resource({
  noun: "domain",
  path: "/network/domains",
  table: domains,
  key: "name",
  page: (name) => `/network/domains/view/${name}`,
  editors: ["admin"],
  order: sql`domains.name`,
  fields: {
    name: fields.label({ label: "Name", input: shapes.DNS_NAME, required: true, fixed: true }),
    scopes: fields.inRecordsAlone(
      fields.hasMany({
        label: "Scopes",
        kind: "name",
        table: scopes,
        key: "domain_id",
        singular: "scope",
        nested: { supernet: "block" },
      }),
    ),
    networks: fields.inRecordsAlone(
      fields.hasMany({
        label: "Networks",
        kind: "name",
        table: networks,
        key: "domain_id",
        singular: "network",
        nameColumn: "vlan_name",
        nested: { address: "block" },
        visible: mayKnowNetwork,
      }),
    ),
    ...fields.stamps(),
    scope_count: fields.usage(
      "Scopes",
      () => sql`(select count(*)::int from scopes where domain_id = domains.id)`,
    ),
    network_count: fields.usage(
      "Networks",
      (caller) => sql`(
        select count(*)::int from networks where domain_id = domains.id and ${mayKnowNetwork(caller)})`,
    ),
    host_count: fields.usage(
      "Hosts",
      (caller) => sql`(
        select count(distinct one.host_id)::int from networks join interfaces one on one.network_id = networks.id
        where domain_id = domains.id and ${mayKnowHost(caller, sql`one.host_id`)})`,
    ),
  },
  search: { aliases: { scope: ["scopes"], network: ["networks"] } },
});

export type Domain = RowOf<typeof domain>;
export type DomainRow = ListedRow<typeof domain>;

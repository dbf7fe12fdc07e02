// The description of scopes: a range of VLANs and a block of addresses for networks.
import { type SQL, sql } from "drizzle-orm";
import { domains, networks, scopes } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { BLOCK } from "../../input/addresses.ts";
import * as fields from "../../store/fields.ts";
import { type ListedRow, type RowOf, resource } from "../../store/resource.ts";
import * as shapes from "../common/shapes.ts";

function networksIn(caller: Caller): SQL {
  return sql`networks one where one.scope_id = scopes.id and ${mayKnowNetwork(caller, sql`one`)}`;
}

export const scope = resource({
  noun: "scope",
  path: "/network/scopes",
  table: scopes,
  key: "name",
  page: (name) => `/network/scopes/view/${name}`,
  editors: ["admin"],
  order: sql`lower(scopes.name)`,
  fields: {
    name: fields.name({ label: "Name", input: shapes.SHORT_NAME, required: true }),
    description: fields.text({ label: "Description", input: shapes.DESCRIPTION }),
    tags: fields.tags(),
    first_vlan: fields.integer({ label: "First VLAN", input: shapes.VLAN_ID, required: true }),
    last_vlan: fields.integer({ label: "Last VLAN", input: shapes.VLAN_ID, required: true }),
    supernet: fields.block({ label: "Supernet", input: BLOCK, required: true, individual: true }),
    domain: fields.belongsTo(domains, {
      label: "Domain",
      kind: "label",
      input: shapes.DNS_NAME,
      onlyChanged: true,
    }),
    networks: fields.inRecordsAlone(
      fields.hasMany({
        label: "Networks",
        kind: "name",
        table: networks,
        key: "scope_id",
        singular: "network",
        nameColumn: "vlan_name",
        nested: { vlan_id: "integer", address: "block" },
        visible: mayKnowNetwork,
      }),
    ),
    ...fields.stamps(),
    count: fields.usage(
      "Networks",
      (caller) => sql`(select count(*)::int from ${networksIn(caller)})`,
    ),
    utilisation: fields.usage(
      "In use (%)",
      (caller) => sql`(
        select coalesce(floor(100 * sum(power(2::float8, masklen(scopes.supernet) - masklen(one.address)))), 0)::int
        from ${networksIn(caller)})`,
    ),
  },
  search: { aliases: { network: ["networks"], vlan: ["networks", "networks.vlan_id"] } },
});

export type Scope = RowOf<typeof scope>;
export type ScopeRow = ListedRow<typeof scope>;

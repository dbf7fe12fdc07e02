// The description of domains: the suffixes of full names.
import { sql } from "drizzle-orm";
import { domains, networks, scopes } from "../../../db/tables/network.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
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
    scopes: fields.hasMany({
      label: "Scopes",
      kind: "name",
      table: scopes,
      key: "domain_id",
      singular: "scope",
      nested: { supernet: "block" },
    }),
    networks: fields.hasMany({
      label: "Networks",
      kind: "name",
      table: networks,
      key: "domain_id",
      singular: "network",
      nameColumn: "vlan_name",
      nested: { address: "block" },
      visible: mayKnowNetwork,
    }),
    ...fields.stamps(),
  },
  search: { aliases: { scope: ["scopes"], network: ["networks"] } },
});

export type Domain = RowOf<typeof domain>;

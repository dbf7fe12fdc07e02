// The description of cnames: further names of interfaces.

import { sql } from "drizzle-orm";
import { cnames, interfaces } from "../../../db/tables/network.ts";
import { type Caller, seesAll } from "../../auth/auth.ts";
import { NETWORK_EDITORS } from "../../auth/rights.ts";
import { isHiddenInChange, mayKnowHost } from "../../auth/visibility.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import * as shapes from "../common/shapes.ts";

export const cname = resource({
  noun: "cname",
  path: "/network/cnames",
  table: cnames,
  key: "name",
  partOf: "interfaces",
  editors: NETWORK_EDITORS,
  order: sql`cnames.name`,
  visible: mayKnowCname,
  fields: {
    name: fields.label({ label: "Name", input: shapes.NEW_DNS_NAME, required: true, fixed: true }),
    interface: fields.belongsTo(interfaces, {
      label: "Interface",
      kind: "label",
      nested: { ip: "ip", mac: "mac" },
    }),
    ...fields.stamps(),
  },
  history: {
    hidesChange: (caller) =>
      isHiddenInChange(caller, "interface", sql`(recorded.state ->> 'interface_id')::integer`),
  },
});

export type Cname = RowOf<typeof cname>;

/** The host of the interface is visible to the caller. */
function mayKnowCname(caller: Caller) {
  if (seesAll(caller)) return sql`true`;
  return sql`exists (select from interfaces named
    where named.id = cnames.interface_id and ${mayKnowHost(caller, sql`named.host_id`)})`;
}

// The resource `mac`: a MAC address, on an item or on none.

import { sql } from "drizzle-orm";
import { items, macs } from "../../../db/tables/inventory.ts";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import { MAC_ADDRESS } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import { SUMMARY_FIELDS } from "../items/item.ts";

export const mac = resource({
  noun: "MAC address",
  plural: "MAC addresses",
  path: "/inventory/macs",
  table: macs,
  key: "address",
  partOf: "items",
  editors: INVENTORY_EDITORS,
  removers: ["admin"],
  order: sql`macs.address`,
  fields: {
    address: fields.mac({ label: "Address", input: MAC_ADDRESS, required: true }),
    item: fields.belongsTo(items, {
      label: "Item",
      kind: "code",
      nameColumn: "ics_id",
      nested: SUMMARY_FIELDS,
      nullable: true,
      description: "The item's ICS id",
    }),
  },
  search: { aliases: { mac: ["address"], ics: ["item"] } },
});

export type Mac = RowOf<typeof mac>;

// What of a MAC address can be found, and where it is kept.
import { sql } from "drizzle-orm";
import { keySource, nestedIn, type SearchDocument, sourcesIn } from "../../search/document.ts";

const MAC = sql`macs.id`;
const ON_ITEMS = { id: MAC, from: sql`macs join items on items.id = macs.item_id where true` };

export const macDocument: SearchDocument = {
  id: MAC,
  all: sql`macs`,
  aliases: { mac: ["address"], ics: ["item"] },
  sources: [
    ...keySource(sql`macs`),
    ...sourcesIn({ id: MAC, from: sql`macs where true` }, { address: ["mac", sql`macs.address`] }),
    ...sourcesIn(ON_ITEMS, { item: ["keyword", sql`items.ics_id`] }),
    ...nestedIn(ON_ITEMS, "item", {
      id: ["number", sql`items.id`],
      ics_id: ["keyword", sql`items.ics_id`],
      serial_number: ["keyword", sql`items.serial_number`],
      quantity: ["number", sql`items.quantity`],
    }),
  ],
};

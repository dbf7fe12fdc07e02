// What of a cname can be found, and where it is kept.
import { sql } from "drizzle-orm";
import { editedSources, nestedIn, type SearchDocument, sourcesIn } from "../../search/document.ts";

const CNAME = sql`cnames.id`;
const INTERFACES = {
  id: CNAME,
  from: sql`cnames join interfaces on interfaces.id = cnames.interface_id where true`,
};

/** Of all that there are: whoever lists them takes out the hidden ones. */
export const cnameDocument: SearchDocument = {
  id: CNAME,
  all: sql`cnames`,
  sources: [
    ...sourcesIn(
      { id: CNAME, from: sql`cnames where true` },
      { name: ["label", sql`cnames.name`] },
    ),
    ...sourcesIn(INTERFACES, { interface: ["label", sql`interfaces.name`] }),
    ...nestedIn(INTERFACES, "interface", {
      id: ["number", sql`interfaces.id`],
      name: ["label", sql`interfaces.name`],
      ip: ["address", sql`interfaces.ip`],
      mac: ["mac", sql`interfaces.mac`],
    }),
    ...editedSources(sql`cnames`),
  ],
};

import { sql } from "drizzle-orm";
import { keySource, type SearchDocument, sourcesIn } from "../../search/document.ts";

const DEVICE_TYPE = sql`device_types.id`;

export const deviceTypeDocument: SearchDocument = {
  id: DEVICE_TYPE,
  all: sql`device_types`,
  sources: [
    ...keySource(sql`device_types`),
    ...sourcesIn(
      { id: DEVICE_TYPE, from: sql`device_types where true` },
      { name: ["keyword", sql`device_types.name`] },
    ),
  ],
};

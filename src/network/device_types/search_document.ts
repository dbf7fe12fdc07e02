import { sql } from "drizzle-orm";
import type { Searched } from "../../search/language/search_document.ts";
import { keyOf, sourcesIn } from "../../search/language/sources.ts";

const DEVICE_TYPE = sql`device_types.id`;

export const deviceTypeDocument: Searched = {
  id: DEVICE_TYPE,
  all: sql`device_types`,
  sources: [
    ...keyOf(sql`device_types`),
    ...sourcesIn(
      { id: DEVICE_TYPE, from: sql`device_types where true` },
      { name: ["keyword", sql`device_types.name`] },
    ),
  ],
};

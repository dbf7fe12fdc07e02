// The mappings of a provider, as they are stored.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { PLACE_NAME } from "../rights/place.ts";
import type { ProvidedRight } from "../rights/rights.ts";
import type { Mapping, RightMapping } from "./provider.ts";

export function mappingsOf(provider: number): Promise<Mapping[]> {
  return database.rows<Mapping>(sql`
    select id, outer_group, is_pattern, inner_group from group_mappings
    where provider_id = ${provider} order by inner_group, outer_group, id`);
}

export async function rightMappingsOf(provider: number): Promise<RightMapping[]> {
  const found = await database.rows<Omit<RightMapping, "right"> & ProvidedRight>(sql`
    select id, outer_group, is_pattern, kind, scope_id, location_id, network_id, ${PLACE_NAME} as place
    from right_mappings where provider_id = ${provider} order by kind, place, outer_group, id`);
  return found.map(({ id, outer_group, is_pattern, ...right }) => ({
    ...{ id, outer_group, is_pattern, right },
  }));
}

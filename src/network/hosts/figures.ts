// The figures of hosts: how many there are of each device type, and their total on each of the last days.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowPastHost } from "../../auth/visibility.ts";
import { dailyDeltas, dailyTotals } from "../../store/figures/daily_totals.ts";

export interface HostFigures {
  /** The most frequent first. */
  deviceTypes: Array<{ name: string; count: number }>;
  /** The last one is the current total. */
  daily: number[];
}

/** Of the hosts that are visible to the caller. */
export async function hostFigures(caller: Caller): Promise<HostFigures> {
  const hidden = hiddenHosts(caller);
  const visible = hidden ? sql`hosts.id not in (${hidden})` : sql`true`;
  const whereGone = mayKnowPastHost(caller, sql`row_id`);
  const [deviceTypes, deltas] = await Promise.all([
    database.rows<HostFigures["deviceTypes"][number]>(sql`
      select device_types.name, one.count
      from (
        select device_type_id, count(*)::int as count from hosts where ${visible} group by device_type_id
      ) one join device_types on device_types.id = one.device_type_id
      order by one.count desc, lower(device_types.name)`),
    dailyDeltas({ table: "hosts", where: visible, whereGone }),
  ]);
  const total = deviceTypes.reduce((sum, { count }) => sum + count, 0);
  return { deviceTypes, daily: dailyTotals(total, deltas) };
}

// How networks fill up: their used addresses now and before, and the day on which they will be full.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, seesAll } from "../../auth/auth.ts";
import {
  hiddenHosts,
  isHiddenPast,
  mayKnowNetwork,
  mayKnowPastHost,
} from "../../auth/visibility.ts";
import { dailyDeltas, dailyTotals } from "../../store/figures/daily_totals.ts";
import { DAYS, firstMoment } from "../../store/figures/days.ts";
import { SIZE } from "./network.ts";

export interface NetworkGrowth {
  vlan_name: string;
  scope: string;
  is_ipv4: boolean;
  /** The number of addresses in its range. An IPv6 network can have more than a number counts exactly. */
  size: number;
  used: number;
  /** The number of addresses that were used at the start of the measured period. */
  used_before: number;
  /** The measured period in days: shorter for a young network. */
  days: number;
}

/** The networks that are visible to the caller, by scope, with their use by visible hosts. */
export function networkGrowth(caller: Caller): Promise<NetworkGrowth[]> {
  const inRange = sql`between networks.first_ip and networks.last_ip`;
  return database.rows<NetworkGrowth>(sql`
    with changed as (
      select distinct on (row_id) row_id, before from changes
      where table_name = 'interfaces' and action <> 'insert' and at >= ${firstMoment()} order by row_id, id
    ), present as (
      select one.network_id, count(*)::int as used,
        count(*) filter (where one.created_at < ${firstMoment()} and changed.row_id is null)::int as used_before
      from interfaces one join networks on networks.id = one.network_id and one.ip ${inRange}
        left join changed on changed.row_id = one.id
      where ${visibleHost(caller, sql`one.host_id`)} group by one.network_id
    ), past as (
      select networks.id as network_id, count(*)::int as used_before
      from changed join networks on networks.id = (before ->> 'network_id')::integer
        and (before ->> 'ip')::inet ${inRange}
      where (before ->> 'created_at')::timestamptz < ${firstMoment()}
        and ${mayKnowPastHost(caller, sql`(before ->> 'host_id')::integer`)} group by networks.id
    )
    select vlan_name, scopes.name as scope, family(networks.address) = 4 as is_ipv4, ${SIZE} as size,
      coalesce(present.used, 0) as used,
      coalesce(present.used_before, 0) + coalesce(past.used_before, 0) as used_before,
      least(${DAYS}::int, extract(epoch from now() - networks.created_at)::int / 86400) as days
    from networks join scopes on scopes.id = networks.scope_id
      left join present on present.network_id = networks.id left join past on past.network_id = networks.id
    where ${mayKnowNetwork(caller)} order by lower(scopes.name), networks.address`);
}

/** The used IPv4 addresses of these networks on each of the last days. */
export async function dailyUse(caller: Caller, networks: NetworkGrowth[]): Promise<number[]> {
  const used = networks.reduce((sum, one) => (one.is_ipv4 ? sum + one.used : sum), 0);
  const deltas = await dailyDeltas({
    table: "interfaces",
    from: sql`interfaces join networks on networks.id = interfaces.network_id
      and interfaces.ip between networks.first_ip and networks.last_ip`,
    where: sql`family(networks.address) = 4 and ${visibleHost(caller, sql`interfaces.host_id`)}`,
    whereGone: sql`family((before ->> 'ip')::inet) = 4 and ${visiblePast(caller)}`,
  });
  return dailyTotals(used, deltas);
}

function visibleHost(caller: Caller, host: SQL): SQL {
  const hidden = hiddenHosts(caller);
  return hidden ? sql`${host} not in (${hidden})` : sql`true`;
}

function visiblePast(caller: Caller): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${isHiddenPast(caller, "interface", sql`row_id`)}`;
}

/** A younger network, or one that has just been filled, has no trend yet. */
const LEAST_DAYS = 14;
/** Later dates are not shown. */
const MOST_DAYS = 730;

/** The number of days until a network is full if it grows as before; undefined if it does not grow, or it is far ahead. */
export function daysUntilFull(network: NetworkGrowth): number | undefined {
  const { size, used, used_before, days } = network;
  if (used >= size) return 0;
  const growth = used - used_before;
  if (growth <= 0 || days < LEAST_DAYS) return undefined;
  const left = Math.ceil(((size - used) * days) / growth);
  return left <= MOST_DAYS ? left : undefined;
}

// The figures of the home page, cached until the next change.

import type { Caller } from "../../src/auth/auth.ts";
import { visibilityOf } from "../../src/auth/visibility.ts";
import { dailyChanges } from "../../src/history/daily_changes.ts";
import { latestChanges } from "../../src/history/feed.ts";
import type { StoredSet } from "../../src/history/sets.ts";
import { type ItemFigures, itemFigures } from "../../src/inventory/items/figures.ts";
import { type HostFigures, hostFigures } from "../../src/network/hosts/figures.ts";
import { dailyUse, type NetworkGrowth, networkGrowth } from "../../src/network/networks/growth.ts";
import { dayAfter, lastDays } from "../../src/store/figures/days.ts";
import { untilChange } from "../../src/store/figures/until_change.ts";

export interface Dashboard {
  /** The days of the daily figures, the oldest first. */
  days: string[];
  items: ItemFigures;
  hosts: HostFigures;
  networks: NetworkGrowth[];
  /** Used IPv4 addresses. */
  used: number[];
  /** Change sets. */
  changes: number[];
  latest: StoredSet[];
}

const LATEST = { filters: {}, most: 12, events: 10 };

export function dashboard(caller: Caller): Promise<Dashboard> {
  const name = `dashboard ${visibilityOf(caller)} ${dayAfter(0)}`;
  return untilChange(name, async () => {
    const networks = await networkGrowth(caller);
    const [items, hosts, used, changes, latest] = await Promise.all([
      itemFigures(),
      hostFigures(caller),
      dailyUse(caller, networks),
      dailyChanges(caller),
      latestChanges(caller, LATEST),
    ]);
    return { days: lastDays(), items, hosts, networks, used, changes, latest: latest.sets };
  });
}

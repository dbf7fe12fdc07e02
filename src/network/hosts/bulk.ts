// Bulk actions on hosts, in one write.

import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { integers } from "../../input/keys.ts";
import { type BulkArea, requireSelection } from "../../store/bulk.ts";
import { mayEditHost } from "../../store/may_edit.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { writeMany } from "../../store/write.ts";
import { changeGroups, knownGroups } from "./group_memberships.ts";
import { host } from "./host.ts";
import * as hosts from "./hosts.ts";
import { EDITORS } from "./view.ts";

export const hostBulk: BulkArea = {
  resource: host,
  change: (tx, caller, id, input) => hosts.change(tx, caller, { id, ...input }),
  lists: {
    automation_groups: {
      check: async (tx, caller, names) => {
        await knownGroups(tx, caller, names);
      },
      change: changeGroups,
    },
  },
};

export interface SelectedHost {
  id: number;
  name: string;
  mayDelete: boolean;
}

export const MOST_HOSTS_AT_ONCE = 500;

/** Hosts by key, or all that the parameters of a list select. */
export type HostSelection = { keys: number[] } | { params: URLSearchParams };

/** Parameters that change how a list is displayed, but not what it selects. */
const DISPLAY = ["page", "per_page", "cols", "selected"];

export async function selectedKeys(caller: Caller, selection: HostSelection): Promise<number[]> {
  if ("keys" in selection) return selection.keys;
  const filters = [...selection.params].filter(([name]) => !DISPLAY.includes(name));
  return records.keys(recordQuery(host, caller), new URLSearchParams(filters));
}

/** The selected hosts that are visible to the caller, by name. */
export async function selectedHosts(caller: Caller, keys: number[]): Promise<SelectedHost[]> {
  requireSelection(host, keys, MOST_HOSTS_AT_ONCE);
  const ids = integers(keys);
  return database.rows<SelectedHost>(sql`
    select id, name, ${isAdmin(caller)} or ${may(caller, EDITORS)} and created_by = ${caller.id}
        and ${mayEditHost(caller, sql`hosts.id`)} as "mayDelete"
    from hosts where id = any(${ids}) and ${mayKnowHost(caller, sql`hosts.id`)} order by name`);
}

/** Deletes all of them or none. */
export async function remove(caller: Caller, keys: number[]): Promise<void> {
  await writeMany(caller, async (tx) => {
    for (const id of keys.toSorted((one, other) => one - other))
      await hosts.removeHost(tx, caller, id);
  });
}

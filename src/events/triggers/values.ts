// The values that the template of a trigger can use. They are read when a job is launched, with the sight of the owner at
// that time: the run itself has only ids.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork, mayKnowPastHost } from "../../auth/visibility.ts";
import { matchingSets } from "../../history/feed.ts";
import type { ChangeFilters } from "../../history/filters.ts";
import { EXAMPLE_ID, type PublicId, publicId } from "../../input/change_ids.ts";
import { integers } from "../../input/keys.ts";
import { MOST_TRIGGER_CHANGES } from "../../input/limits.ts";
import { UNGROUPED } from "../../network/feeds/ansible_names.ts";
import { host } from "../../network/hosts/host.ts";
import { ALL } from "../../network/variables/variables.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";

export interface TemplateValues {
  run: { id: number };
  trigger: { name: string };
  is_test: boolean;
  /** The newest of them. */
  changes: Array<{ id: PublicId; user: string; time: string }>;
  users: string[];
  hosts: Array<{ id: number; name: string; fqdn: string }>;
  deleted_hosts: string[];
  groups: string[];
  networks: string[];
  kinds: string[];
  /** The names of the hosts as --limit of Ansible takes them. */
  limit: string;
  counts: {
    changes: number;
    hosts: number;
    deleted_hosts: number;
    groups: number;
    networks: number;
  };
}

/** For a preview and a test: names that no site has. */
export const EXAMPLE: TemplateValues = {
  run: { id: 1 },
  trigger: { name: "Example" },
  is_test: true,
  changes: [{ id: EXAMPLE_ID, user: "example", time: "2026-01-31 14:05" }],
  users: ["example"],
  hosts: [
    { id: 1, name: "example-host-1", fqdn: "example-host-1.example.org" },
    { id: 2, name: "example-host-2", fqdn: "example-host-2.example.org" },
  ],
  deleted_hosts: ["example-host-3"],
  groups: ["example_group"],
  networks: ["Example-network"],
  kinds: ["hosts", "interfaces"],
  limit: "example-host-1,example-host-2",
  counts: { changes: 1, hosts: 2, deleted_hosts: 1, groups: 1, networks: 1 },
};

/** As patterns of Ansible these names mean other hosts, so that a job would run on all of them. */
const OTHER_HOSTS = [ALL, UNGROUPED];

function limitTo(hosts: TemplateValues["hosts"]): string {
  const names = hosts.map(({ name }) => name);
  return names.filter((name) => !OTHER_HOSTS.includes(name)).join(",");
}

/** What a run has gathered. */
export type Gathered = {
  id: number;
  name: string;
  filters: ChangeFilters;
  changes: number;
  change_sets: number[];
  hosts: number[];
  groups: number[];
  networks: number[];
  kinds: string[];
};

/** Undefined if the owner sees nothing of it any more. */
export async function templateValues(
  owner: Caller,
  run: Gathered,
): Promise<TemplateValues | undefined> {
  const newest = run.change_sets.slice(-MOST_TRIGGER_CHANGES);
  const [sets, hosts, deleted_hosts, groups, networks] = await Promise.all([
    matchingSets(owner, run.filters, newest),
    hostsOf(owner, run.hosts),
    deletedHosts(owner, run.hosts),
    names(sql`select name from groups where id = any(${integers(run.groups)}) order by name`),
    names(sql`select vlan_name as name from networks
      where id = any(${integers(run.networks)}) and ${mayKnowNetwork(owner)} order by vlan_name`),
  ]);
  if (sets.length + hosts.length + deleted_hosts.length === 0) return undefined;
  const changes = sets.map(({ id, user, at }) => ({
    id: publicId(id),
    user: user ?? "system",
    time: at,
  }));
  return {
    run: { id: run.id },
    trigger: { name: run.name },
    is_test: false,
    changes,
    users: [...new Set(changes.map(({ user }) => user))],
    hosts,
    deleted_hosts,
    groups,
    networks,
    kinds: run.kinds.toSorted(),
    limit: limitTo(hosts),
    counts: {
      // Older ones are not read again, so a change that the owner does not see any more is only left out here.
      changes: run.changes - (newest.length - sets.length),
      hosts: hosts.length,
      deleted_hosts: deleted_hosts.length,
      groups: groups.length,
      networks: networks.length,
    },
  };
}

async function hostsOf(owner: Caller, ids: readonly number[]): Promise<TemplateValues["hosts"]> {
  const visible = await database.rows<{ id: number }>(sql`
    select id from hosts where id = any(${integers(ids)}) and ${mayKnowHost(owner, sql`hosts.id`)}
    order by name`);
  if (visible.length === 0) return [];
  const query = records.pick(recordQuery(host, owner), FIELDS);
  return records.byIds(
    query,
    visible.map(({ id }) => id),
  );
}

const FIELDS = ["id", "name", "fqdn"] as const;

function deletedHosts(owner: Caller, ids: readonly number[]): Promise<string[]> {
  return names(sql`
    select former_name('hosts', gone.id, 'name') as name from unnest(${integers(ids)}) gone (id)
    where not exists (select from hosts where hosts.id = gone.id) and ${mayKnowPastHost(owner, sql`gone.id`)}
    order by name`);
}

async function names(statement: ReturnType<typeof sql>): Promise<string[]> {
  const found = await database.rows<{ name: string | null }>(statement);
  return found.flatMap(({ name }) => name ?? []);
}

// What the page of a host shows beside its record: interfaces and cnames, items, and the caller's permissions.

import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { RunStatus } from "../../../db/tables/events.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { NETWORK_EDITORS } from "../../auth/rights.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { mayEditHost } from "../../store/may_edit.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Interface, networkInterface } from "../interfaces/interface.ts";
import { IS_MAIN } from "../interfaces/main_interface.ts";

export interface HostView {
  interfaces: InterfaceView[];
  items: ItemView[];
  results: TriggerResult[];
  mayChange: boolean;
  mayDelete: boolean;
}

export interface InterfaceView {
  id: number;
  version: number;
  name: string;
  is_main: boolean;
  ip: string;
  mac: string | null;
  /** Another visible host with this MAC address. */
  twin: string | null;
  description: string | null;
  network: string;
  vlan_id: number;
  address: string;
  gateway: string | null;
  domain: string;
  admin_only: boolean;
  cnames: Array<{ id: number; name: string; mayDelete: boolean }>;
  mayChange: boolean;
  mayDelete: boolean;
  /** Further fields of its record, by their names. */
  other: object;
}

export interface ItemView {
  ics_id: string;
  stack_member: number | null;
  model: string | null;
  location: string | null;
}

/** The last run of a trigger for the host. Its message is in our words: what the other side said is for admins. */
export interface TriggerResult {
  trigger: string;
  success_text: string;
  status: RunStatus;
  message: string | null;
  url: string | null;
  /** When it ended, else when it was launched, in UTC with seconds; null before. */
  at: string | null;
}

/** The roles that change hosts. */
export const EDITORS = NETWORK_EDITORS;

/**
 * The host must be visible to the caller; that is not checked here. `others` of an interface are
 * the fields that the page does not place itself.
 */
export async function viewOf(
  caller: Caller,
  host: number,
  others: ReadonlyArray<keyof Interface> = [],
): Promise<HostView> {
  const view = await readView(caller, host);
  if (others.length === 0) return view;
  const query = records.pick(recordQuery(networkInterface, caller), ["id", ...others]);
  const rows = await records.byIds(
    query,
    view.interfaces.map(({ id }) => id),
  );
  const byId = new Map(rows.map(({ id, ...other }) => [id, other]));
  const interfaces = view.interfaces.map((one) => ({ ...one, other: byId.get(one.id) ?? {} }));
  return { ...view, interfaces };
}

async function readView(caller: Caller, host: number): Promise<HostView> {
  const edits = may(caller, EDITORS);
  const admin = isAdmin(caller);
  const isDeletable = (table: string) =>
    sql`(${admin} or ${edits} and ${sql.identifier(table)}.created_by = ${caller.id})`;
  // In SQL: one record with lists in it, which PostgreSQL builds as JSON.
  const found = await database.row<{ json: string }>(sql`
    select json_build_object(
      'interfaces', (select coalesce(json_agg(one), '[]'::json) from (
        select interfaces.id, interfaces.version, interfaces.name,
          ${IS_MAIN} as is_main, host(ip) as ip, mac, interfaces.description,
          (select min(other.name) from interfaces twin join hosts other on other.id = twin.host_id
            where twin.mac = interfaces.mac and other.id <> hosts.id and ${mayKnowHost(caller, sql`other.id`)}) as twin,
          vlan_name as network, vlan_id, address, host(gateway) as gateway, domains.name as domain, admin_only,
          (select coalesce(json_agg(json_build_object('id', cnames.id, 'name', cnames.name,
            'mayDelete', ${isDeletable("cnames")} and editable.is_so) order by cnames.name), '[]'::json)
            from cnames where interface_id = interfaces.id) as cnames,
          ${edits} and editable.is_so as "mayChange",
          ${isDeletable("interfaces")} and editable.is_so as "mayDelete",
          json_build_object() as other
        from interfaces join networks on networks.id = network_id join domains on domains.id = domain_id
        where host_id = hosts.id order by interfaces.name <> hosts.name, interfaces.id) one),
      'items', (select coalesce(json_agg(one), '[]'::json) from (
        select ics_id, stack_member, models.name as model, locations.name as location
        from items left join models on models.id = model_id left join locations on locations.id = location_id
        where host_id = hosts.id order by stack_member, ics_id) one),
      'results', (select coalesce(json_agg(one), '[]'::json) from (
        select subscriptions.name as trigger, settings ->> 'success_text' as success_text, run.status, run.message, run.url,
          to_char(coalesce(run.finished_at, run.started_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as at
        from trigger_results result join trigger_runs run on run.id = result.run_id
          join subscriptions on subscriptions.id = result.subscription_id
        where result.host_id = hosts.id order by subscriptions.name) one),
      'mayChange', ${edits} and editable.is_so,
      'mayDelete', ${isDeletable("hosts")} and editable.is_so
    )::text as json
    from hosts cross join lateral (select ${mayEditHost(caller, sql`hosts.id`)} as is_so) editable
    where hosts.id = ${host}`);
  return JSON.parse(found?.json ?? "{}");
}

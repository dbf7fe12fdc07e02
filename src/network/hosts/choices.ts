// The choices in the forms of hosts and interfaces.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { notFound } from "../../input/errors.ts";
import { literal, textError } from "../../input/text.ts";

export interface HostChoices {
  device_types: string[];
  /** The first ones; others can be typed. */
  networks: NetworkChoice[];
  groups: string[];
}

/** A network that the caller may use. */
export interface NetworkChoice {
  name: string;
  address: string;
}

export const MOST_NETWORKS = 200;
const MOST_CHOICES = 100;

export async function choices(caller: Caller): Promise<HostChoices> {
  // In SQL: several lists in one statement, which PostgreSQL builds as JSON.
  const found = await database.row<{ json: string }>(sql`
    select json_build_object(
      'device_types', array(select name from device_types order by id),
      'networks', (
        select coalesce(json_agg(one), '[]'::json) from (
          select vlan_name as name, address from networks
          where ${mayUseNetwork(caller)} order by networks.address limit ${MOST_NETWORKS + 1}) one),
      'groups', array(select name from groups where type = 'static' order by lower(name) limit ${MOST_CHOICES})
    )::text as json`);
  return JSON.parse(found?.json ?? "{}");
}

interface NameChoice {
  name: string;
}

const MOST_NAMED = 20;

/** Names that contain a text, first those that begin with it. */
export function suggest(caller: Caller, kind: string, text: string): Promise<NameChoice[]> {
  const [from, name] = SOURCES.get(kind)?.(caller) ?? [];
  if (!from || !name) throw notFound();
  const part = text.trim();
  if (textError(part)) return Promise.resolve([]);
  const begins = sql`${name} ilike ${`${literal(part)}%`}`;
  return database.rows<NameChoice>(sql`
    select ${name} as name from ${from} and ${name} ilike ${`%${literal(part)}%`}
    order by ${begins} desc, lower(${name}) limit ${MOST_NAMED}`);
}

const SOURCES = new Map<string, (caller: Caller) => ReturnType<typeof sql>[]>([
  ["items", () => [sql`items where true`, sql`items.ics_id`]],
  ["groups", () => [sql`groups where type = 'static'`, sql`groups.name`]],
  ["networks", (caller) => [sql`networks where ${mayUseNetwork(caller)}`, sql`networks.vlan_name`]],
  ["filters", (caller) => [sql`networks where ${mayKnowNetwork(caller)}`, sql`networks.vlan_name`]],
]);

/** The MAC addresses registered on some items: one of them is likely that of the host. */
export async function macsOn(labels: string[]): Promise<string[]> {
  const rows = await database.rows<{ address: string }>(sql`
    select address::text as address from macs join items on items.id = macs.item_id
    where ics_id = any(${sql.param(labels)}::text[]) order by ics_id, address limit ${MOST_CHOICES}`);
  return rows.map(({ address }) => address);
}

function mayUseNetwork(caller: Caller) {
  return isAdmin(caller) ? sql`true` : sql`not admin_only and ${mayKnowNetwork(caller)}`;
}

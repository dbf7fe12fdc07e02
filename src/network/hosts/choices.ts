// The choices in the forms of hosts and interfaces.

import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { notFound } from "../../input/errors.ts";
import { literal, textError } from "../../input/text.ts";
import type { Choices } from "../../store/choices.ts";
import { startsWith } from "../../store/filters.ts";
import { mayUseNetwork } from "../../store/may_edit.ts";

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
          where ${isOffered(caller)} order by networks.address limit ${MOST_NETWORKS + 1}) one),
      'groups', array(select name from groups where type = 'static' order by lower(name) limit ${MOST_CHOICES})
    )::text as json`);
  return JSON.parse(found?.json ?? "{}");
}

export interface FilterChoices {
  device_types: string[];
  /** The first ones; others can be typed. */
  networks: string[];
}

/** The choices of the filters of a list, which need neither the groups nor the addresses of networks. */
export const filterChoices: Choices<FilterChoices> = {
  json: (caller) => sql`json_build_object(
    'device_types', array(select name from device_types order by id),
    'networks', array(${firstNames(namesOf("filters", caller))}))`,
};

interface NameChoice {
  name: string;
}

const MOST_NAMED = sql.raw("20");

/** Names that contain a text, first those that begin with it. */
export function suggest(caller: Caller, kind: string, text: string): Promise<NameChoice[]> {
  const names = namesOf(kind, caller);
  const part = text.trim();
  if (textError(part)) return Promise.resolve([]);
  if (part === "") return database.rows<NameChoice>(firstNames(names));
  const begins = startsWith({ kind: "name", column: names.name }, part);
  const contains = sql`${names.name} ilike ${`%${literal(part)}%`} and not ${begins}`;
  // An index finds the first ones; the others are read only if these are few.
  return database.rows<NameChoice>(sql`
    with first as materialized (${firstNames(names, begins)})
    select name from first union all (${firstNames(names, contains, sql`(select 20 - count(*) from first)`)})`);
}

interface NameSource {
  name: SQL;
  /** Tables and a condition. */
  from: SQL;
  /** As an index has it. */
  order: SQL;
}

function firstNames({ name, from, order }: NameSource, where = sql`true`, most = MOST_NAMED): SQL {
  return sql`select ${name} as name from ${from} and ${where} order by ${order} limit ${most}`;
}

function namesOf(kind: string, caller: Caller): NameSource {
  const found = SOURCES.get(kind)?.(caller);
  if (!found) throw notFound();
  return found;
}

const NETWORK_NAME = { name: sql`networks.vlan_name`, order: sql`lower(networks.vlan_name)` };
const SOURCES = new Map<string, (caller: Caller) => NameSource>([
  [
    "items",
    () => ({ name: sql`items.ics_id`, from: sql`items where true`, order: sql`items.ics_id` }),
  ],
  [
    "groups",
    () => ({
      name: sql`groups.name`,
      from: sql`groups where type = 'static'`,
      order: sql`lower(groups.name)`,
    }),
  ],
  ["networks", (caller) => ({ ...NETWORK_NAME, from: sql`networks where ${isOffered(caller)}` })],
  [
    "filters",
    (caller) => ({ ...NETWORK_NAME, from: sql`networks where ${mayKnowNetwork(caller)}` }),
  ],
]);

/** The MAC addresses registered on some items: one of them is likely that of the host. */
export async function macsOn(labels: string[]): Promise<string[]> {
  const rows = await database.rows<{ address: string }>(sql`
    select address::text as address from macs join items on items.id = macs.item_id
    where ics_id = any(${sql.param(labels)}::text[]) order by ics_id, address limit ${MOST_CHOICES}`);
  return rows.map(({ address }) => address);
}

function isOffered(caller: Caller) {
  return isAdmin(caller) ? sql`true` : sql`${mayUseNetwork(caller)} and ${mayKnowNetwork(caller)}`;
}

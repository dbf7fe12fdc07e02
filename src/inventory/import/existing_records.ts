// Loads the existing records that the rows of an import refer to, with few queries however many rows there are.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { all, keySubquery, textSubquery } from "../../import/statements.ts";
import { type NamedRecords, namedRecords, type StoredValues } from "../../import/stored_columns.ts";
import { mayMountOn } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import { freeTemporaries } from "../items/ics_ids.ts";
import { type LabelledSerial, withSerials } from "../items/same_serials.ts";
import { type ImportEntry, PLACES, STORED } from "./rows.ts";

interface TreeNode {
  id: number;
  ics_id: string;
  parent_id: number | null;
  location_id: number | null;
  status_id: number | null;
}

export interface ImportHost {
  id: number;
  name: string;
  /** Network devices have places in a stack. */
  isNetworkDevice: boolean;
  /** Whether the caller may change what is mounted on it. */
  editable: boolean;
}

/** An existing item. */
export interface ExistingItem extends TreeNode {
  stored: StoredValues;
  host_id: number | null;
  stack_member: number | null;
  /** The host, unless it is hidden from the caller. */
  host: ImportHost | null;
  macs: string[];
  comments: string[];
}

interface ExistingMac {
  id: number;
  address: string;
  item_id: number | null;
  ics_id: string | null;
}

export interface ExistingRecords {
  /** The items that have a row, by ICS id. */
  items: Map<string, ExistingItem>;
  /** The items of the rows and their new parents, with all ancestors, and everything inside the items. */
  around: Map<number, TreeNode>;
  /** Keys by ICS id. */
  keys: Map<string, number>;
  named: NamedRecords;
  hosts: Map<string, ImportHost>;
  /** Items by host and stack member: "12 3". */
  members: Map<string, number>;
  macs: Map<string, ExistingMac>;
  /** Items with the serial numbers of rows, by serial number. */
  serials: Map<string, LabelledSerial[]>;
  /** Free temporary ids, as many as are needed. */
  free: string[];
}

export async function loadExisting(
  read: Read,
  caller: Caller,
  entries: ImportEntry[],
): Promise<ExistingRecords> {
  const existing = await existingItems(read, caller, entries);
  const around = await surroundingItems(read, entries);
  const named = await namedRecords(read, caller, [...STORED, ...PLACES], ({ name, column }) => ({
    given: new Set(entries.flatMap(({ filled }) => givenIn(filled, name) ?? [])),
    used: new Set([...existing, ...around].flatMap((item) => keyIn(item, column) ?? [])),
  }));
  const hosts = await hostsByName(read, caller, entries);
  const members = await stackMembersOf(read, [
    ...hosts,
    ...existing.flatMap(({ host }) => (host ? [host] : [])),
  ]);
  const macs = await macsByAddress(read, entries);
  const given = entries.flatMap(({ filled }) => filled.serial_number ?? []);
  const serials = await withSerials(read, new Set(given));
  return {
    items: new Map(existing.map((one) => [one.ics_id, one])),
    around: new Map(around.map((one) => [one.id, one])),
    keys: new Map(around.map(({ ics_id, id }) => [ics_id, id])),
    named,
    hosts: new Map(hosts.map((one) => [one.name, one])),
    members: new Map(
      members.map(({ host_id, stack_member, id }) => [`${host_id} ${stack_member}`, id]),
    ),
    macs: new Map(macs.map((one) => [one.address, one])),
    serials: Map.groupBy(serials, ({ serial_number }) => serial_number),
    free: await freeTemporaries(read, entries.filter(wantsTemporary).length),
  };
}

/** The ICS ids that rows give. */
export function icsIdsOf(entries: ImportEntry[]): string[] {
  return entries.flatMap(({ label }) => (label ? [label] : []));
}

export function macsOf({ filled }: ImportEntry): string[] {
  return [...new Set((filled.macs ?? []).map(normalized))];
}

/** A row with an invalid id does not get a temporary one. */
export function wantsTemporary({ label, errors }: ImportEntry): boolean {
  return label === null && !errors.some(({ field }) => field === "ics_id");
}

/** As PostgreSQL writes it. */
function normalized(address: string): string {
  const digits = address.toLowerCase().replace(/[^0-9a-f]/g, "");
  return digits.match(/../g)?.join(":") ?? "";
}

const STORED_VALUES = sql`json_build_object(${sql.join(
  STORED.map(({ column }) => sql`${sql.raw(`'${column}'`)}, items.${sql.identifier(column)}`),
  sql`, `,
)})`;

async function existingItems(
  read: Read,
  caller: Caller,
  entries: ImportEntry[],
): Promise<ExistingItem[]> {
  if (icsIdsOf(entries).length === 0) return [];
  return all(
    read,
    // In SQL: lists and the host come as JSON in the row of the item.
    sql`
    select items.id, items.ics_id, items.parent_id, items.location_id, items.status_id,
      ${STORED_VALUES} as stored, items.host_id, items.stack_member,
      case when hosts.id is not null then ${hostFor(caller)} end as host,
      array(select address::text from macs where item_id = items.id order by address) as macs,
      array(select body from comments where item_id = items.id order by id) as comments
    from items
      left join hosts on hosts.id = items.host_id and ${mayKnowHost(caller, sql`hosts.id`)}
      left join device_types on device_types.id = hosts.device_type_id
    where items.ics_id in ${textSubquery(icsIdsOf(entries))}`,
  );
}

function hostFor(caller: Caller): SQL {
  return sql`json_build_object('id', hosts.id, 'name', hosts.name, 'isNetworkDevice', device_types.name = 'Network',
    'editable', ${mayMountOn(caller, sql`hosts.id`)})`;
}

async function surroundingItems(read: Read, entries: ImportEntry[]): Promise<TreeNode[]> {
  const parents = entries.flatMap(({ filled }) => filled.parent?.toUpperCase() ?? []);
  if (icsIdsOf(entries).length + parents.length === 0) return [];
  return all(
    read,
    // In SQL: the builder has no recursive queries.
    sql`
    with recursive here as (
      select id, parent_id from items where ics_id in ${textSubquery(icsIdsOf(entries))}
    ), above as (
      select id, parent_id from here
      union select id, parent_id from items where ics_id in ${textSubquery(new Set(parents))}
      union select items.id, items.parent_id from items join above on items.id = above.parent_id
    ), inside as (
      select id from here
      union select items.id from items join inside on items.parent_id = inside.id
    )
    select id, ics_id, parent_id, location_id, status_id from items
    where id in (select id from above union select id from inside)`,
  );
}

function givenIn(filled: ImportEntry["filled"], name: string): string | undefined {
  return (filled as Record<string, string | undefined>)[name];
}

function keyIn(item: TreeNode & Partial<ExistingItem>, column: string): number | null {
  const { location_id, status_id, stored } = item;
  const values: StoredValues = { location_id, status_id, ...stored };
  return values[column] as number | null;
}

async function hostsByName(
  read: Read,
  caller: Caller,
  entries: ImportEntry[],
): Promise<ImportHost[]> {
  const names = new Set(entries.flatMap(({ filled }) => filled.host?.toLowerCase() ?? []));
  if (names.size === 0) return [];
  return all(
    read,
    sql`
    select hosts.id, hosts.name, device_types.name = 'Network' as "isNetworkDevice",
      ${mayMountOn(caller, sql`hosts.id`)} as editable
    from hosts join device_types on device_types.id = hosts.device_type_id
    where hosts.name in ${textSubquery(names)} and ${mayKnowHost(caller, sql`hosts.id`)}`,
  );
}

interface ExistingMember {
  id: number;
  host_id: number;
  stack_member: number;
}

async function stackMembersOf(read: Read, hosts: ImportHost[]): Promise<ExistingMember[]> {
  if (hosts.length === 0) return [];
  return all(
    read,
    sql`select id, host_id, stack_member from items
      where stack_member is not null and host_id in ${keySubquery(new Set(hosts.map(({ id }) => id)))}`,
  );
}

async function macsByAddress(read: Read, entries: ImportEntry[]): Promise<ExistingMac[]> {
  const addresses = new Set(entries.flatMap(macsOf));
  if (addresses.size === 0) return [];
  return all(
    read,
    sql`
    select macs.id, macs.address, macs.item_id, items.ics_id
    from macs left join items on items.id = macs.item_id
    where macs.address in (select address::macaddr from ${textSubquery(addresses)} as rows (address))`,
  );
}

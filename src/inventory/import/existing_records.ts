// What the register knows of all that the rows of an import name: few queries, however many rows.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { mayEditHost } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";
import { ITEM_KINDS, type ItemKind, kindOf } from "../attributes/attribute.ts";
import { freeTemporaries } from "../items/ics_ids.ts";
import { type Entry, PLAIN, type Values } from "./rows.ts";

export interface Standing {
  id: number;
  ics_id: string;
  parent_id: number | null;
  location_id: number | null;
  status_id: number | null;
}

export interface Host {
  id: number;
  name: string;
  /** Network devices have places in a stack. */
  isNetworkDevice: boolean;
  /** Whether the caller may change what is mounted on it. */
  editable: boolean;
}

/** An item as it is kept. */
export interface Kept extends Standing {
  plain: Values;
  manufacturer_id: number | null;
  model_id: number | null;
  host_id: number | null;
  stack_member: number | null;
  /** The host, unless it is hidden from the caller. */
  host: Host | null;
  macs: string[];
  comments: string[];
}

interface Mac {
  id: number;
  address: string;
  item_id: number | null;
  ics_id: string | null;
}

export interface Known {
  /** Those that have a row, by the id on their label. */
  items: Map<string, Kept>;
  /** Those, what they are named to stand in, all that is above these, and all that is inside. */
  around: Map<number, Standing>;
  /** The keys of what has a label that some row names. */
  keys: Map<string, number>;
  /** Keys by what a row says: "location hall a". */
  attributes: Map<string, number>;
  /** Names by key: "location 7". */
  names: Map<string, string>;
  hosts: Map<string, Host>;
  /** Which item is in a place of a stack: "12 3". */
  members: Map<string, number>;
  macs: Map<string, Mac>;
  /** Temporary ids that are free, as many as are wanted. */
  free: string[];
}

export async function knownTo(read: Read, caller: Caller, entries: Entry[]): Promise<Known> {
  const kept = await keptItems(read, caller, entries);
  const around = await allAround(read, entries);
  const attributes = await attributesOf(read, entries, [...kept, ...around]);
  const hosts = await hostsNamed(read, caller, entries);
  const members = await membersOf(read, [
    ...hosts,
    ...kept.flatMap(({ host }) => (host ? [host] : [])),
  ]);
  const macs = await macsNamed(read, entries);
  return {
    items: new Map(kept.map((one) => [one.ics_id, one])),
    around: new Map(around.map((one) => [one.id, one])),
    keys: new Map(around.map(({ ics_id, id }) => [ics_id, id])),
    attributes: new Map(
      attributes.flatMap(({ kind, given, id }) => (given ? [[`${kind} ${given}`, id]] : [])),
    ),
    names: new Map(attributes.map(({ kind, id, name }) => [`${kind} ${id}`, name])),
    hosts: new Map(hosts.map((one) => [one.name, one])),
    members: new Map(
      members.map(({ host_id, stack_member, id }) => [`${host_id} ${stack_member}`, id]),
    ),
    macs: new Map(macs.map((one) => [one.address, one])),
    free: await freeTemporaries(read, entries.filter(wantsTemporary).length),
  };
}

/** The labels of those that have a row. */
export function labelsOf(entries: Entry[]): string[] {
  return entries.flatMap(({ label }) => (label ? [label] : []));
}

export function addressesOf({ filled }: Entry): string[] {
  return [...new Set((filled.macs ?? []).map(plain))];
}

/** An id that cannot be read is not one that is left to us. */
export function wantsTemporary({ label, faults }: Entry): boolean {
  return label === null && !faults.some(({ field }) => field === "ics_id");
}

/** As PostgreSQL writes it. */
function plain(address: string): string {
  const digits = address.toLowerCase().replace(/[^0-9a-f]/g, "");
  return digits.match(/../g)?.join(":") ?? "";
}

/** From so many rows on, reading a table once is never much dearer than looking into it for each. */
const MANY = 300;

interface Search<T> {
  rows: number;
  work: () => Promise<T>;
}

/**
 * How to search depends on how many rows there are: a plan that was made for others, or from counts that are
 * out of date, may take minutes. One by one the trigrams are the dearest way to an id, though PostgreSQL does
 * not think so; and it compiles a walk through the tree for longer than it walks.
 */
export async function searching<T>(tx: Transaction, { rows, work }: Search<T>): Promise<T> {
  const loops = rows < MANY ? "on" : "off";
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true),
      set_config('enable_bitmapscan', 'off', true), set_config('enable_nestloop', ${loops}, true)`);
  const found = await work();
  // For the triggers of what is written the plans that they have are the best.
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'auto', true), set_config('enable_bitmapscan', 'on', true),
      set_config('enable_nestloop', 'on', true)`);
  return found;
}

/** What no text has in it: src/input/text.ts refuses it. */
const SEPARATOR = "\u001f";

/** Texts to look up, told in a way that lets PostgreSQL see how many there are. */
export function texts(given: Iterable<string>): SQL {
  return sql`(select unnest(string_to_array(${[...given].join(SEPARATOR)}::text, ${SEPARATOR}::text)))`;
}

export function keys(given: Iterable<number>): SQL {
  return sql`(select unnest(string_to_array(${[...given].join()}::text, ',')::integer[]))`;
}

async function all<One>(read: Read, query: SQL): Promise<One[]> {
  const found = await read<{ json: string }>(
    sql`select row_to_json(one)::text as json from (${query}) one`,
  );
  return mapInSlices(found, ({ json }) => JSON.parse(json));
}

const PLAIN_OF_ITEMS = sql`json_build_object(${sql.join(
  PLAIN.map((name) => sql`${sql.raw(`'${name}'`)}, items.${sql.identifier(name)}`),
  sql`, `,
)})`;

async function keptItems(read: Read, caller: Caller, entries: Entry[]): Promise<Kept[]> {
  if (labelsOf(entries).length === 0) return [];
  return all(
    read,
    sql`
    select items.id, items.ics_id, items.parent_id, items.location_id, items.status_id,
      ${PLAIN_OF_ITEMS} as plain, items.manufacturer_id, items.model_id, items.host_id,
      items.stack_member, case when hosts.id is not null then ${hostFor(caller)} end as host,
      array(select address::text from macs where item_id = items.id order by address) as macs,
      array(select body from comments where item_id = items.id order by id) as comments
    from items
      left join hosts on hosts.id = items.host_id and ${mayKnowHost(caller, sql`hosts.id`)}
      left join device_types on device_types.id = hosts.device_type_id
    where items.ics_id in ${texts(labelsOf(entries))}`,
  );
}

function hostFor(caller: Caller): SQL {
  return sql`json_build_object('id', hosts.id, 'name', hosts.name, 'isNetworkDevice', device_types.name = 'Network',
    'editable', ${mayEditHost(caller, sql`hosts.id`)})`;
}

async function allAround(read: Read, entries: Entry[]): Promise<Standing[]> {
  const parents = entries.flatMap(({ filled }) => filled.parent?.toUpperCase() ?? []);
  if (labelsOf(entries).length + parents.length === 0) return [];
  return all(
    read,
    sql`
    with recursive here as (
      select id, parent_id from items where ics_id in ${texts(labelsOf(entries))}
    ), above as (
      select id, parent_id from here
      union select id, parent_id from items where ics_id in ${texts(new Set(parents))}
      union select items.id, items.parent_id from items join above on items.id = above.parent_id
    ), inside as (
      select id from here
      union select items.id from items join inside on items.parent_id = inside.id
    )
    select id, ics_id, parent_id, location_id, status_id from items
    where id in (select id from above union select id from inside)`,
  );
}

interface Attribute {
  kind: ItemKind;
  /** As a row says it; null of one that only some item has. */
  given: string | null;
  id: number;
  name: string;
}

function attributesOf(
  read: Read,
  entries: Entry[],
  items: Array<Partial<Kept>>,
): Promise<Attribute[]> {
  const each = ITEM_KINDS.map((kind) => {
    const table = sql.identifier(kindOf(kind).plural);
    const given = new Set(entries.flatMap(({ filled }) => filled[kind] ?? []));
    const used = new Set(items.flatMap((item) => item[`${kind}_id`] ?? []));
    return sql`
      select ${kind}::text as kind, given, one.id, one.name
      from (${texts(given)}) as rows (given) join ${table} one on lower(one.name) = lower(given collate names)
      union all
      select ${kind}::text, null, id, name from ${table} where id in ${keys(used)}`;
  });
  return all(read, sql.join(each, sql` union all `));
}

async function hostsNamed(read: Read, caller: Caller, entries: Entry[]): Promise<Host[]> {
  const names = new Set(entries.flatMap(({ filled }) => filled.host?.toLowerCase() ?? []));
  if (names.size === 0) return [];
  return all(
    read,
    sql`
    select hosts.id, hosts.name, device_types.name = 'Network' as "isNetworkDevice",
      ${mayEditHost(caller, sql`hosts.id`)} as editable
    from hosts join device_types on device_types.id = hosts.device_type_id
    where hosts.name in ${texts(names)} and ${mayKnowHost(caller, sql`hosts.id`)}`,
  );
}

interface Member {
  id: number;
  host_id: number;
  stack_member: number;
}

async function membersOf(read: Read, hosts: Host[]): Promise<Member[]> {
  if (hosts.length === 0) return [];
  return all(
    read,
    sql`select id, host_id, stack_member from items
      where stack_member is not null and host_id in ${keys(new Set(hosts.map(({ id }) => id)))}`,
  );
}

async function macsNamed(read: Read, entries: Entry[]): Promise<Mac[]> {
  const addresses = new Set(entries.flatMap(addressesOf));
  if (addresses.size === 0) return [];
  return all(
    read,
    sql`
    select macs.id, macs.address, macs.item_id, items.ics_id
    from macs left join items on items.id = macs.item_id
    where macs.address in (select address::macaddr from ${texts(addresses)} as rows (address))`,
  );
}

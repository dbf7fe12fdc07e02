// A hash of all records that feeds read, to find out cheaply whether anything has changed.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { version } from "../../../package.json";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";

/** The newest change, or 0. */
export const NEWEST = sql`coalesce((select max(id) from changes), 0)::float8`;

export interface FeedState {
  /** A hash of all records of feeds that are visible to the caller. */
  state: string;
  /** The newest change, if none was in progress when it was read. */
  settled: number | null;
}

/** A state as it was read from the records. */
export interface ReadFeedState extends FeedState {
  /** The newest change before. */
  newest: number;
  /** No other change was in progress then. */
  isQuiet: boolean;
}

/**
 * Reads the newest change before the records: a change that is saved in between is then read twice, not missed.
 * Another version of the program may write the same records differently.
 */
export async function stateOf(caller: Caller): Promise<ReadFeedState> {
  const before = await database.row<{ newest: number; settled: number | null }>(sql`
    select ${NEWEST} as newest, settled_change()::float8 as settled`);
  const found = await database.row<{ state: string; moves: boolean }>(sql`
    select concat_ws(' ', ${sql.join(recordsFor(caller), sql`, `)}) as state,
      exists (select from groups where query ~* '\\mnow\\M') as moves`);
  const state = `${version} ${found?.state}`;
  const settled = before?.settled ?? null;
  const read = { newest: settled ?? before?.newest ?? 0, isQuiet: settled !== null };
  if (found?.moves) return { settled: null, state: `${state} ${minute()}`, ...read };
  return { settled, state, ...read };
}

/**
 * Whether no record of feeds has changed since this state was read. A state returns when a host is added and deleted
 * again, but the change that takes it back has a newer number. The first one may have an older one if it was in progress.
 */
export async function isUnchanged(caller: Caller, { state, newest, isQuiet }: ReadFeedState) {
  const after = await database.row<{ newest: number }>(sql`select ${NEWEST} as newest`);
  if (after?.newest !== newest) return false;
  return isQuiet || (await stateOf(caller)).state === state;
}

/** The results of a query with `now` can change with time alone. */
function minute(): string {
  return new Date().toISOString().slice(0, 16);
}

/** Hashes of visible records only: changes of hidden ones must not be noticeable. */
function recordsFor(caller: Caller): SQL[] {
  return [
    ...["domains", "scopes", "device_types", "groups"].map((name) =>
      edited(sql`${sql.identifier(name)} one`),
    ),
    // Queries of groups can search these as well.
    ...["manufacturers", "models", "locations", "statuses"].map((name) =>
      edited(sql`${sql.identifier(name)} one`),
    ),
    edited(
      sql`items one where one.host_id is not null and ${mayKnowHost(caller, sql`one.host_id`)}`,
    ),
    edited(sql`items one where exists (
      select from items held where held.parent_id = one.id and held.host_id is not null
        and ${mayKnowHost(caller, sql`held.host_id`)})`),
    ...["comments", "macs"].map((name) =>
      edited(sql`${sql.identifier(name)} one join items on items.id = one.item_id
        where items.host_id is not null and ${mayKnowHost(caller, sql`items.host_id`)}`),
    ),
    edited(sql`networks one where ${mayKnowNetwork(caller, sql`one`)}`),
    edited(sql`hosts one where ${mayKnowHost(caller, sql`one.id`)}`),
    edited(sql`interfaces one where ${mayKnowHost(caller, sql`one.host_id`)}`),
    edited(sql`cnames one join interfaces on interfaces.id = one.interface_id
      where ${mayKnowHost(caller, sql`interfaces.host_id`)}`),
    linked(
      "group_id",
      "host_id",
      sql`group_hosts one where ${mayKnowHost(caller, sql`one.host_id`)}`,
    ),
    linked("parent_id", "child_id", sql`group_children one`),
  ];
}

// Hashes of integers and of times with a seed: hashing a row takes twice as long.

/** Every change or restoration of a row changes its version or its time. */
function edited(from: SQL): SQL {
  const hash = sql`timestamp_hash_extended(
    one.updated_at at time zone 'UTC', one.id::bigint << 32 | one.version)`;
  return combined(hash, from);
}

function linked(one: string, other: string, from: SQL): SQL {
  const [high, low] = [sql.raw(`one.${one}`), sql.raw(`one.${other}`)];
  return combined(sql`hashint8extended(one.id, ${high}::bigint << 32 | ${low})`, from);
}

function combined(hash: SQL, from: SQL): SQL {
  return sql`(select coalesce(bit_xor(${hash}), 0) from ${from})`;
}

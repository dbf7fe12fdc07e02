// The stream for pages: what was changed, without the values, so that a page can tell whether it shows it.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, seesAll } from "../../auth/auth.ts";
import { namesOf, type Reference, type RowState } from "../../history/differences.ts";
import type { Event } from "../../history/events.ts";
import type { StoredSet } from "../../history/sets.ts";
import { eventText } from "../../http/event_stream.ts";
import { cursorOf } from "../../input/change_ids.ts";
import { integers } from "../../input/keys.ts";
import { fileOwners } from "../../store/file_owners.ts";
import { CHANGE } from "./changes.ts";
import type { ChangeRange, StreamEvent, StreamFormat } from "./hub.ts";
import { ALL_PAGES, againText, followProgress } from "./progress.ts";

/** A record with a page of its own, to which the changed one belongs. */
interface OwningRecord {
  kind: string;
  id: number;
  name: string;
}

interface ChangedRecord extends Pick<Event, "action" | "name"> {
  kind: string;
  id: number;
  fields: string[];
  owner: OwningRecord | null;
}

/** What an event contains. */
export interface PageEvent {
  set: string;
  user: string | null;
  /** The id of the request that made the change. */
  request: string | null;
  /** A record that belongs to several others is named once with each. */
  records: ChangedRecord[];
  /** Not all records are named. */
  more: boolean;
}

/** Records of one event. */
const MOST_RECORDS = 50;
/** A page that missed more than this is told so, and reads itself again. */
const MOST_MISSED = 200;

/** The columns of parts that name the record to which they belong. */
const OWNERS: Record<string, Array<[column: string, of: string]>> = {
  interfaces: [["host_id", "hosts"]],
  cnames: [["interface_id", "interfaces"]],
  comments: [["item_id", "items"]],
  files: fileOwners.map(([table, { key }]): [string, string] => [key, table]),
  macs: [["item_id", "items"]],
  group_hosts: [
    ["group_id", "groups"],
    ["host_id", "hosts"],
  ],
  group_children: [
    ["parent_id", "groups"],
    ["child_id", "groups"],
  ],
};

export const forPages: StreamFormat = {
  name: "pages",
  mostMissed: MOST_MISSED,
  besides: followProgress,
  further: sightEvents,
  summary: (id) => eventOf(id, { user: null, request: null, records: [], more: true }),
  events: async (caller, sets) => {
    const [requests, owners] = await Promise.all([requestsOf(sets), ownersIn(caller, sets)]);
    return sets.map((set) => {
      const records = set.events.flatMap((event, at) => {
        const { table_name: kind, row_id: id, action, name, differences } = event;
        const fields = differences.map(({ field }) => field);
        const own = referencesIn(kind, set.rows[at]).flatMap((one) => owners.get(keyOf(one)) ?? []);
        const distinct = [...new Map(own.map((owner) => [keyOf(owner), owner])).values()];
        const each: Array<OwningRecord | null> = distinct.length > 0 ? distinct : [null];
        return each.map((owner) => ({ kind, id, name, action, fields, owner }));
      });
      return eventOf(set.id, {
        user: set.user,
        request: requests.get(set.id) ?? null,
        records: records.slice(0, MOST_RECORDS),
        more: records.length > MOST_RECORDS || set.events.length < set.total,
      });
    });
  },
};

/**
 * A network became sensitive, or is not sensitive any more: whoever does not see all now sees other records than before, on
 * any page. Which ones is not said.
 */
async function sightEvents(caller: Caller, { after, upTo }: ChangeRange): Promise<StreamEvent[]> {
  if (seesAll(caller)) return [];
  const found = await database.row(sql`
    select from changes
    where change_set > ${after} and change_set <= ${upTo} and table_name = 'networks' and action = 'update'
      and before -> 'sensitive' is distinct from after -> 'sensitive' limit 1`);
  return found ? [{ id: upTo, text: againText([ALL_PAGES]) }] : [];
}

function eventOf(id: number, content: Omit<PageEvent, "set">): StreamEvent {
  const event: PageEvent = { set: cursorOf(id), ...content };
  return { id, text: eventText({ id: event.set, name: CHANGE, data: JSON.stringify(event) }) };
}

async function requestsOf(sets: StoredSet[]): Promise<Map<number, string | null>> {
  const found = await database.rows<{ id: number; request_id: string | null }>(sql`
    select id::int, request_id from change_sets where id = any(${integers(sets.map(({ id }) => id))})`);
  return new Map(found.map(({ id, request_id }) => [id, request_id]));
}

type Rows = StoredSet["rows"][number];

/** The records to which a part belongs or belonged. */
function referencesIn(table: string, rows: Rows | undefined): Array<{ of: string; id: number }> {
  return (OWNERS[table] ?? []).flatMap(([column, of]) =>
    [rows?.after, rows?.before].flatMap((state: RowState | null | undefined) => {
      const id = state?.[column];
      return typeof id === "number" ? [{ of, id }] : [];
    }),
  );
}

function keyOf(one: Reference | OwningRecord): string {
  return `${"of" in one ? one.of : one.kind} ${one.id}`;
}

/** By the record that a part names. The owner of a cname is the host of its interface. */
async function ownersIn(caller: Caller, sets: StoredSet[]): Promise<Map<string, OwningRecord>> {
  const named = sets.flatMap(({ events, rows }) =>
    events.flatMap(({ table_name }, at) => referencesIn(table_name, rows[at])),
  );
  const hosts = await hostsOf(named.flatMap(({ of, id }) => (of === "interfaces" ? [id] : [])));
  const owning = named.map((one) => {
    const host = one.of === "interfaces" ? hosts.get(one.id) : undefined;
    return { one, owner: host === undefined ? one : { of: "hosts", id: host } };
  });
  const names = await namesOf(
    database.rows,
    caller,
    owning.map(({ owner }) => owner),
  );
  return new Map(
    owning.flatMap(({ one, owner: { of: kind, id } }) => {
      const known = names.get(`${kind} ${id}`);
      return known ? [[keyOf(one), { kind, id, name: known.name }] as const] : [];
    }),
  );
}

async function hostsOf(interfaces: number[]): Promise<Map<number, number>> {
  if (interfaces.length === 0) return new Map();
  const found = await database.rows<{ id: number; host_id: number }>(
    sql`select id, host_id from interfaces where id = any(${integers(interfaces)})`,
  );
  return new Map(found.map(({ id, host_id }) => [id, host_id]));
}

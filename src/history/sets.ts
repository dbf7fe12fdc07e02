// Change sets: the changes of one write that are visible to the caller.
import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { publicId, publicIdSchema } from "../input/change_ids.ts";
import { notFound } from "../input/errors.ts";
import type { Read } from "../store/read.ts";
import { EVENT, FROM, ONLY_CHANGES, visibleChange } from "./change_sql.ts";
import type { RowState } from "./differences.ts";
import {
  type Event,
  type EventRow,
  event,
  eventWithDifferences,
  type LinkedEvent,
  nullableText,
  shownEvent,
  withDifferences,
} from "./events.ts";

const action = event.properties.action;

const nullableId = [publicIdSchema, Type.Null()] as const;
const CHANGE = {
  id: publicIdSchema,
  at: event.properties.at,
  user: nullableText,
  kind: Type.Union([...action.anyOf, Type.Literal("mixed")], {
    description: "The operation on all of its records, or mixed",
  }),
  undoes: Type.Union([...nullableId], { description: "The change that this one undid" }),
  undone_by: Type.Union([...nullableId], { description: "The change that undid this one" }),
};
const total = Type.Integer({ description: "How many there are" });

/** Events of one change set on a page of its own. */
export const EVENTS_OF_ONE = 500;
/** Events of each change set in a list. */
export const EVENTS_OF_EACH = 50;

export const changeSetSchema = Type.Object({
  ...CHANGE,
  events: Type.Array(eventWithDifferences, { description: `The first ${EVENTS_OF_ONE}` }),
  total,
});
export const changeSetInListSchema = Type.Object({
  ...CHANGE,
  events: Type.Array(eventWithDifferences, {
    description: `The first ${EVENTS_OF_EACH}; GET /changes/{id} has more`,
  }),
  total,
});
export type ChangeSet = Static<typeof changeSetSchema>;

/** The number of records of a kind with the same operation. */
export interface ChangeCount {
  table_name: string;
  action: Event["action"];
  count: number;
  /** A record may have several. */
  events: number;
}

/** The numbers of change sets. */
interface Numbers {
  id: number;
  undoes: number | null;
  undone_by: number | null;
}

/** A change set with the data that undo and pages need. */
export interface StoredSet extends Omit<ChangeSet, "events" | keyof Numbers>, Numbers {
  events: LinkedEvent[];
  counts: ChangeCount[];
  /** The rows of the events. */
  rows: Array<{ before: RowState | null; after: RowState | null }>;
}

interface SetQuery {
  /** A condition for `change_sets sets`. */
  where: SQL;
  order: "newest" | "oldest";
  most: number;
  events: { most: number; from?: number };
}

type SetRow = Pick<StoredSet, "at" | "user" | keyof Numbers> & { counts: string; events: string };

/**
 * The `where` has to exclude change sets without a visible change. Events are chosen before they are named, because a set
 * may have thousands.
 */
export async function readSets(
  read: Read,
  caller: Caller,
  { where, order, most, events }: SetQuery,
): Promise<StoredSet[]> {
  const visible = visibleChange(caller);
  const by = order === "newest" ? sql`id desc` : sql`id`;
  const found = await read<SetRow>(sql`
    with chosen as materialized (
      select sets.id, sets.at, sets.user_id, sets.undoes from change_sets sets
      where ${where} order by sets.${by} limit ${most}
    )
    select chosen.id::int, shown(chosen.at) as at, users.username as user, chosen.undoes::int,
      (select undoing.id::int from change_sets undoing where undoing.undoes = chosen.id limit 1) as undone_by,
      counted.counts, listed.events
    from chosen left join users on users.id = chosen.user_id
      cross join lateral (
        select coalesce(json_agg(row_to_json(alike)), '[]')::text as counts from (
          select table_name, action, count(distinct row_id)::int, count(*)::int as events ${ONLY_CHANGES}
          where change_set = chosen.id and ${visible} group by table_name, action
        ) alike
      ) counted
      cross join lateral (
        select coalesce(json_agg(row_to_json(one)), '[]')::text as events from (
          select ${EVENT}, before, after ${FROM} where changes.id = any(array(
            select changes.id ${ONLY_CHANGES} where change_set = chosen.id and ${visible}
            order by changes.id offset ${events.from ?? 0} limit ${events.most}))
          order by changes.id
        ) one
      ) listed
    order by chosen.${by}`);
  return complete(read, caller, found);
}

async function complete(read: Read, caller: Caller, found: SetRow[]): Promise<StoredSet[]> {
  const rows = found.map(({ events }) => JSON.parse(events) as EventRow[]);
  const events = await withDifferences(read, caller, rows.flat());
  let from = 0;
  return found.map(({ counts: written, ...set }, at) => {
    const counts: ChangeCount[] = JSON.parse(written);
    const own = rows[at] ?? [];
    const to = from + own.length;
    const all = { ...set, kind: kindOf(counts), events: events.slice(from, to), counts };
    from = to;
    const total = counts.reduce((sum, one) => sum + one.events, 0);
    return { ...all, total, rows: own.map(({ before, after }) => ({ before, after })) };
  });
}

function kindOf(counts: ChangeCount[]): ChangeSet["kind"] {
  const [first, ...others] = new Set(counts.map(({ action }) => action));
  return first === undefined || others.length > 0 ? "mixed" : first;
}

/** Events of the change set from an offset on. */
interface SetOptions {
  read?: Read;
  events?: SetQuery["events"];
}

/** One change set; not found if none of its changes is visible to the caller. */
export async function storedSet(
  caller: Caller,
  id: number,
  { read = database.rows, events = { most: EVENTS_OF_ONE } }: SetOptions = {},
): Promise<StoredSet> {
  const where = sql`sets.id = ${id}`;
  const [set] = await readSets(read, caller, { where, order: "newest", most: 1, events });
  if (!set || set.total === 0) throw notFound();
  return set;
}

export async function changeSet(
  caller: Caller,
  id: number,
  options?: SetOptions,
): Promise<ChangeSet> {
  return shownSet(await storedSet(caller, id, options));
}

/** The form in which the API returns it. */
export function shownSet({ counts, rows, events, total: all, ...set }: StoredSet): ChangeSet {
  const id = publicId(set.id);
  return {
    ...set,
    id,
    undoes: set.undoes === null ? null : publicId(set.undoes),
    undone_by: set.undone_by === null ? null : publicId(set.undone_by),
    events: events.map((one) => shownEvent(one, id)),
    total: all,
  };
}

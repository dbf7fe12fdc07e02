// The list of changes as CSV: a line for each field that a change set.
import { onReplica } from "../../db/replica.ts";
import type { Caller } from "../auth/auth.ts";
import { type PublicId, publicId } from "../input/change_ids.ts";
import { BYTE_ORDER_MARK, csvLine } from "../spreadsheet/csv.ts";
import type { LinkedEvent } from "./events.ts";
import { latestChanges } from "./feed.ts";
import type { ChangeFilters } from "./filters.ts";
import { EVENTS_OF_ONE, type StoredSet, storedSet } from "./sets.ts";

/** Sets of one query. */
const BATCH = 100;
const COLUMNS = [
  "change",
  "time (UTC)",
  "user",
  "action",
  "kind",
  "id",
  "record",
  "field",
  "old",
  "new",
];

/** Read in batches while it is sent; each is checked against the current permissions of the caller. */
export async function* changesAsCsv(
  caller: Caller,
  filters: ChangeFilters,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(BYTE_ORDER_MARK + csvLine(COLUMNS));
  let before: number | undefined;
  do {
    const page = await latestChanges(caller, {
      filters,
      most: BATCH,
      ...(before !== undefined && { before }),
    });
    for (const set of page.sets) {
      const id = publicId(set.id);
      for await (const events of eventsOf(caller, set)) yield encoder.encode(linesOf(id, events));
    }
    before = page.before;
  } while (before !== undefined);
}

/** All events of a set. */
async function* eventsOf(
  caller: Caller,
  { id, events, total }: StoredSet,
): AsyncGenerator<LinkedEvent[]> {
  yield events;
  for (let from = events.length; from < total; from += EVENTS_OF_ONE) {
    const events = { from, most: EVENTS_OF_ONE };
    const rest = await onReplica(() => storedSet(caller, id, { events }));
    yield rest.events;
  }
}

function linesOf(change: PublicId, events: LinkedEvent[]): string {
  return events.flatMap((event) => linesOfOne(change, event)).join("");
}

function linesOfOne(change: PublicId, event: LinkedEvent): string[] {
  const { at, user, action, table_name, row_id, name, differences } = event;
  const own = [change, at, user, action, table_name, row_id, name];
  const fields = differences.length > 0 ? differences : [{ field: null, old: null, now: null }];
  return fields.map(({ field, old, now }) => csvLine([...own, field, old, now]));
}

// The body of a message: a change set with the records in it, as the API answers them to the owner of the webhook.
import type { Caller } from "../../auth/auth.ts";
import { currentConfig } from "../../config.ts";
import { type StoredSet, shownSet } from "../../history/sets.ts";
import { resourceOf } from "../../resources.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import type { MessageFormat } from "./webhook.ts";

/** Bytes of a body: longer ones contain only ids and names. */
export const LARGEST_MESSAGE = 20_000;

export interface Message {
  type: string;
  /** ISO 8601. */
  timestamp: string;
  data: object;
}

type RecordsByKind = Record<string, object[]>;

/** The messages of these change sets, which the owner sees, with the times of the changes. */
export async function messagesOf(
  owner: Caller,
  sets: ReadonlyArray<{ set: StoredSet; at: string }>,
): Promise<Message[]> {
  const present = await presentRecords(
    owner,
    sets.map(({ set }) => set),
  );
  return sets.map(({ set, at }) => messageOf(set, at, recordsOf(set, present)));
}

function messageOf(set: StoredSet, timestamp: string, found: RecordsByKind): Message {
  const change_set = shownSet(set);
  const type = `change.${set.kind}`;
  const isComplete = set.total === set.events.length;
  const whole = { change_set, records: found, deleted: deletedRecords(set), thin: false };
  if (isComplete && sizeOf(whole) <= LARGEST_MESSAGE) return { type, timestamp, data: whole };
  const events = change_set.events.map(({ table_name, row_id, action, name }) => ({
    table_name,
    row_id,
    action,
    name,
  }));
  const thin = { change_set: { ...change_set, events }, thin: true };
  while (events.length > 0 && sizeOf(thin) > LARGEST_MESSAGE) events.pop();
  return { type, timestamp, data: thin };
}

/** The rest of a body is far shorter than what is left of the limit. */
function sizeOf(data: object): number {
  return Buffer.byteLength(JSON.stringify(data)) + 500;
}

/** The records that were added or changed, by kind and id; those that are gone or hidden since are left out. */
async function presentRecords(
  owner: Caller,
  sets: readonly StoredSet[],
): Promise<Map<string, Map<number, object>>> {
  const events = sets.flatMap((set) => set.events);
  const byTable = Map.groupBy(events, ({ table_name }) => table_name);
  const read = await Promise.all(
    Array.from(byTable, async ([table, own]) => {
      const resource = resourceOf(table);
      const ids = [...new Set(own.map(({ row_id }) => row_id))];
      const found = resource ? await records.byIds(recordQuery(resource, owner), ids) : [];
      return [table, new Map(found.map((record) => [record.id, record]))] as const;
    }),
  );
  return new Map(read);
}

function recordsOf(set: StoredSet, present: Map<string, Map<number, object>>): RecordsByKind {
  const changed = set.events.filter(({ action }) => action !== "delete");
  return byKind(changed, ({ table_name, row_id }) => present.get(table_name)?.get(row_id));
}

/** The last state of deleted records, as their events tell it. */
function deletedRecords(set: StoredSet): RecordsByKind {
  const deleted = set.events.filter(
    ({ action, table_name }) => action === "delete" && resourceOf(table_name),
  );
  return byKind(deleted, ({ row_id, name, differences }) => ({
    id: row_id,
    name,
    ...Object.fromEntries(differences.map(({ field, old }) => [field, old])),
  }));
}

type StoredSetEvent = StoredSet["events"][number];

function byKind(
  events: readonly StoredSetEvent[],
  recordOf: (event: StoredSetEvent) => object | undefined,
): RecordsByKind {
  const found: RecordsByKind = {};
  const known = new Set<string>();
  for (const event of events) {
    const key = `${event.table_name} ${event.row_id}`;
    const record = known.has(key) ? undefined : recordOf(event);
    known.add(key);
    if (record) found[event.table_name] = [...(found[event.table_name] ?? []), record];
  }
  return found;
}

export function testMessage(webhook: string): Message {
  return { type: "test", timestamp: new Date().toISOString(), data: { webhook } };
}

interface Encoded {
  contentType: string;
  body: string;
}

export function encoded(message: Message, id: string, format: MessageFormat): Encoded {
  if (format === "standard") {
    return { contentType: "application/json", body: JSON.stringify(message) };
  }
  const { type, timestamp, data } = message;
  const envelope = {
    specversion: "1.0",
    id,
    source: `${currentConfig()?.publicUrl?.origin ?? ""}/api/v1/changes`,
    type: `cadastre.${type}`,
    time: timestamp,
    datacontenttype: "application/json",
    data,
  };
  return { contentType: "application/cloudevents+json", body: JSON.stringify(envelope) };
}

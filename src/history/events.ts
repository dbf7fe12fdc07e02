// An event is one change of one record, as the API returns it.
import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../auth/auth.ts";
import { MOMENT } from "../store/fields.ts";
import type { Read } from "../store/read.ts";
import { differences, type LinkedDifference, type RowChange } from "./differences.ts";

export const nullableText = Type.Union([Type.String(), Type.Null()]);
export const nullableKey = Type.Union([Type.Integer(), Type.Null()]);
export const event = Type.Object({
  change_set: Type.Integer(),
  at: Type.String({ description: MOMENT }),
  user: nullableText,
  table_name: Type.String(),
  row_id: Type.Integer(),
  action: Type.Union([Type.Literal("insert"), Type.Literal("update"), Type.Literal("delete")]),
  name: Type.Union([Type.String(), Type.Null()], {
    description: "The name of the record, now or when it was deleted; of a comment, its item",
  }),
});
export const eventWithDifferences = Type.Object({
  ...event.properties,
  differences: Type.Array(
    Type.Object({ field: Type.String(), old: nullableText, now: nullableText }),
  ),
});
export type Event = Static<typeof event>;
/** An event with its differences, as the API returns it. */
type EventWithDifferences = Static<typeof eventWithDifferences>;
/** The same with what pages need for links. */
export interface LinkedEvent extends Event {
  differences: LinkedDifference[];
}

/** A row of the query for events. */
export type EventRow = Event & RowChange & { total?: number };

export async function withDifferences(
  read: Read,
  caller: Caller,
  rows: EventRow[],
): Promise<LinkedEvent[]> {
  const each = await differences(read, caller, rows);
  return rows.map(({ before, after, total, ...event }, at) => ({
    ...event,
    differences: each[at] ?? [],
  }));
}

export function withoutLinks({ differences: linked, ...event }: LinkedEvent): EventWithDifferences {
  return { ...event, differences: linked.map(({ links, ...difference }) => difference) };
}

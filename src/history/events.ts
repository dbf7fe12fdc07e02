// An event is one change of one record, as the API returns it.
import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../auth/auth.ts";
import { type PublicId, publicIdSchema } from "../input/change_ids.ts";
import { MOMENT } from "../store/fields.ts";
import { type FileOwner, ownerOf } from "../store/file_owners.ts";
import type { Read } from "../store/read.ts";
import { differences, type LinkedDifference, namesOf, type RowChange } from "./differences.ts";

export const nullableText = Type.Union([Type.String(), Type.Null()]);
export const event = Type.Object({
  change_set: publicIdSchema,
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
/** An event with its differences, as the API returns it. */
type EventWithDifferences = Static<typeof eventWithDifferences>;
/** An event with the number of its change set. */
export interface Event extends Omit<Static<typeof event>, "change_set"> {
  change_set: number;
}
/** The same with what pages need for links. */
export interface LinkedEvent extends Event {
  differences: LinkedDifference[];
  /** Of a file. */
  owner?: { table: FileOwner; name: string; exists: boolean } | undefined;
}

/** A row of the query for events. */
export type EventRow = Event & RowChange & { total?: number };

export async function withDifferences(
  read: Read,
  caller: Caller,
  rows: EventRow[],
): Promise<LinkedEvent[]> {
  const owners = rows.map(({ table_name, before, after }) =>
    table_name === "files" ? ownerOf(after ?? before ?? {}) : undefined,
  );
  const references = owners.flatMap((one) => (one ? [{ of: one.table, id: one.id }] : []));
  const [each, names] = await Promise.all([
    differences(read, caller, rows),
    namesOf(read, caller, references),
  ]);
  return rows.map(({ before, after, total, ...event }, at) => {
    const { table, id } = owners[at] ?? {};
    const named = names.get(`${table} ${id}`);
    const owner = table && named && { table, ...named };
    return { ...event, differences: each[at] ?? [], owner };
  });
}

/** As the API returns it. */
export function shownEvent(
  { differences: linked, owner, ...event }: LinkedEvent,
  change_set: PublicId,
): EventWithDifferences {
  const differences = linked.map(({ links, ...difference }) => difference);
  return { ...event, change_set, differences };
}

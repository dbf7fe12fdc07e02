// The fields printed on labels of items.
import type { Caller } from "../../auth/auth.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Item, item } from "../items/item.ts";

export type Label = Pick<Item, (typeof SHOWN)[number]> & {
  /** The value of the field that is printed, too. */
  further: unknown;
};

/** More labels than this are likely a mistake. */
export const MOST_LABELS = 500;

const SHOWN = ["id", "ics_id", "serial_number", "manufacturer", "model"] as const;

/** The items that the filters select; if they are too many, only their number. `further` is printed, too. */
export async function list(
  caller: Caller,
  params: URLSearchParams,
  further = "",
): Promise<{ labels: Label[]; total: number }> {
  const query = records.pick(recordQuery(item, caller), [...SHOWN, further]);
  const keys = await records.keys(query, params);
  const found = keys.length > MOST_LABELS ? [] : await records.byIds(query, keys);
  const labels = found.map((one) => ({
    ...one,
    further: new Map(Object.entries(one)).get(further),
  }));
  return { labels, total: keys.length };
}

// What stands on the labels of items.
import type { Caller } from "../../auth/auth.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Item, item } from "../items/item.ts";

export type Label = Pick<Item, (typeof SHOWN)[number]>;

/** More than that is more paper than anybody meant. */
export const MOST = 500;

const SHOWN = ["ics_id", "serial_number", "manufacturer", "model"] as const;

/** The items that the filters of their list find, or, where they are too many, none but their number. */
export async function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<{ labels: Label[]; total: number }> {
  const query = records.pick(recordQuery(item, caller), SHOWN);
  const keys = await records.keys(query, params);
  const labels = keys.length > MOST ? [] : await records.some(query, keys);
  return { labels, total: keys.length };
}

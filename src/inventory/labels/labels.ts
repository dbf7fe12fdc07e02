// What stands on the labels of items.
import type { Caller } from "../../auth/auth.ts";
import * as records from "../../store/records.ts";
import { itemResource } from "../items/record.ts";

export interface Label {
  ics_id: string;
  serial_number: string;
  manufacturer: string | null;
  model: string | null;
}

/** More than that is more paper than anybody meant. */
export const MOST = 500;

const SHOWN = ["ics_id", "serial_number", "manufacturer", "model"];

/** The items that the filters of their list find, or, where they are too many, none but their number. */
export async function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<{ labels: Label[]; total: number }> {
  const resource = records.pick(itemResource(caller), SHOWN);
  const keys = await records.keys(resource, params);
  const labels = keys.length > MOST ? [] : await records.some<Label>(resource, keys);
  return { labels, total: keys.length };
}

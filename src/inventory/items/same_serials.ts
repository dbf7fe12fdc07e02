// Items that are probably one item entered twice: allowed, but told before and after it is saved.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";

import { invalid } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { Read } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

export interface SerialOfItem {
  serial_number: string;
  /** Its key; null if nobody entered it. */
  manufacturer_id: number | null;
}

export type LabelledSerial = SerialOfItem & { id: number; ics_id: string };

/** Manufacturers number their products independently of each other; one that nobody entered may be any. */
export function isProbablySame(one: SerialOfItem, other: SerialOfItem): boolean {
  const [mine, theirs] = [one.manufacturer_id, other.manufacturer_id];
  const mayBeOfOne = mine === theirs || mine === null || theirs === null;
  return one.serial_number === other.serial_number && mayBeOfOne;
}

export function sameSerialMessage(ics_ids: string[]): string {
  const many = ics_ids.length - 1;
  const others = many > 0 ? ` and ${many === 1 ? "another item" : `${many} other items`}` : "";
  return `${ics_ids[0]}${others} of this manufacturer ${many > 0 ? "have" : "has"} the same serial number`;
}

/** Of a spreadsheet: the label in a row may be a slip. */
export function otherSerialMessage(before: { ics_id: string; serial_number: string }): string {
  const { ics_id, serial_number } = before;
  return `${ics_id} has the serial number ${serial_number} so far: check that the label is right`;
}

/** Tells a program that the item which it wrote is probably another one too, or refuses it if the program asks for that. */
export async function checkSerial(tx: Transaction, caller: Caller, id: number): Promise<void> {
  const { unique_serial = false, onWarning } = caller.options ?? {};
  if (!unique_serial && !onWarning) return;
  // Of two that write the same serial number at the same time, the second one sees the first.
  if (unique_serial) await advisoryLock(tx, "serial numbers");
  const alike = await withSerialOf(tx.execute, id);
  const own = alike.find((one) => one.id === id);
  const same = alike.filter((one) => own && one !== own && isProbablySame(own, one));
  if (same.length === 0) return;
  const message = sameSerialMessage(same.map(({ ics_id }) => ics_id));
  if (unique_serial) throw invalid("serial_number", `${message}; change that item instead`);
  onWarning?.(message);
}

/** Of many items at once: at most two of each manufacturer. */
export async function withSerials(read: Read, serials: Set<string>): Promise<LabelledSerial[]> {
  if (serials.size === 0) return [];
  return read(sql`
    select id, ics_id, serial_number, manufacturer_id from (
      select id, ics_id, serial_number, manufacturer_id,
        row_number() over (partition by serial_number, manufacturer_id order by id) as place
      from items where serial_number = any(${sql.param([...serials])}::text[])
    ) numbered where place <= 2 order by id`);
}

function withSerialOf(read: Read, id: number): Promise<LabelledSerial[]> {
  return read(sql`
    select other.id, other.ics_id, other.serial_number, other.manufacturer_id
    from items own join items other using (serial_number)
    where own.id = ${id} order by other.id`);
}

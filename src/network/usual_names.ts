// Statuses and device types that most sites need, for the first steps of a new one.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { requireAdmin } from "../auth/auth.ts";
import { kindOf } from "../inventory/attributes/attribute.ts";
import * as attributes from "../inventory/attributes/attributes.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import * as crud from "../store/crud.ts";
import type { Read } from "../store/read.ts";
import { partOf, write } from "../store/write.ts";
import { deviceType } from "./device_types/device_type.ts";

/** Their meanings by their names. */
export const STATUSES: Readonly<Record<string, string>> = {
  "In service": "Installed and switched on",
  "In stock": "In the store, free to be taken",
  "In repair": "At the workshop or with its manufacturer",
  Spare: "Kept for the day on which one fails",
  "On loan": "Lent; a comment says to whom",
  Scrapped: "Gone for good; kept here for its history",
};

/** Those that a new database has, unless somebody has deleted them, and some that others added. */
export const DEVICE_TYPES: Readonly<Record<string, string>> = {
  Physical: "A machine of its own",
  Virtual: "A virtual machine",
  Network: "A switch, a router or a firewall",
  PLC: "A programmable logic controller",
  Storage: "A disk shelf or a file server",
  Camera: "A camera with an address",
  Printer: "A printer with an address",
};

/** The names in lower case of the statuses and device types that exist. */
export interface KnownNames {
  statuses: string[];
  device_types: string[];
}

export async function known(read: Read = database.rows): Promise<KnownNames> {
  const among = (names: Readonly<Record<string, string>>) =>
    sql.param(Object.keys(names).map((name) => name.toLowerCase()));
  const [found] = await read<KnownNames>(sql`
    select array(select lower(name) from statuses where lower(name) = any(${among(STATUSES)})) as statuses,
      array(select lower(name) from device_types where lower(name) = any(${among(DEVICE_TYPES)})) as device_types`);
  return found ?? { statuses: [], device_types: [] };
}

/** Adds those that do not exist, in one write. Returns how many. */
export function add(caller: Caller, chosen: KnownNames): Promise<number> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    await advisoryLock(tx, "usual names");
    const as = partOf(tx, caller);
    const there = await known(tx.execute);
    const missing = (kind: keyof KnownNames) =>
      chosen[kind].filter((name) => !there[kind].includes(name.toLowerCase()));
    for (const name of missing("statuses")) {
      const description = STATUSES[name] ?? null;
      await attributes.create(as, kindOf("status"), { name, description });
    }
    for (const name of missing("device_types")) await crud.create(deviceType, as, { name });
    return missing("statuses").length + missing("device_types").length;
  });
}

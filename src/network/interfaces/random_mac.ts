// Generates a MAC address for a machine without one of its own, such as a virtual machine.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

const PREFIX = "02:42:42";
const BATCH = 20;
const TRIES = 5;

/** A locally administered address that no interface and no item has. */
export async function randomMac(): Promise<string> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const drawn = Array.from({ length: BATCH }, draw);
    const free = await database.row<{ mac: string }>(sql`
      select one::text as mac from unnest(${sql.param(drawn)}::text[]::macaddr[]) one
      where not exists (select from interfaces where mac = one)
        and not exists (select from macs where address = one)
      limit 1`);
    if (free) return free.mac;
  }
  throw new Error(`No free address was found under ${PREFIX}`);
}

function draw(): string {
  const rest = crypto.getRandomValues(new Uint8Array(3));
  return [PREFIX, ...[...rest].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

// An address for a machine that has none of its own: a virtual one, a test bench.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

const PREFIX = "02:42:42";
const AT_ONCE = 20;
const TRIES = 5;

/** Locally administered, and in use nowhere: neither on an interface nor on an item. */
export async function randomMac(): Promise<string> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const drawn = Array.from({ length: AT_ONCE }, draw);
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

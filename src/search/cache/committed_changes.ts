// Up to which change everything is saved, or was given up: whatever is read from then on has all of it in it.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/opening.ts";

const OFTEN = 500;
let last: { change: number | undefined; at: number } | undefined;

onOpen(() => {
  last = undefined;
});

/** While others write it is not known anew: then it is what it was. Never known where another server writes. */
export async function savedUpTo(): Promise<number | undefined> {
  if (last && performance.now() - last.at < OFTEN) return last.change;
  const at = performance.now();
  const row = await database.row<{ change: number | null }>(sql`
    select nullif(settled_change(), 0)::float8 as change`);
  last = { change: row?.change ?? last?.change, at };
  return last.change;
}

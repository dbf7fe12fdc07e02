// The same for many hosts at once, in one write.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { mayEditHost } from "../../store/may_edit.ts";
import { writeMany } from "../../store/write.ts";
import * as hosts from "./hosts.ts";
import { EDITORS } from "./view.ts";

export interface Chosen {
  id: number;
  name: string;
  mayDelete: boolean;
}

export const MOST = 500;

/** Those of the keys that the caller may know of, by their names. */
export async function chosen(caller: Caller, keys: number[]): Promise<Chosen[]> {
  if (keys.length === 0) throw invalid("id", "Choose at least one host");
  if (keys.length > MOST) throw invalid("id", `Choose at most ${MOST} hosts at once`);
  const wanted = integers(keys);
  return database.rows<Chosen>(sql`
    select id, name, ${isAdmin(caller)} or ${may(caller, EDITORS)} and created_by = ${caller.id}
        and ${mayEditHost(caller, sql`hosts.id`)} as "mayDelete"
    from hosts where id = any(${wanted}) and ${mayKnowHost(caller, sql`hosts.id`)} order by name`);
}

/** All of them, or none. */
export async function remove(caller: Caller, keys: number[]): Promise<void> {
  await writeMany(caller, async (tx) => {
    for (const id of keys.toSorted((one, other) => one - other)) await hosts.end(tx, caller, id);
  });
}

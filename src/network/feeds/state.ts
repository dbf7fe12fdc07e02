// Whether anything has changed that a feed could tell of, without telling it.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { version } from "../../../package.json";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import type { State } from "./stored_content.ts";

/**
 * The newest change first, and what there is afterwards: what is saved between the two is then looked at twice,
 * not never. Another version of the program may tell the same records otherwise.
 */
export async function stateOf(caller: Caller): Promise<State> {
  const newest = await database.row<{ settled: number | null }>(
    sql`select settled_change()::float8 as settled`,
  );
  const told = await database.row<{ state: string; moves: boolean }>(sql`
    select concat_ws(' ', ${sql.join(recordsFor(caller), sql`, `)}) as state,
      exists (select from groups where query ~* '\\mnow\\M') as moves`);
  const state = `${version} ${told?.state}`;
  if (told?.moves) return { settled: null, state: `${state} ${minute()}` };
  return { settled: newest?.settled ?? null, state };
}

/** A group whose query speaks of now has other hosts a minute later, though nobody changed anything. */
function minute(): string {
  return new Date().toISOString().slice(0, 16);
}

/** Each without what is hidden, so that a change of that is no change to those who may not know of it. */
function recordsFor(caller: Caller): SQL[] {
  return [
    ...["domains", "scopes", "device_types", "groups"].map((name) =>
      edited(sql`${sql.identifier(name)} one`),
    ),
    // By these too a group's query may find its hosts.
    ...["manufacturers", "models", "locations", "statuses"].map((name) =>
      edited(sql`${sql.identifier(name)} one`),
    ),
    edited(
      sql`items one where one.host_id is not null and ${mayKnowHost(caller, sql`one.host_id`)}`,
    ),
    edited(sql`items one where exists (
      select from items held where held.parent_id = one.id and held.host_id is not null
        and ${mayKnowHost(caller, sql`held.host_id`)})`),
    ...["comments", "macs"].map((name) =>
      edited(sql`${sql.identifier(name)} one join items on items.id = one.item_id
        where items.host_id is not null and ${mayKnowHost(caller, sql`items.host_id`)}`),
    ),
    edited(sql`networks one where ${mayKnowNetwork(caller, sql`one`)}`),
    edited(sql`hosts one where ${mayKnowHost(caller, sql`one.id`)}`),
    edited(sql`interfaces one where ${mayKnowHost(caller, sql`one.host_id`)}`),
    edited(sql`cnames one join interfaces on interfaces.id = one.interface_id
      where ${mayKnowHost(caller, sql`interfaces.host_id`)}`),
    hashed(
      sql`row(one.id, one.group_id, one.host_id)`,
      sql`group_hosts one where ${mayKnowHost(caller, sql`one.host_id`)}`,
    ),
    hashed(sql`row(one.id, one.parent_id, one.child_id)`, sql`group_children one`),
  ];
}

/** A row that was changed, put back or restored differs in its version or its time. */
function edited(from: SQL): SQL {
  return hashed(sql`row(one.id, one.version, one.updated_at)`, from);
}

function hashed(row: SQL, from: SQL): SQL {
  return sql`(select coalesce(bit_xor(hash_record_extended(${row}, 0)), 0) from ${from})`;
}

// What happened after a change set and keeps it from being undone.
import { sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import type { State } from "../history/differences.ts";
import { invalid, taken } from "../input/errors.ts";
import type { Transaction } from "../store/write.ts";
import { idsOf, isSame, type Reversal } from "./reversals.ts";
import { PARTS, PLACE_ON_HOST, type Table } from "./tables.ts";

/** Holds every row in place, as the set left it. */
export async function refuseContradictions(
  tx: Transaction,
  caller: Caller,
  reversals: Reversal[],
): Promise<void> {
  const tables = [...new Set(reversals.map(({ table }) => table))].toSorted();
  for (const table of tables) {
    const expected = reversals.filter((one) => one.table === table && one.left);
    const found = await lockRows(tx, table, expected);
    for (const one of expected) refuseChanged(one, found.get(one.id));
  }
  for (const table of tables) await refuseParts(tx, caller, { table, reversals });
}

function refuseChanged({ table, name, left, columns }: Reversal, now: State | undefined): void {
  if (!now) throw invalid("id", `${name} has gone since`);
  const changed = columns.filter((column) => !isSame(now[column], left?.[column]));
  if (changed.length === 0) return;
  const message = `${name} has been changed since`;
  // It may be mounted on a hidden host by now.
  const isPlace = table === "items" && changed.every((column) => PLACE_ON_HOST.includes(column));
  throw isPlace ? taken("id", message, { asked: name }) : invalid("id", message);
}

async function lockRows(
  tx: Transaction,
  table: Table,
  rows: Reversal[],
): Promise<Map<number, State>> {
  const found = await tx.execute<{ id: number; state: State }>(sql`
    select id, to_jsonb(one) as state from ${sql.identifier(table)} one
    where id = any(${idsOf(rows)}) order by id for update`);
  return new Map(found.map(({ id, state }) => [id, state]));
}

interface Made {
  table: Table;
  reversals: Reversal[];
}

/** A deletion would take along what a row got later. What is hidden in a group goes with it unsaid, as ever. */
async function refuseParts(
  tx: Transaction,
  caller: Caller,
  { table, reversals }: Made,
): Promise<void> {
  const made = reversals.filter((one) => one.table === table && !one.was);
  if (made.length === 0) return;
  for (const part of PARTS[table] ?? []) {
    const own = reversals.filter(
      (one) => one.table === part.table && one.columns.includes(part.key),
    );
    const key = sql`one.${sql.identifier(part.key)}`;
    const isKnown =
      part.table === "group_hosts" ? mayKnowHost(caller, sql`one.host_id`) : sql`true`;
    const [later] = await tx.execute<{ id: number }>(sql`
      select ${key} as id from ${sql.identifier(part.table)} one
      where ${key} = any(${idsOf(made)}) and one.id <> all(${idsOf(own)}) and ${isKnown} limit 1`);
    const whose = made.find(({ id }) => id === later?.id);
    if (whose) throw invalid("id", `${whose.name} has got ${part.noun} since`);
  }
}

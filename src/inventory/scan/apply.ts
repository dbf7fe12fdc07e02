// From the scan desk into the register: all rows as one change set, so that one undo takes them back.
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { mayRunAgain, Refused, translate } from "../../../db/faults.ts";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { type Fault, invalid, Refusal, refuse } from "../../input/errors.ts";
import { inWords } from "../../store/constraints.ts";
import { assign, changeSetOf, lock, type Transaction, writeMany } from "../../store/write.ts";
import { keysOf } from "../attributes/references.ts";
import { chosen, nextTemporary } from "../items/ics_ids.ts";
import { carryDown, lockTree, type Place, placeIn, refuseCycle } from "../items/tree.ts";
import { type Found, type Fresh, faultOf, type Given, type Row, verdictOf } from "./scan_desk.ts";

export interface Applied {
  change_set: number;
  /** The keys of the rows that were left out. */
  left: string[];
}

/** Nothing, if a row is at fault, unless only the good ones are wanted. Faults are named by row. */
export async function apply(caller: Caller, rows: Row[], wanted: "all" | "good"): Promise<Applied> {
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const made = new Map<string, number>();
    const faults: Fault[] = [];
    let count = 0;
    for (const row of rows.filter((one) => verdictOf(one) !== "nothing")) {
      const message = faultOf(row) ?? (await tried(tx, () => perform(tx, caller, { row, made })));
      if (message) faults.push({ field: row.key, message });
      else count += 1;
    }
    if (faults.length > 0 && (wanted === "all" || count === 0)) throw refuse(faults);
    if (count === 0) throw invalid("scans", "There is nothing to apply yet");
    return { change_set: await changeSetOf(tx), left: faults.map(({ field }) => field) };
  });
}

/** What a change set of the caller's did to items, or undefined where it is none. */
export async function outcome(
  caller: Caller,
  change_set: number,
): Promise<{ registered: number; changed: number } | undefined> {
  const found = await database.row<{ registered: number; changed: number }>(sql`
    select count(distinct row_id) filter (where action = 'insert')::int as registered,
      (count(distinct row_id) - count(distinct row_id) filter (where action = 'insert'))::int as changed
    from changes where change_set = ${change_set} and user_id = ${caller.id} and table_name = 'items'`);
  return found && found.registered + found.changed > 0 ? found : undefined;
}

interface Doing {
  row: Row;
  /** The primary keys of what this change set registers, by the keys of their rows. */
  made: Map<string, number>;
}

/** Runs the work so that a refusal undoes no more than itself; gives the refusal's sentence. */
async function tried(tx: Transaction, work: () => Promise<void>): Promise<string | undefined> {
  await tx.execute(sql`savepoint one_row`);
  try {
    await work();
    await tx.execute(sql`release savepoint one_row`);
    return undefined;
  } catch (thrown) {
    const fault = translate(thrown);
    if (mayRunAgain(fault)) throw thrown;
    const refusal = fault instanceof Refused ? inWords(fault) : fault;
    if (!(refusal instanceof Refusal)) throw thrown;
    await tx.execute(sql`rollback to savepoint one_row`);
    return refusal.faults[0]?.message ?? refusal.message;
  }
}

async function perform(tx: Transaction, caller: Caller, { row, made }: Doing): Promise<void> {
  if (row.is === "new") made.set(row.key, await register(tx, row, made));
  if (row.is === "found") await change(tx, caller, { row, made });
}

async function register(tx: Transaction, row: Fresh, made: Doing["made"]): Promise<number> {
  const { place, keys } = await resolved(tx, row.given, made);
  const ics_id = row.ics_id ? chosen(row.ics_id) : await nextTemporary(tx);
  const [item] = await tx
    .insert(items)
    .values({ serial_number: row.serial_number ?? "", ics_id, ...place, ...keys })
    .returning({ id: items.id });
  return item?.id ?? 0;
}

async function change(
  tx: Transaction,
  caller: Caller,
  { row, made }: { row: Found; made: Doing["made"] },
): Promise<void> {
  const { id, ics_id } = row.item;
  await lock(tx, caller, { table: items, id });
  const { place, keys } = await resolved(tx, row.given, made);
  if (place.parent_id != null) await refuseCycle(tx, id, place.parent_id);
  if (row.label) await relabel(tx, { id, from: ics_id, to: chosen(row.label) });
  const values = { ...place, ...keys };
  await assign(tx, { table: items, where: eq(items.id, id) }, values);
  await carryDown(tx, id, values);
}

async function resolved(tx: Transaction, given: Given, made: Doing["made"]) {
  const { parent, ...names } = given;
  const place: Partial<Place> = parent ? await placeIn(tx, made.get(parent) ?? parent) : {};
  return { place, keys: await keysOf(tx, names) };
}

async function relabel(
  tx: Transaction,
  { id, from, to }: { id: number; from: string; to: string },
): Promise<void> {
  const relabelled = await tx.execute(
    sql`update items set ics_id = ${to} where id = ${id} and ics_id = ${from} returning id`,
  );
  if (relabelled.length === 0) throw invalid("ics_id", `The id ${from} has given way already`);
}

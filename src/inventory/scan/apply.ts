// From the scan desk into the register: all rows as one change set, so that one undo takes them back.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { mayRunAgain, QueryRejected, translate } from "../../../db/errors.ts";
import type { Caller } from "../../auth/auth.ts";
import { type Fault, invalid, Refusal, refuse } from "../../input/errors.ts";
import { inWords } from "../../store/constraints.ts";
import { changeSetOf, type Transaction, writeMany } from "../../store/write.ts";
import * as items from "../items/items.ts";
import { lockTree, placeIn } from "../items/tree.ts";
import { faultOf, type Row, verdictOf } from "./scan_desk.ts";

export interface Applied {
  change_set: number;
  /** The keys of the rows that were left out. */
  left: string[];
}

/** Nothing, if a row is at fault, unless only the good ones are wanted. Faults are named by row. */
export async function apply(caller: Caller, rows: Row[], wanted: "all" | "good"): Promise<Applied> {
  return writeMany(caller, async (tx) => {
    await lockTree(tx);
    const made = new Map<string, string>();
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
  /** The ICS ids of what this change set registers, by the keys of their rows. */
  made: Map<string, string>;
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
    const refusal = fault instanceof QueryRejected ? inWords(fault) : fault;
    if (!(refusal instanceof Refusal)) throw thrown;
    await tx.execute(sql`rollback to savepoint one_row`);
    return refusal.faults[0]?.message ?? refusal.message;
  }
}

async function perform(tx: Transaction, caller: Caller, { row, made }: Doing): Promise<void> {
  const { parent: holder, ...names } = row.given;
  const parent = holder && (made.get(holder) ?? holder);
  if (row.is === "new") {
    const { ics_id, serial_number = "" } = row;
    const place = parent ? await placeIn(tx, parent) : undefined;
    const entered = { ...names, ics_id, serial_number, parent_id: place?.parent_id };
    made.set(row.key, (await items.add(tx, caller, entered)).ics_id);
  }
  if (row.is === "found") {
    const which = String(row.item.id);
    await items.change(tx, caller, { which, ...names, parent, ics_id: row.label });
  }
}

// Taking a change set back, as a new one that names it: all of it, or nothing.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, type Group, may } from "../auth/auth.ts";
import { refuseProbing } from "../auth/probing.ts";
import { type ChangeSet, changeSet } from "../history/history.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { protectReach } from "../network/groups/reach.ts";
import { inside } from "../store/read.ts";
import { type Transaction, writeMany } from "../store/write.ts";
import { refuseContradictions } from "./contradictions.ts";
import { refuseMisfits } from "./fit.ts";
import { holdGround, takeTurns } from "./locks.ts";
import { permitAll } from "./permission.ts";
import { putBack, scatterHidden } from "./put_back.ts";
import { hiddenMembers, type Reversal, reversalsOf } from "./reversals.ts";

/** Who may undo anything at all. */
export const UNDOERS: readonly Group[] = ["inventory", "network", "admin"];

const NOTHING = "There is nothing in this change to undo";

/** Answers the new change set. Refused when anything that happened later contradicts it. */
export async function undo(caller: Caller, id: number): Promise<ChangeSet> {
  return writeMany(caller, async (tx) => {
    await refuseProbing(caller);
    const reversals = await reversalsOf(inside(tx), caller, id);
    const undoing = await claim(tx, id);
    if (reversals.length === 0) throw invalid("id", NOTHING);
    await permitAll(inside(tx), caller, { id, reversals });
    await takeTurns(tx, reversals);
    await refuseContradictions(tx, caller, reversals);
    await holdGround(tx, reversals);
    const work = () => perform(tx, caller, { id, reversals });
    const changing = { group: groupIn(reversals), field: "id", mayReturn: true };
    await (changing.group ? protectReach(tx, caller, changing, work) : work());
    return changeSet(caller, undoing, inside(tx));
  });
}

async function perform(
  tx: Transaction,
  caller: Caller,
  { id, reversals }: { id: number; reversals: Reversal[] },
): Promise<void> {
  const hidden = await hiddenMembers(inside(tx), caller, { set: id, reversals });
  await putBack(tx, [...reversals, ...hidden]);
  await refuseMisfits(tx, caller, reversals);
  await scatterHidden(tx, reversals);
}

/** A group that is concerned, or what says it of one; "" where none is. */
function groupIn(reversals: Reversal[]): string {
  const concerned = reversals.filter(
    ({ table }) => table === "groups" || table === "group_children",
  );
  return concerned[0]?.name ?? "";
}

/** Whether the caller may do what undoing it takes; not whether anything contradicts it. */
export async function mayUndo(caller: Caller, { id, undone_by }: ChangeSet): Promise<boolean> {
  if (undone_by !== null || !may(caller, UNDOERS)) return false;
  const reversals = await reversalsOf(database.rows, caller, id);
  const permitted = permitAll(database.rows, caller, { id, reversals }).then(
    () => true,
    (fault) => {
      if (fault instanceof Refusal) return false;
      throw fault;
    },
  );
  return reversals.length > 0 && permitted;
}

/** Of two who undo the same at once, the second waits here for the first, and then is refused. */
async function claim(tx: Transaction, id: number): Promise<number> {
  const [own] = await tx.execute<{ id: number }>(sql`
    update change_sets set undoes = ${id}
    where id = current_setting('app.change_set')::bigint returning id::int`);
  return own?.id ?? 0;
}

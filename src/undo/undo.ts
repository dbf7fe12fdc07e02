// Taking a change set back, as a new one that names it: all of it, or nothing.
import { sql } from "drizzle-orm";
import { FOREIGN_KEY, Refused, translate, UNIQUE } from "../../db/faults.ts";
import { type Caller, isAdmin } from "../auth.ts";
import { forbidden, invalid } from "../errors.ts";
import { type ChangeSet, changeSet } from "../history.ts";
import { inside } from "../read.ts";
import { type Transaction, write } from "../write.ts";
import { refuseContradictions, refuseCycles, refuseLeftBehind } from "./contradictions.ts";
import { awaitTemporary } from "./ics_ids.ts";
import { lockTree } from "./item_tree.ts";
import { putBack } from "./put_back.ts";
import { type Reversal, reversalsOf } from "./reversals.ts";

/** Answers the new change set. Refused when anything that happened later contradicts it. */
export async function undo(caller: Caller, id: number): Promise<ChangeSet> {
  return write(caller, async (tx) => {
    const set = await changeSet(caller, id, inside(tx));
    const undoing = await claim(tx, id);
    await lockTree(tx);
    await awaitTemporary(tx);
    const reversals = await reversalsOf(tx, caller, set);
    if (reversals.length === 0) throw invalid("id", "There is nothing in this change to undo");
    await permitAll(tx, caller, { set, reversals });
    await refuseContradictions(tx, reversals);
    await carryOut(tx, reversals);
    await refuseCycles(tx, reversals);
    await refuseLeftBehind(tx, reversals);
    return changeSet(caller, undoing, inside(tx));
  });
}

/** Of two who undo the same at once, the second waits here for the first, and then is refused. */
async function claim(tx: Transaction, id: number): Promise<number> {
  const [own] = await tx.execute<{ id: number }>(sql`
    update change_sets set undoes = ${id}
    where id = current_setting('app.change_set')::bigint returning id::int`);
  return own?.id ?? 0;
}

interface Undone {
  set: ChangeSet;
  reversals: Reversal[];
}

/** Who may do the reverse may undo; what one has made oneself, one may take back for a day. */
async function permitAll(
  tx: Transaction,
  caller: Caller,
  { set, reversals }: Undone,
): Promise<void> {
  if (isAdmin(caller)) return;
  const [fresh] = await tx.execute(sql`
    select 1 from change_sets
    where id = ${set.id} and user_id = ${caller.id} and at > now() - interval '24 hours'`);
  if (fresh) return;
  if (reversals.some(({ was, table }) => !was && table !== "comments")) {
    throw forbidden("Only admins may delete what this change made; its author may for 24 hours");
  }
  // A comment that returns is as its author left it; one that changes or goes is not.
  const words = reversals.filter(({ table, left }) => table === "comments" && left);
  if (words.some(({ left }) => left?.created_by !== caller.id)) {
    throw forbidden("Only its author and admins may change a comment");
  }
}

async function carryOut(tx: Transaction, reversals: Reversal[]): Promise<void> {
  try {
    await putBack(tx, reversals);
  } catch (fault) {
    const said = translate(fault);
    throw said instanceof Refused ? inWords(said, reversals) : said;
  }
}

function inWords(refused: Refused, reversals: Reversal[]): Error {
  const { column = "", value = "" } = refused.key ?? {};
  const isMeant = (one: Reversal) =>
    [one.was, one.left].some(
      (state) => String(state?.[column] ?? "").toLowerCase() === value.toLowerCase(),
    );
  const name = reversals.find(isMeant)?.name ?? "A record";
  if (refused.code === UNIQUE) {
    return invalid("id", `${name} cannot have its old ${wordFor(column)} back: it is taken`);
  }
  if (refused.code !== FOREIGN_KEY) return refused;
  return column === "id"
    ? invalid("id", `${name} is in use by now`)
    : invalid("id", `${name} cannot have its old ${wordFor(column)} back: it has gone`);
}

function wordFor(column: string): string {
  if (column === "ics_id") return "ICS id";
  return column === "host_id" ? "place" : column.replace(/_id$/, "").replaceAll("_", " ");
}

// Undoes a change set as a whole, by a new change set that refers to it.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { change_sets } from "../../db/tables/changes.ts";
import { groups, networks, scopes } from "../../db/tables/network.ts";
import { type Caller, isAdmin, may, type Permission } from "../auth/auth.ts";
import { refuseProbing } from "../auth/probing.ts";
import { INVENTORY_EDITORS, NETWORK_EDITORS } from "../auth/rights.ts";
import { type ChangeSet, changeSet, type StoredSet } from "../history/sets.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { LOCATION_TREE } from "../inventory/attributes/attribute.ts";
import { lockTemporaryIds } from "../inventory/items/ics_ids.ts";
import { lockTree } from "../inventory/items/tree.ts";
import { protectReach } from "../network/groups/reach.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import { judge } from "../store/rules.ts";
import { type Transaction, writeMany } from "../store/write.ts";
import { refuseConflicts, refuseLeftBehind } from "./contradictions.ts";
import { permitAll, permitted } from "./permission.ts";
import { applyReversals, removeHiddenMembers } from "./put_back.ts";
import {
  hiddenMembers,
  integerKeys,
  type Reversal,
  reversalsIn,
  reversalsOf,
  visibleHostIds,
} from "./reversals.ts";
import type { RestoredTable } from "./tables.ts";

/** The roles that may undo changes. */
export const UNDOERS: readonly Permission[] = [...INVENTORY_EDITORS, ...NETWORK_EDITORS];

const NOTHING = "There is nothing in this change to undo";

/** Returns the new change set. Refused if later changes contradict it. */
export async function undo(caller: Caller, id: number): Promise<ChangeSet> {
  return writeMany(caller, async (tx) => {
    await refuseProbing(caller);
    const reversals = await reversalsOf(tx.execute, caller, id);
    const newSet = await recordUndo(tx, id);
    if (reversals.length === 0) throw invalid("id", NOTHING);
    await permitAll(tx.execute, caller, { id, reversals });
    await serialise(tx, reversals);
    await refuseConflicts(tx, caller, reversals);
    await lockReferences(tx, reversals);
    const work = () => restoreRows(tx, caller, { id, reversals });
    const changing = { group: groupIn(reversals), field: "id", mayReturn: true };
    await (changing.group ? protectReach(tx, caller, changing, work) : work());
    return changeSet(caller, newSet, { read: tx.execute });
  });
}

async function restoreRows(
  tx: Transaction,
  caller: Caller,
  { id, reversals }: { id: number; reversals: Reversal[] },
): Promise<void> {
  const hidden = await hiddenMembers(tx.execute, caller, { set: id, reversals });
  await applyReversals(tx, [...reversals, ...hidden]);
  await refuseLeftBehind(tx, reversals);
  await judge(tx, caller, { isNamed: true });
  await removeHiddenMembers(tx, reversals);
}

/** The name of an affected group; "" if there is none. */
function groupIn(reversals: Reversal[]): string {
  const concerned = reversals.filter(
    ({ table }) => table === "groups" || table === "group_children",
  );
  return concerned[0]?.name ?? "";
}

/** Whether the caller has the permissions; contradictions are not checked. */
export async function mayUndo(caller: Caller, { id, undone_by }: StoredSet): Promise<boolean> {
  if (undone_by !== null || !may(caller, UNDOERS)) return false;
  const reversals = await reversalsOf(database.rows, caller, id);
  const permitted = permitAll(database.rows, caller, { id, reversals }).then(
    () => true,
    (error) => {
      if (error instanceof Refusal) return false;
      throw error;
    },
  );
  return reversals.length > 0 && permitted;
}

/** The ids of those sets of a list that the caller may undo. Of sets that were not read whole, only admins know. */
export async function mayUndoOf(caller: Caller, sets: StoredSet[]): Promise<Set<number>> {
  if (!may(caller, UNDOERS)) return new Set();
  const open = sets.filter(({ undone_by }) => undone_by === null);
  const [whole = [], parts = []] = [true, false].map((isWhole) =>
    open.filter(({ events, total }) => (events.length === total) === isWhole),
  );
  const each = whole.map(({ id, events, rows }) => ({
    id,
    rows: events.flatMap(({ table_name, row_id, name }, at) => {
      const states = rows[at];
      return states ? [{ table_name, row_id, name, ...states }] : [];
    }),
  }));
  const all = each.flatMap(({ rows }) => rows);
  const visibleHosts = await visibleHostIds(database.rows, caller, all);
  const changes = each
    .map(({ id, rows }) => ({ id, reversals: reversalsIn(rows, visibleHosts) }))
    .filter(({ reversals }) => reversals.length > 0);
  const some = await permitted(database.rows, caller, changes);
  return isAdmin(caller) ? some.union(new Set(parts.map(({ id }) => id))) : some;
}

/** Serialises concurrent undos of one change set: the second one waits here and is then refused. */
async function recordUndo(tx: Transaction, id: number): Promise<number> {
  const [own] = await tx
    .update(change_sets)
    .set({ undoes: id })
    .where(sql`${change_sets.id} = current_setting('app.change_set')::bigint`)
    .returning({ id: change_sets.id });
  return own?.id ?? 0;
}

// The locks of an undo.

/** Locks that do not belong to a row; taken before any row is locked. */
async function serialise(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const concerns = (...tables: RestoredTable[]) =>
    reversals.some(({ table }) => tables.includes(table));
  if (concerns("items")) {
    await lockTree(tx);
    await lockTemporaryIds(tx);
  }
  if (concerns("locations")) await advisoryLock(tx, LOCATION_TREE);
  if (concerns("groups", "group_children")) await advisoryLock(tx, "groups");
}

/** Locks the rows that restored rows refer to, in the same order as all other writes. */
async function lockReferences(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const rows = (
    table: typeof groups | typeof networks | typeof scopes,
    key: [RestoredTable, string],
  ) => {
    const [owner, column] = key;
    const ids = reversals
      .filter((one) => one.table === owner)
      .flatMap(({ before }) => before?.[column] ?? []);
    return tx
      .select({ id: table.id })
      .from(table)
      .where(sql`${table.id} = any(${integerKeys(ids)})`)
      .orderBy(table.id);
  };
  await rows(groups, ["group_hosts", "group_id"]).for("share");
  await rows(networks, ["interfaces", "network_id"]).for("no key update");
  await rows(scopes, ["networks", "scope_id"]).for("share");
}

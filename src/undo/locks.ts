// The locks of an undo.

import { sql } from "drizzle-orm";
import { groups, networks, scopes } from "../../db/tables/network.ts";
import { LOCATION_TREE } from "../inventory/attributes/attribute.ts";
import { lockTemporaryIds } from "../inventory/items/ics_ids.ts";
import { lockTree } from "../inventory/items/tree.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import type { Transaction } from "../store/write.ts";
import { integerKeys, type Reversal } from "./reversals.ts";
import type { RestoredTable } from "./tables.ts";

/** Locks that do not belong to a row; taken before any row is locked. */
export async function serialise(tx: Transaction, reversals: Reversal[]): Promise<void> {
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
export async function lockReferences(tx: Transaction, reversals: Reversal[]): Promise<void> {
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

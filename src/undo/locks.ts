// The locks of an undo.
import { sql } from "drizzle-orm";
import { lockLocationTree } from "../inventory/attributes/location_tree.ts";
import { lockTemporaryIds } from "../inventory/items/ics_ids.ts";
import { lockTree } from "../inventory/items/tree.ts";
import * as names from "../network/common/names.ts";
import { advisoryLock, type Transaction } from "../store/write.ts";
import { keys, type Reversal } from "./reversals.ts";
import type { Table } from "./tables.ts";

/** Locks that do not belong to a row; taken before any row is locked. */
export async function serialise(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const concerns = (...tables: Table[]) => reversals.some(({ table }) => tables.includes(table));
  if (concerns("items")) {
    await lockTree(tx);
    await lockTemporaryIds(tx);
  }
  if (concerns("locations")) await lockLocationTree(tx);
  if (concerns("groups", "group_children")) await advisoryLock(tx, "groups");
  await names.lockLabels(tx, labelsOf(reversals));
}

/** Locks the rows that restored rows refer to, in the same order as all other writes. */
export async function lockReferences(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const wanted = (table: Table, column: string) =>
    keys(
      reversals
        .filter((one) => one.table === table)
        .flatMap(({ before }) => before?.[column] ?? []),
    );
  await tx.execute(sql`
    select from groups where id = any(${wanted("group_hosts", "group_id")}) order by id for share`);
  await tx.execute(sql`
    select from networks where id = any(${wanted("interfaces", "network_id")}) order by id for no key update`);
  await tx.execute(sql`
    select from scopes where id = any(${wanted("networks", "scope_id")}) order by id for share`);
}

const NAMED: Table[] = ["hosts", "interfaces", "cnames"];

/** The labels of restored names; of a full name the first one. */
function labelsOf(reversals: Reversal[]): string[] {
  return reversals
    .filter(({ table, before }) => before && NAMED.includes(table))
    .map(({ before }) => String(before?.name).split(".")[0] ?? "");
}

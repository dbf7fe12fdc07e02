// What others must not do in between: each waits for the one before.
import { sql } from "drizzle-orm";
import { lockTemporaryIds } from "../inventory/items/ics_ids.ts";
import { lockTree } from "../inventory/items/tree.ts";
import * as names from "../network/common/names.ts";
import { advisoryLock, type Transaction } from "../store/write.ts";
import { keys, type Reversal } from "./reversals.ts";
import type { Table } from "./tables.ts";

/** For what no row decides; before any row is locked. */
export async function takeTurns(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const concerns = (...tables: Table[]) => reversals.some(({ table }) => tables.includes(table));
  if (concerns("items")) {
    await lockTree(tx);
    await lockTemporaryIds(tx);
  }
  if (concerns("groups", "group_children")) await advisoryLock(tx, "groups");
  await names.lockLabels(tx, labelsOf(reversals));
}

/** What returns has to fit into this, which stays as it is meanwhile. In the order of all other writes. */
export async function holdGround(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const wanted = (table: Table, column: string) =>
    keys(reversals.filter((one) => one.table === table).flatMap(({ was }) => was?.[column] ?? []));
  await tx.execute(sql`
    select from groups where id = any(${wanted("group_hosts", "group_id")}) order by id for share`);
  await tx.execute(sql`
    select from networks where id = any(${wanted("interfaces", "network_id")}) order by id for no key update`);
  await tx.execute(sql`
    select from scopes where id = any(${wanted("networks", "scope_id")}) order by id for share`);
}

const NAMED: Table[] = ["hosts", "interfaces", "cnames"];

/** Of a full name the first label. */
function labelsOf(reversals: Reversal[]): string[] {
  return reversals
    .filter(({ table, was }) => was && NAMED.includes(table))
    .map(({ was }) => String(was?.name).split(".")[0] ?? "");
}

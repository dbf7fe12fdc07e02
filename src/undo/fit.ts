// Checks that restored rows are still valid together with everything that has changed since.
import type { Caller } from "../auth/auth.ts";
import { invalid, unavailableValue } from "../input/errors.ts";
import { readIn } from "../store/read.ts";
import type { Transaction } from "../store/write.ts";
import type { FitCheck, Restored } from "./fit_check.ts";
import { CHECKS as OF_ITEMS } from "./fit_items.ts";
import { CHECKS as OF_NETWORKS } from "./fit_network.ts";
import { type Reversal, rowIds } from "./reversals.ts";

const CHECKS: FitCheck[] = [...OF_ITEMS, ...OF_NETWORKS];

export async function refuseInvalidState(
  tx: Transaction,
  caller: Caller,
  reversals: Reversal[],
): Promise<void> {
  const back = reversals.filter(({ before }) => before);
  const restored: Restored = (table, column) =>
    rowIds(back.filter((one) => one.table === table && (!column || one.columns.includes(column))));
  for (const { tables, offender, message, isName } of CHECKS) {
    if (!back.some(({ table }) => tables.includes(table))) continue;
    const [found] = await readIn(tx)<Record<string, string>>(offender(restored, caller));
    if (!found) continue;
    throw isName
      ? unavailableValue("id", message(found), { value: found.name ?? "" })
      : invalid("id", message(found));
  }
}

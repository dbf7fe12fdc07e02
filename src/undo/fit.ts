// Whether what was put back fits into what has happened since.
import type { Caller } from "../auth/auth.ts";
import { invalid, taken } from "../input/errors.ts";
import { inside } from "../store/read.ts";
import type { Transaction } from "../store/write.ts";
import type { Check, Restored } from "./fit_check.ts";
import { CHECKS as OF_ITEMS } from "./fit_items.ts";
import { CHECKS as OF_NETWORKS } from "./fit_network.ts";
import { idsOf, type Reversal } from "./reversals.ts";

const CHECKS: Check[] = [...OF_ITEMS, ...OF_NETWORKS];

export async function refuseMisfits(
  tx: Transaction,
  caller: Caller,
  reversals: Reversal[],
): Promise<void> {
  const back = reversals.filter(({ was }) => was);
  const restored: Restored = (table, column) =>
    idsOf(back.filter((one) => one.table === table && (!column || one.columns.includes(column))));
  for (const { of, offender, say, isName } of CHECKS) {
    if (!back.some(({ table }) => of.includes(table))) continue;
    const [found] = await inside(tx)<Record<string, string>>(offender(restored, caller));
    if (!found) continue;
    throw isName ? taken("id", say(found), { asked: found.name ?? "" }) : invalid("id", say(found));
  }
}

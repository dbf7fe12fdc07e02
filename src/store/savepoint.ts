// One record of many in a write: if it is refused, the others go on.
import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { mayRunAgain, QueryRejected, translate } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { Refusal } from "../input/errors.ts";
import { refusalFor } from "./constraints.ts";
import { forgetDeferred, judge } from "./rules.ts";

/** Runs the work, and judges what it has written. If it is refused, it is undone and its refusal returned. */
export async function inSavepoint(
  tx: Transaction,
  caller: Caller,
  work: () => Promise<unknown>,
): Promise<Refusal | undefined> {
  await tx.execute(sql`savepoint one_record`);
  try {
    await work();
    await judge(tx, caller);
    await tx.execute(sql`release savepoint one_record`);
    return undefined;
  } catch (thrown) {
    const error = translate(thrown);
    if (mayRunAgain(error)) throw thrown;
    const refusal = error instanceof QueryRejected ? refusalFor(error) : error;
    if (!(refusal instanceof Refusal)) throw thrown;
    await tx.execute(sql`rollback to savepoint one_record`);
    // Else it would hide one around it, which has the same name.
    await tx.execute(sql`release savepoint one_record`);
    forgetDeferred(tx);
    return refusal;
  }
}

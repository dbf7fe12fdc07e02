// Nobody takes more than his share, however much he asks for: what else he wants waits for his own.
import { gate } from "../../../db/gate.ts";
import { LONGEST_SEARCH, SHARE } from "../../../db/searching.ts";
import { visitor } from "../../http/visit.ts";
import { Refusal } from "../../input/errors.ts";
import { left } from "./deadline.ts";
import { TakesTooLong, TooMuch } from "./takes_too_long.ts";

interface Share {
  gate: ReturnType<typeof gate>;
  /** That run or wait. */
  under_way: number;
}

/** So many at a time for each user; what nobody waits for takes no share. */
export function shares(places: number) {
  const known = new Map<string, Share>();

  return async function sharing<T>(until: number, work: () => Promise<T>): Promise<T> {
    const name = visitor();
    if (name === undefined) return work();
    const patience = left(until);
    const share = known.get(name) ?? { gate: gate(places, LONGEST_SEARCH), under_way: 0 };
    known.set(name, share);
    share.under_way += 1;
    try {
      const leave = await share.gate.enter(patience).catch(() => Promise.reject(crowded()));
      const hasWaited = until - performance.now() < patience - A_WHILE;
      return await work()
        .finally(leave)
        .catch((fault) => Promise.reject(hasWaited && isLate(fault) ? crowded() : fault));
    } finally {
      share.under_way -= 1;
      if (share.under_way === 0) known.delete(name);
    }
  };
}

/** Of the connections that searches use; a search must not begin another before it has ended. */
export const searching = shares(SHARE);

/** Milliseconds. What had to wait so long is not too much by itself. */
const A_WHILE = 100;

function isLate(fault: unknown): boolean {
  return fault instanceof TakesTooLong && !(fault instanceof TooMuch);
}

function crowded(): Refusal {
  return new Refusal(503, "Too many of your searches are under way; try again shortly", {
    headers: { "retry-after": "2" },
  });
}

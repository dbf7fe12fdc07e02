// Nobody takes more than his share, however much he asks for: what else he wants waits for his own.
import { Away } from "../../db/faults.ts";
import { gate } from "../../db/gate.ts";
import { LONGEST_SEARCH } from "../../db/searching.ts";
import { Refusal } from "../errors.ts";
import { visitor } from "../visit.ts";
import { left } from "./slowly.ts";

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
    const share = known.get(name) ?? { gate: gate(places, LONGEST_SEARCH), under_way: 0 };
    known.set(name, share);
    share.under_way += 1;
    try {
      const leave = await share.gate.enter(left(until)).catch(refuse);
      return await work().finally(leave);
    } finally {
      share.under_way -= 1;
      if (share.under_way === 0) known.delete(name);
    }
  };
}

function refuse(fault: unknown): never {
  if (!(fault instanceof Away)) throw fault;
  throw new Refusal(503, "Too many of your searches are under way; try again shortly", {
    headers: { "retry-after": "2" },
  });
}

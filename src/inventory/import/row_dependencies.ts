// What rows owe to each other: nothing may be in two places, and what one row needs of another is there
// only if that other one is good.
import type { Fault } from "../../input/errors.ts";
import { MEMBER_TAKEN, onOtherItem } from "../items/item_rules.ts";
import type { Draft } from "./drafts.ts";
import type { Known } from "./existing_records.ts";

/** A row that is good only as long as another one is. */
export interface Need {
  draft: Draft;
  on: Draft;
  fault: Fault;
}

/** Refuses what is claimed twice, and gives what hangs on other rows. */
export function claimsOf(drafts: Draft[], known: Known): Need[] {
  const single = drafts.filter(({ faults }) => !faults.some(({ field }) => field === "ics_id"));
  const byId = new Map(single.map((draft) => [draft.id, draft]));
  return [
    ...claim(byId, {
      things: ({ macs }) => macs,
      holder: (address) => known.macs.get(address)?.item_id,
      taken: (address, first) =>
        first
          ? { field: "macs", message: `${address} is in row ${first.line} already` }
          : onOtherItem(address, known.macs.get(address)?.ics_id ?? ""),
    }),
    ...claim(byId, {
      things: placesInStack,
      holder: (place) => known.members.get(place),
      taken: () => MEMBER_TAKEN,
    }),
    ...standInRows(byId),
  ];
}

/** Whoever needs a refused row is refused, and so on. */
export function refuseNeedy(needs: Need[]): void {
  const needy = Map.groupBy(needs, ({ on }) => on);
  const refused = [...needy.keys()].filter(isRefused);
  for (let on = refused.pop(); on; on = refused.pop()) {
    for (const { draft, fault } of needy.get(on) ?? []) {
      if (!isRefused(draft)) refused.push(draft);
      if (!draft.faults.some(({ field }) => field === fault.field)) draft.faults.push(fault);
    }
  }
}

export function isRefused({ faults }: Draft): boolean {
  return faults.length > 0;
}

/** The one place in a stack that an item has, if it has one. */
export function placesInStack(mount: Pick<Draft, "host_id" | "stack_member">): string[] {
  const { host_id, stack_member } = mount;
  return host_id === null || stack_member === null ? [] : [`${host_id} ${stack_member}`];
}

interface Claiming {
  /** What a row wants for its item alone. */
  things: (draft: Draft) => string[];
  /** The item that has it by now. */
  holder: (thing: string) => number | null | undefined;
  taken: (thing: string, first?: Draft) => Fault;
}

/** What an item has it keeps, unless its own row gives it up; then the first to ask gets it. */
function claim(byId: Map<number, Draft>, { things, holder, taken: refusal }: Claiming): Need[] {
  const claimed = new Map<string, Draft>();
  return [...byId.values()].flatMap((draft) =>
    things(draft).flatMap((thing) => {
      const key = holder(thing) ?? draft.id;
      const on = byId.get(key);
      const isFree = key === draft.id || (on && !things(on).includes(thing));
      const first = claimed.get(thing);
      const fault = refusal(thing, first);
      if (!isFree || first) {
        draft.faults.push(fault);
        return [];
      }
      claimed.set(thing, draft);
      return on && on !== draft ? [{ draft, on, fault }] : [];
    }),
  );
}

function standInRows(byId: Map<number, Draft>): Need[] {
  return [...byId.values()].flatMap((draft) => {
    const on = draft.parent_id !== null && draft.parent_id < 0 && byId.get(draft.parent_id);
    if (!on) return [];
    const message = `'${on.label}' is to be made by row ${on.line}, which is refused`;
    return [{ draft, on, fault: { field: "parent", message } }];
  });
}

// Dependencies between rows: nothing may be claimed by two rows, and a row that depends on a refused one is refused
// as well.

import { alreadyInRow } from "../../import/verdicts.ts";
import type { FieldError } from "../../input/errors.ts";
import { MEMBER_TAKEN, macOnOtherItem } from "../items/item_rules.ts";
import type { Draft } from "./drafts.ts";
import type { ExistingRecords } from "./existing_records.ts";

/** A row that is valid only if another one is. */
interface Dependency {
  draft: Draft;
  on: Draft;
  error: FieldError;
}

/** Refuses what is claimed twice, and returns the dependencies on other rows. */
export function checkClaims(drafts: Draft[], known: ExistingRecords): Dependency[] {
  const single = drafts.filter(({ errors }) => !errors.some(({ field }) => field === "ics_id"));
  const byId = new Map(single.map((draft) => [draft.id, draft]));
  return [
    ...claim(byId, {
      values: ({ macs }) => macs,
      holder: (address) => known.macs.get(address)?.item_id,
      taken: (address, first) =>
        first
          ? alreadyInRow("macs", address, first)
          : macOnOtherItem(address, known.macs.get(address)?.ics_id ?? ""),
    }),
    ...claim(byId, {
      values: stackPlace,
      holder: (place) => known.members.get(place),
      taken: () => MEMBER_TAKEN,
    }),
    ...parentRows(byId),
  ];
}

/** Refuses the rows that depend on refused rows, transitively. */
export function refuseDependents(dependencies: Dependency[]): void {
  const dependents = Map.groupBy(dependencies, ({ on }) => on);
  const refused = [...dependents.keys()].filter(hasErrors);
  for (let on = refused.pop(); on; on = refused.pop()) {
    for (const { draft, error } of dependents.get(on) ?? []) {
      if (!hasErrors(draft)) refused.push(draft);
      if (!draft.errors.some(({ field }) => field === error.field)) draft.errors.push(error);
    }
  }
}

export function hasErrors({ errors }: Draft): boolean {
  return errors.length > 0;
}

/** The stack member of an item as a list of none or one. */
export function stackPlace(mount: Pick<Draft, "host_id" | "stack_member">): string[] {
  const { host_id, stack_member } = mount;
  return host_id === null || stack_member === null ? [] : [`${host_id} ${stack_member}`];
}

interface ClaimRule {
  /** What a row claims for its item. */
  values: (draft: Draft) => string[];
  /** The item that has it now. */
  holder: (value: string) => number | null | undefined;
  taken: (value: string, first?: Draft) => FieldError;
}

/** An item keeps what it has, unless its own row gives it up; then the first row to claim it gets it. */
function claim(
  byId: Map<number, Draft>,
  { values, holder, taken: refusal }: ClaimRule,
): Dependency[] {
  const claimed = new Map<string, Draft>();
  return [...byId.values()].flatMap((draft) =>
    values(draft).flatMap((value) => {
      const key = holder(value) ?? draft.id;
      const on = byId.get(key);
      const isFree = key === draft.id || (on && !values(on).includes(value));
      const first = claimed.get(value);
      const error = refusal(value, first);
      if (!isFree || first) {
        draft.errors.push(error);
        return [];
      }
      claimed.set(value, draft);
      return on && on !== draft ? [{ draft, on, error }] : [];
    }),
  );
}

function parentRows(byId: Map<number, Draft>): Dependency[] {
  return [...byId.values()].flatMap((draft) => {
    const on = draft.parent_id !== null && draft.parent_id < 0 && byId.get(draft.parent_id);
    if (!on) return [];
    const message = `'${on.label}' is created by line ${on.line}, which is refused`;
    return [{ draft, on, error: { field: "parent", message } }];
  });
}

// Mappings of the groups of a provider to our groups and to rights in one place, for admins to change.
import type { Static } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { group_mappings, right_mappings } from "../../../db/tables/user.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { MOST_MAPPINGS } from "../../input/limits.ts";
import type { Transaction } from "../../store/write.ts";
import { PLACE_NAME, placeColumns, type RightInPlace, rightInWords } from "../rights/place.ts";
import type { Mapping, placedMapping, RightMapping } from "./provider.ts";
import { change, requireOwnSettings } from "./providers.ts";
import { mappingsOf, rightMappingsOf } from "./stored_mappings.ts";

export type NewMapping = Static<typeof placedMapping>;

export async function list(
  caller: Caller,
  provider: number,
): Promise<{ groups: Mapping[]; rights: RightMapping[] }> {
  requireAdmin(caller);
  return { groups: await mappingsOf(provider), rights: await rightMappingsOf(provider) };
}

export async function add(caller: Caller, key: string, input: NewMapping): Promise<void> {
  await change(caller, key, async (tx, before) => {
    const { id, name } = before;
    requireOwnSettings(before, "outer_group");
    const [count] = await tx.execute<{ number: number }>(sql`
      select (select count(*) from group_mappings where provider_id = ${id})::int
        + (select count(*) from right_mappings where provider_id = ${id})::int as number`);
    if ((count?.number ?? 0) >= MOST_MAPPINGS) {
      throw invalid("outer_group", `Use at most ${MOST_MAPPINGS} mappings for a provider`);
    }
    const isAdded = await insert(tx, id, input);
    if (!isAdded) throw invalid("outer_group", "This mapping exists already");
    const { outer_group, is_pattern = false } = input;
    const details = { outer_group, is_pattern, ...leadsTo(input) };
    await audit.addBy(tx, caller, { event: "mapping.added", target: name, details });
  });
}

/** Part of a larger write; false if it exists already. */
export async function insert(
  tx: Transaction,
  provider_id: number,
  input: NewMapping,
): Promise<boolean> {
  const { outer_group, is_pattern = false, inner_group } = input;
  const right = rightOfMapping(input);
  const common = { provider_id, outer_group, is_pattern };
  if (right) {
    const added = await tx
      .insert(right_mappings)
      .values({ ...common, kind: right.kind, ...(await placeColumns(tx, right)) })
      .onConflictDoNothing()
      .returning({ id: right_mappings.id });
    return added.length > 0;
  }
  if (inner_group === "sensitive") return false;
  const added = await tx
    .insert(group_mappings)
    .values({ ...common, inner_group })
    .onConflictDoNothing()
    .returning({ id: group_mappings.id });
  return added.length > 0;
}

/** The right that a mapping with a place leads to. */
export function rightOfMapping({ inner_group, place }: NewMapping): RightInPlace | undefined {
  if (place == null) {
    if (inner_group === "sensitive") throw invalid("place", "Name the sensitive network");
    return undefined;
  }
  if (inner_group === "admin" || inner_group === "auditor") {
    throw invalid("place", `The group ${inner_group} holds everywhere: leave the place empty`);
  }
  return { kind: inner_group, place };
}

function leadsTo(input: NewMapping): { inner_group: string } | { right: string } {
  const right = rightOfMapping(input);
  return right ? { right: rightInWords(right) } : { inner_group: input.inner_group };
}

/** By its id, of a mapping to a right with isRight. */
export async function remove(
  caller: Caller,
  key: string,
  mapping: { id: number; isRight: boolean },
): Promise<void> {
  await change(caller, key, async (tx, before) => {
    requireOwnSettings(before, "outer_group");
    const details = await (mapping.isRight ? removeRight : removeGroup)(tx, before.id, mapping.id);
    if (!details) throw notFound();
    await audit.addBy(tx, caller, { event: "mapping.removed", target: before.name, details });
  });
}

async function removeGroup(tx: Transaction, provider: number, mapping: number) {
  const [removed] = await tx
    .delete(group_mappings)
    .where(sql`id = ${mapping} and provider_id = ${provider}`)
    .returning();
  if (!removed) return undefined;
  const { outer_group, is_pattern, inner_group } = removed;
  return { outer_group, is_pattern, inner_group };
}

async function removeRight(tx: Transaction, provider: number, mapping: number) {
  type Removed = RightInPlace & { outer_group: string; is_pattern: boolean };
  const [removed] = await tx.execute<Removed>(sql`
    delete from right_mappings where id = ${mapping} and provider_id = ${provider}
    returning outer_group, is_pattern, kind, ${PLACE_NAME} as place`);
  if (!removed) return undefined;
  const { outer_group, is_pattern, ...right } = removed;
  return { outer_group, is_pattern, right: rightInWords(right) };
}

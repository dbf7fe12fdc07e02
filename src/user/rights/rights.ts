// Rights by scope of users: given by an admin, or by the mappings of a provider at each login.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { user_rights } from "../../../db/tables/user.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, forgetCallers, requireAdmin } from "../../auth/auth.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { MOST_RIGHTS } from "../../input/limits.ts";
import { closed } from "../../input/shape.ts";
import { register } from "../../store/registry.ts";
import { type Transaction, write } from "../../store/write.ts";
import {
  PLACE_NAME,
  placeColumns,
  placeName,
  type RightInPlace,
  rightInWords,
  rightKind,
} from "./place.ts";

// A place that is deleted is then refused as in use by 2 rights.
register({ noun: "right of a user", plural: "rights of users", name: "user_rights" });
register({ noun: "mapping of a right", plural: "mappings of rights", name: "right_mappings" });

export const newRight = closed({ right: rightKind, place: placeName });

export const heldRight = Type.Object({
  id: Type.Integer(),
  right: rightKind,
  place: Type.String(),
});

export interface HeldRight extends RightInPlace {
  id: number;
  provider_id: number | null;
  /** The admin who gave it. */
  given_by: string | null;
  given_at: string;
}

export function rightsOf(user: number): Promise<HeldRight[]> {
  return database.rows<HeldRight>(sql`
    select id, kind, ${PLACE_NAME} as place, provider_id, shown(given_at) as given_at,
      (select username from users where users.id = given_by) as given_by
    from user_rights where user_id = ${user} order by kind, place, id`);
}

/** Gives a right to a user. */
export async function give(
  caller: Caller,
  user: number,
  { right: kind, place }: Static<typeof newRight>,
): Promise<{ id: number; right: RightInPlace["kind"]; place: string }> {
  return changeRights(caller, user, async (tx, target) => {
    const [count] = await tx.execute<{ number: number }>(
      sql`select count(*)::int as number from user_rights where user_id = ${user}`,
    );
    if ((count?.number ?? 0) >= MOST_RIGHTS) {
      throw invalid("place", `Use at most ${MOST_RIGHTS} rights for a user`);
    }
    const [added] = await tx
      .insert(user_rights)
      .values({
        ...{ user_id: user, kind, given_by: caller.id },
        ...(await placeColumns(tx, { kind, place })),
      })
      .onConflictDoNothing()
      .returning({ id: user_rights.id, place: sql<string>`${PLACE_NAME}` });
    if (!added) throw invalid("place", `${target} has this right already`);
    await log(tx, caller, "right.given", { target, right: { kind, place: added.place } });
    return { id: added.id, right: kind, place: added.place };
  });
}

/** Takes a right that an admin gave. */
export function take(caller: Caller, user: number, id: number): Promise<void> {
  return changeRights(caller, user, async (tx, target) => {
    const [found] = await tx.execute<RightInPlace & { provider: string | null }>(sql`
      select kind, ${PLACE_NAME} as place,
        (select name from identity_providers where identity_providers.id = provider_id) as provider
      from user_rights where id = ${id} and user_id = ${user} for update`);
    if (!found) throw notFound();
    if (found.provider !== null) {
      throw invalid("id", `This right comes from ${found.provider}: change its mappings`);
    }
    await tx.execute(sql`delete from user_rights where id = ${id}`);
    await log(tx, caller, "right.taken", { target, right: found });
  });
}

function changeRights<T>(
  caller: Caller,
  user: number,
  work: (tx: Transaction, username: string) => Promise<T>,
): Promise<T> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const [found] = await tx.execute<{ username: string }>(sql`
      select username from users where id = ${user} and deactivated_at is null for no key update`);
    if (!found) throw notFound();
    return work(tx, found.username);
  }).finally(forgetCallers);
}

interface LoggedRight {
  target: string;
  right: RightInPlace;
}

function log(
  tx: Transaction,
  caller: Caller,
  event: audit.AuditEvent,
  { target, right }: LoggedRight,
): Promise<void> {
  const details = { right: rightInWords(right) };
  return audit.addWithin(tx, { event, ...audit.auditCaller(caller), target, details });
}

/** A right that a mapping of a provider leads to. */
export interface ProvidedRight extends RightInPlace {
  scope_id: number | null;
  location_id: number | null;
  network_id: number | null;
}

/** Replaces the rights that a user has by a provider. Returns the rights before and now if they differ. */
export async function replaceProvided(
  tx: Transaction,
  { user, provider }: { user: number; provider: number },
  rights: readonly ProvidedRight[],
): Promise<{ before: string; now: string } | undefined> {
  const held = await tx.execute<RightInPlace>(sql`
    select kind, ${PLACE_NAME} as place from user_rights
    where user_id = ${user} and provider_id = ${provider}`);
  const [before, now] = [wordsOf(held), wordsOf(rights)];
  if (before === now) return undefined;
  await tx.execute(
    sql`delete from user_rights where user_id = ${user} and provider_id = ${provider}`,
  );
  for (const { kind, scope_id, location_id, network_id } of rights) {
    await tx
      .insert(user_rights)
      .values({ user_id: user, provider_id: provider, kind, scope_id, location_id, network_id })
      .onConflictDoNothing();
  }
  return { before, now };
}

function wordsOf(rights: readonly RightInPlace[]): string {
  return [...new Set(rights.map(rightInWords))].toSorted().join(", ");
}

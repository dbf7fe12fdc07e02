// What webhooks and triggers have in common: both are subscriptions, which act with the sight of their owner.
import type { TProperties } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { FILTERS, feedQuery } from "../history/filters.ts";
import { refuse, unknownName } from "../input/errors.ts";
import { isArray } from "../input/query.ts";
import { textError } from "../input/text.ts";
import type { Transaction } from "../store/write.ts";

/** Characters of a time. */
const LONGEST_MOMENT = 40;

/** The parameters of the list of changes as fields, with so many values of one filter. */
export function filterFields(mostValues: number): TProperties {
  const own = Object.entries(feedQuery.properties).filter(([name]) => FILTERS.includes(name));
  return Object.fromEntries(
    own.map(([name, schema]) => [
      name,
      isArray(schema)
        ? { ...schema, maxItems: mostValues }
        : { maxLength: LONGEST_MOMENT, ...schema },
    ]),
  );
}

/** The id of the active user with this name; `noun` is what a refusal calls them. */
export async function ownerNamed(tx: Transaction, username: string, noun: string): Promise<number> {
  const [found] = textError(username)
    ? []
    : await tx.execute<{ id: number }>(sql`
        select id from users where lower(username) = lower(${username}::text collate names) and deactivated_at is null
        for key share`);
  if (!found) throw refuse([unknownName("owner", username, noun)]);
  return found.id;
}

/** With its deliveries, which refer to it without a constraint. */
export async function removeSubscription(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`delete from subscriptions where id = ${id}`);
  await tx.execute(sql`delete from deliveries where subscription_id = ${id}`);
}

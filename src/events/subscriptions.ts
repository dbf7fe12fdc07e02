// What webhooks and triggers have in common: both are subscriptions, which act with the sight of their owner.
import { type TSchema, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { type ChangeFilters, changesQuery, conditionsOf, FILTERS } from "../history/filters.ts";
import { invalid, Refusal, refuse, unknownName } from "../input/errors.ts";
import { MOST_FILTER_VALUES } from "../input/limits.ts";
import { isArray } from "../input/query.ts";
import { textError } from "../input/text.ts";
import type { Transaction } from "../store/write.ts";

/** Characters of a time. */
const LONGEST_MOMENT = 40;

/** The parameters of the list of changes as an object. */
export const filterShape = Type.Object(
  Object.fromEntries(
    Object.entries(changesQuery.properties)
      .filter(([name]) => FILTERS.includes(name))
      .map(([name, schema]): [string, TSchema] => [
        name,
        isArray(schema)
          ? { ...schema, maxItems: MOST_FILTER_VALUES }
          : { maxLength: LONGEST_MOMENT, ...schema },
      ]),
  ),
  {
    additionalProperties: false,
    title: "Filters",
    description: 'Use the filters of the list of changes, such as {"kind": ["hosts"]}',
  },
);

/** Filters that can never be used are refused now, and not when something happens. */
export async function requireFilters(filters: ChangeFilters): Promise<void> {
  try {
    await conditionsOf(filters);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw refuse(
      error.errors.map(({ field, message }) => ({ field: `filters.${field}`, message })),
    );
  }
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

interface SubscriptionKind {
  kind: "webhook" | "trigger";
  most: number;
  /** Refuses the name of another one. */
  taken: string;
}

/** Refuses a name that another one of this kind has and, for a new one, too many of them. */
export async function requireFreeName(
  tx: Transaction,
  { kind, most, taken }: SubscriptionKind,
  { name, id }: { name: string; id?: number },
): Promise<void> {
  const [found] = await tx.execute<{ number: number; is_taken: boolean }>(sql`
    select count(*)::int as number,
      coalesce(bool_or(lower(name) = lower(${name}::text collate names) and id <> ${id ?? 0}), false) as is_taken
    from subscriptions where kind = ${kind}`);
  if (found?.is_taken) throw invalid("name", taken);
  if (id === undefined && (found?.number ?? 0) >= most) {
    throw invalid("name", `Use at most ${most} ${kind}s`);
  }
}

/** With its deliveries, which refer to it without a constraint. */
export async function removeSubscription(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`delete from subscriptions where id = ${id}`);
  await tx.execute(sql`delete from deliveries where subscription_id = ${id}`);
}

// Names in a request, as the keys that they stand for.
import { type SQL, sql } from "drizzle-orm";
import { type Fault, refuse } from "../../input/errors.ts";
import type { Transaction } from "../../store/write.ts";
import { kindOf } from "./attribute.ts";

export const REFERRED = ["manufacturer", "model", "location", "status"] as const;
export type Referred = (typeof REFERRED)[number];

export type Names = Partial<Record<Referred, string | null>>;
export type Keys = Partial<Record<`${Referred}_id`, number | null>>;

/** All in one query; a name that stands for nothing is refused, a null clears. */
export async function keysOf(tx: Transaction, names: Names): Promise<Keys> {
  const given = REFERRED.filter((kind) => names[kind] !== undefined);
  if (given.length === 0) return {};
  const [found] = await tx.execute<Record<string, number | null>>(
    sql`select ${sql.join(
      given.map((kind) => keyOf(kind, names[kind] ?? null)),
      sql`, `,
    )}`,
  );
  const faults = given.flatMap((kind): Fault[] => {
    const name = names[kind];
    if (name == null || found?.[kind] != null) return [];
    return [{ field: kind, message: `'${name}' is not a valid ${kind}` }];
  });
  if (faults.length > 0) throw refuse(faults);
  return Object.fromEntries(given.map((kind) => [`${kind}_id`, found?.[kind] ?? null]));
}

function keyOf(kind: Referred, name: string | null): SQL {
  return sql`
    (select id from ${sql.identifier(kindOf(kind).plural)} where lower(name) = lower(${name}::text collate names))
    as ${sql.identifier(kind)}`;
}

// The favorite attributes of a user, across the five kinds.
import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { FOREIGN_KEY, QueryRejected } from "../../../db/errors.ts";
import { favorites } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { notFound } from "../../input/errors.ts";
import { write } from "../../store/write.ts";
import { type Attribute, type AttributeKind, kinds } from "./attribute.ts";

export type Favorite = Attribute & { kind: AttributeKind["name"] };

/** One query for all kinds, ordered by kind and name. */
export function list(caller: Caller): Promise<Favorite[]> {
  const each = kinds.map((of, place) => {
    const table = sql.identifier(of.plural);
    return sql`
      select ${place}::int as place, ${of.name}::text as kind, one.id, one.name, one.description, one.qrcode
      from ${favorites} join ${table} one on one.id = ${columnOf(of)} where ${favorites.user_id} = ${caller.id}`;
  });
  return database.rows<Favorite>(sql`
    select kind, id, name, description, qrcode
    from (${sql.join(each, sql` union all `)}) mine order by place, lower(name), id`);
}

/** Adds or removes a favorite; toggles it if `wanted` is undefined. Returns whether it is a favorite now. */
export async function set(
  caller: Caller,
  which: { of: AttributeKind; id: number },
  wanted?: boolean,
): Promise<boolean> {
  const { of, id } = which;
  const user_id = caller.id ?? 0;
  const own = and(eq(favorites.user_id, user_id), sql`${columnOf(of)} = ${id}`);
  try {
    return await write(caller, async (tx) => {
      const removed =
        wanted === true
          ? []
          : await tx.delete(favorites).where(own).returning({ id: favorites.id });
      const isWanted = wanted ?? removed.length === 0;
      if (isWanted) {
        const favorite = { user_id, [`${of.name}_id`]: id };
        await tx.insert(favorites).values(favorite).onConflictDoNothing();
      }
      return isWanted;
    });
  } catch (error) {
    if (error instanceof QueryRejected && error.code === FOREIGN_KEY) throw notFound();
    throw error;
  }
}

function columnOf(of: AttributeKind): SQL {
  return sql`${favorites[`${of.name}_id`]}`;
}

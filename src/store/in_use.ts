// Refuses to delete a record that is in use, and says by what. The foreign keys decide, not a query beforehand.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, type QueryRejected } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid, type Refusal } from "../input/errors.ts";
import { referringTo, registered } from "./registry.ts";

/** The refusal of a deletion; undefined if the statement was rejected for another reason. */
export async function inUse(caller: Caller, rejected: QueryRejected): Promise<Refusal | undefined> {
  const { code, constraint, key } = rejected;
  // The other violation, a reference to a record that does not exist, is reported with the referring column.
  if (code !== FOREIGN_KEY || !constraint || key.id === undefined) return undefined;
  const table = await referredTable(constraint, rejected.table ?? "");
  const noun = registered(table)?.noun ?? "record";
  const uses = await usesOf(caller, table, Number(key.id));
  const by = uses.length > 0 ? ` by ${uses.join(" and ")}` : "";
  return invalid("id", `This ${noun} is in use${by}`);
}

async function referredTable(constraint: string, referring: string): Promise<string> {
  const found = await database.row<{ name: string }>(sql`
    select confrelid::regclass::text as name from pg_constraint
    where conname = ${constraint} and conrelid = to_regclass(${referring}::text)`);
  return found?.name ?? "";
}

/** The records that refer to this one and are visible to the caller, such as 2 hosts. */
async function usesOf(caller: Caller, table: string, id: number): Promise<string[]> {
  const uses = referringTo(table);
  if (uses.length === 0) return [];
  const counts = uses.map(({ by, columns }) => {
    const own = sql.identifier(by.name);
    const refers = columns.map((column) => sql`${own}.${sql.identifier(column)} = ${id}`);
    return sql`(select count(*)::int from ${own}
      where (${sql.join(refers, sql` or `)}) and ${by.visible?.(caller) ?? sql`true`})`;
  });
  const found = await database.row<{ counts: number[] }>(
    sql`select array[${sql.join(counts, sql`, `)}] as counts`,
  );
  return uses.flatMap(({ by }, at) => {
    const count = found?.counts[at] ?? 0;
    return count > 0 ? [`${count} ${count === 1 ? by.noun : by.plural}`] : [];
  });
}

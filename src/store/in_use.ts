// Refuses to delete a record that is in use, and says by what. The foreign keys decide, not a query beforehand.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, type QueryRejected } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid, type Refusal } from "../input/errors.ts";
import { registered } from "./registry.ts";

/** The refusal of a deletion; undefined if the statement was rejected for another reason. */
export async function inUse(caller: Caller, rejected: QueryRejected): Promise<Refusal | undefined> {
  const { code, constraint, table = "", key } = rejected;
  // The other violation, a reference to a record that does not exist, is reported with the referring column.
  if (code !== FOREIGN_KEY || !constraint || key.id === undefined) return undefined;
  const references = await referencesBeside({ constraint, table });
  const noun = registered(references[0]?.to ?? "")?.noun ?? "record";
  const uses = await usesOf(caller, references, Number(key.id));
  const by = uses.length > 0 ? ` by ${uses.join(" and ")}` : "";
  return invalid("id", `This ${noun} is in use${by}`, "in_use");
}

interface IncomingReference {
  /** The table of the record. */
  to: string;
  /** The table and the column that refer to it. */
  from: string;
  column: string;
}

/** The references to the same table that prevent a deletion: the others go or are emptied with the record. */
function referencesBeside(broken: {
  constraint: string;
  table: string;
}): Promise<IncomingReference[]> {
  // In SQL: it reads the catalog of PostgreSQL.
  return database.rows<IncomingReference>(sql`
    select referred.relname as to, referring.relname as from, attname as column
    from pg_constraint broken
      join pg_class referred on referred.oid = broken.confrelid
      join pg_constraint one on one.confrelid = broken.confrelid
      join pg_class referring on referring.oid = one.conrelid
      join pg_attribute on attrelid = one.conrelid and attnum = one.conkey[1]
    where broken.conname = ${broken.constraint} and broken.conrelid = to_regclass(${broken.table}::text)
      and one.contype = 'f' and one.confdeltype in ('a', 'r')`);
}

/** The visible records of resources that refer to the record, such as 2 hosts. */
async function usesOf(
  caller: Caller,
  references: IncomingReference[],
  id: number,
): Promise<string[]> {
  const uses = Object.entries(Object.groupBy(references, ({ from }) => from))
    .flatMap(([table, columns = []]) => {
      const by = registered(table);
      return by ? [{ by, columns }] : [];
    })
    .toSorted((one, other) => (one.by.noun < other.by.noun ? -1 : 1));
  if (uses.length === 0) return [];
  const counts = uses.map(({ by, columns }) => {
    const own = sql.identifier(by.name);
    const refers = columns.map(({ column }) => sql`${own}.${sql.identifier(column)} = ${id}`);
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

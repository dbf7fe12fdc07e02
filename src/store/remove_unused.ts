// Refuses to delete a record that is in use, and says by what.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, QueryRejected } from "../../db/errors.ts";
import { invalid } from "../input/errors.ts";

interface RemovalOptions {
  /** The noun of the record: scope. */
  called: string;
  /** What may use it: a noun, and the rows to count. */
  uses: Array<{ noun: string; plural?: string; from: SQL }>;
}

/** The foreign keys decide, not a query beforehand. Only callers who see all users of a record may delete it. */
export async function removeUnused(what: RemovalOptions, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof QueryRejected && error.code === FOREIGN_KEY) throw await inUse(what);
    throw error;
  }
}

async function inUse({ called, uses }: RemovalOptions): Promise<Error> {
  if (uses.length === 0) return invalid("id", `This ${called} is in use`);
  const counts = uses.map(({ from }) => sql`(select count(*)::int from ${from})`);
  const found = await database.row<{ counts: number[] }>(
    sql`select array[${sql.join(counts, sql`, `)}] as counts`,
  );
  const said = uses
    .map(({ noun, plural = `${noun}s` }, at) => ({ noun, plural, count: found?.counts[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ noun, plural, count }) => `${count} ${count === 1 ? noun : plural}`);
  if (said.length === 0) return invalid("id", `This ${called} is in use`);
  return invalid("id", `This ${called} is in use by ${said.join(" and ")}`);
}

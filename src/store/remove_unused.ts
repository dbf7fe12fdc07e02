// What is in use stays, and its refusal says by how many.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { FOREIGN_KEY, QueryRejected } from "../../db/errors.ts";
import { invalid } from "../input/errors.ts";

interface Used {
  /** What is removed, in a word: scope. */
  called: string;
  /** By what it may be in use: a noun, and where those are. */
  uses: Array<{ noun: string; plural?: string; from: SQL }>;
}

/** The references decide, not a look beforehand; only whoever may see them all removes. */
export async function removeUnused(what: Used, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (fault instanceof QueryRejected && fault.code === FOREIGN_KEY) throw await inUse(what);
    throw fault;
  }
}

async function inUse({ called, uses }: Used): Promise<Error> {
  if (uses.length === 0) return invalid("id", `This ${called} is in use`);
  const counts = uses.map(({ from }) => sql`(select count(*)::int from ${from})`);
  const found = await database.row<{ counts: number[] }>(
    sql`select array[${sql.join(counts, sql`, `)}] as counts`,
  );
  const said = uses
    .map(({ noun, plural = `${noun}s` }, at) => ({ noun, plural, count: found?.counts[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ noun, plural, count }) => `${count} ${count === 1 ? noun : plural}`);
  return invalid("id", `This ${called} is in use by ${said.join(" and ")}`);
}

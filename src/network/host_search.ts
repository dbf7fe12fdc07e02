// By what hosts are found: the `q` of their list and of the search, and the query by which a group chooses its hosts.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { HOST_ALIASES } from "../search/aliases.ts";
import type { Searched } from "../search/document.ts";
import { matchingIn, matchingKept } from "../search/matching.ts";
import { corrected } from "../search/suggest.ts";
import { mayKnowHost } from "../visibility.ts";
import { hostDocument } from "./host_document.ts";

const document: Searched = { ...hostDocument, aliases: HOST_ALIASES };
const MOST = 3;

/** True of each row of `hosts` that this query finds; `field` is to blame where it cannot be read. */
export function matching(text: string, field?: string): Promise<SQL> {
  return matchingIn(document, text, field);
}

/** Of the query of a group, as it was kept. */
export function chosenBy(query: string): Promise<SQL> {
  return matchingKept(document, query);
}

/** "Did you mean": the query with a word put right, as long as that finds something that the caller may see. */
export async function suggestions(caller: Caller, text: string): Promise<string[]> {
  const queries = await corrected(text, document);
  if (queries.length === 0) return [];
  const conditions = await Promise.all(queries.map(chosenBy));
  const finds = conditions.map(
    (one) => sql`exists (select from hosts where ${one} and ${mayKnowHost(caller, sql`hosts.id`)})`,
  );
  const found = await database.row<{ finds: boolean[] }>(
    sql`select array[${sql.join(finds, sql`, `)}] as finds`,
  );
  return queries.filter((_, at) => found?.finds[at]).slice(0, MOST);
}

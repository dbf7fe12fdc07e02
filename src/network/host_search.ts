// By what hosts are found: the `q` of their list, and the query by which a group chooses its hosts.
import { type SQL, sql } from "drizzle-orm";
import { invalid } from "../errors.ts";
import { flaw, literal } from "../text.ts";

/** True of each row of `hosts` that this text finds; `field` is to blame where it cannot be read. */
export function matching(text: string, field = "q"): SQL {
  const message = flaw(text);
  if (message) throw invalid(field, message);
  const pattern = `%${literal(text)}%`;
  return sql`(hosts.name ilike ${pattern} or hosts.description ilike ${pattern})`;
}

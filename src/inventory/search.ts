// What the one box finds of the inventory: attributes by their names, the closest first.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { flaw, literal } from "../text.ts";
import { type KindName, kinds } from "./attributes.ts";

export interface Hit {
  kind: KindName;
  id: number;
  name: string;
  description: string | null;
}

const MOST = 20;

export async function search(_caller: Caller, text: string): Promise<Hit[]> {
  if (text === "" || flaw(text)) return [];
  const pattern = `%${literal(text)}%`;
  const each = kinds.map(
    (of) => sql`
      (select ${of.name}::text as kind, id, name, description from ${sql.identifier(of.plural)}
      where name ilike ${pattern} order by similarity(name, ${text}) desc, name limit ${MOST})`,
  );
  return database.rows<Hit>(sql`
    select kind, id, name, description from (${sql.join(each, sql` union all `)}) hits
    order by lower(name) = lower(${text}) desc, similarity(name, ${text}) desc, name, kind limit ${MOST}`);
}

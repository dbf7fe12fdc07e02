// The choices in the forms of scopes and networks. Scopes and domains are never hidden.

import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { domains } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { literal, textError } from "../../input/text.ts";
import { unknownRecord } from "../../store/unknown_name.ts";

export interface ScopeChoices {
  scopes: string[];
  domains: string[];
}

/** The length of the lists; other names can be typed. */
export const MOST_NAMES = 200;

/** The first names of each; one more than MOST_NAMES if there are more. */
export async function choices(): Promise<ScopeChoices> {
  const found = await database.row<{ json: string }>(sql`
    select json_build_object(
      'scopes', array(select name from scopes order by lower(name) limit ${MOST_NAMES + 1}),
      'domains', array(select name from domains order by name limit ${MOST_NAMES + 1}))::text as json`);
  return JSON.parse(found?.json ?? '{"scopes":[],"domains":[]}');
}

export async function domainNamed(caller: Caller, name: string): Promise<number> {
  const found = await database.row(
    database.build
      .select({ id: domains.id })
      .from(domains)
      .where(eq(domains.name, name.toLowerCase())),
  );
  if (found) return found.id;
  const wrong = { field: "domain", name, table: "domains" };
  throw refuse([await unknownRecord({ execute: database.rows }, caller, wrong)]);
}

const KINDS = ["scopes", "domains"];
const MOST_SUGGESTED = 20;

/** Names that contain a text, first those that begin with it. */
export function namesLike(kind: string, text: string): Promise<Array<{ name: string }>> {
  if (!KINDS.includes(kind)) throw notFound();
  const part = literal(textError(text) ? "" : text.trim());
  return database.rows<{ name: string }>(sql`
    select name from ${sql.identifier(kind)} where name ilike ${`%${part}%`}
    order by name ilike ${`${part}%`} desc, lower(name) limit ${MOST_SUGGESTED}`);
}

// How a field of the site is used: how many records have it, which values no longer fit, and whether its index is ready. Only
// records that the caller sees count.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { registered } from "../store/registry.ts";
import { type Definition, definitionsFor, SITE_TABLES } from "../store/site/definitions.ts";
import { choiceIn } from "../store/site/types.ts";
import { indexOf } from "./indexes.ts";

/** Values that are shown. */
const MOST_VALUES = 20;

export interface SiteFieldUsage {
  definition: Definition;
  records: number;
  /** Values that are none of the choices any more. */
  misfits: Array<{ value: string; records: number }>;
  index: "ready" | "being made";
}

export async function usageOf(caller: Caller, name: string): Promise<SiteFieldUsage | undefined> {
  const definition = Object.values(SITE_TABLES)
    .flatMap((table) => definitionsFor(caller, table))
    .find((one) => `${one.record}.${one.key}` === name);
  if (!definition) return undefined;
  const { record, key, choices } = definition;
  const table = SITE_TABLES[record];
  const from = sql`${sql.raw(table)}
    where site ? ${key} and ${registered(table)?.visible?.(caller) ?? sql`true`}`;
  const counted = await database.row<{ records: number }>(
    sql`select count(*)::int as records from ${from}`,
  );
  const values: SQL = sql`
    select value, count(*)::int as records from (select site -> ${key} as stored from ${from}) used
      cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(stored) when 'array' then stored else jsonb_build_array(stored) end) value
    where not value = any(${sql.param(choices.map((one) => choiceIn(one).value))}::text[])
    group by value order by records desc, value limit ${MOST_VALUES}`;
  const misfits =
    choices.length > 0 ? await database.rows<{ value: string; records: number }>(values) : [];
  return { definition, records: counted?.records ?? 0, misfits, index: await stateOf(definition) };
}

async function stateOf(definition: Definition): Promise<SiteFieldUsage["index"]> {
  const { name } = indexOf(definition);
  const ready = await database.row(sql`
    select from pg_class join pg_index on indexrelid = pg_class.oid where relname = ${name} and indisvalid`);
  return ready ? "ready" : "being made";
}

// The indexes of the fields that a site has defined: one for each, made when the field is saved, while everybody goes on
// working. One that was interrupted is made again.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { keepDoing, type Loop } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import * as servers from "../../db/servers.ts";
import { BULK_LIMITS } from "../../db/session_settings.ts";
import {
  type Definition,
  knowDefinitions,
  knownDefinitions,
  SITE_TABLES,
} from "../store/site/definitions.ts";
import { typeOf } from "../store/site/types.ts";

/** Milliseconds. */
const LOOK_INTERVAL = 1_000;
/** Milliseconds after one could not be made: a try reads the whole table. */
const NEXT_TRY = 10_000;
const PREFIX = "site_value_";

const dialect = new PgDialect();

interface SiteIndex {
  /** Says what it is of, so that another type has another index. */
  name: string;
  statement: SQL;
}

export function indexOf(definition: Definition): SiteIndex {
  const { record, key } = definition;
  const { index, value } = typeOf(definition);
  const expression = dialect.sqlToQuery(value(sql`site`, sql.raw(`'${key}'`))).sql;
  const what = `${SITE_TABLES[record]} using ${index} ((${expression}))`;
  const name = `${PREFIX}${Bun.hash(what).toString(36)}`;
  return { name, statement: sql.raw(`create index concurrently ${name} on ${what}`) };
}

export function start(): Loop {
  let tried: unknown;
  let again = 0;
  const ensure = async () => {
    const present = knownDefinitions();
    if (tried === present && Date.now() < again) return;
    tried = present;
    again = Date.now() + NEXT_TRY;
    await ensureIndexes();
    again = Infinity;
  };
  const looking = keepDoing("The indexes of fields are not made", ensure, { every: LOOK_INTERVAL });
  looking.wake();
  return looking;
}

/** Makes those that are missing, one by one, whether or not another can be made, and drops those that nothing needs any more. */
export async function ensureIndexes(): Promise<void> {
  await knowDefinitions();
  const wanted = [...knownDefinitions().values()].flat().map(indexOf);
  const found = await database.rows<{ name: string; is_good: boolean }>(sql`
    select relname as name, indisvalid as is_good from pg_class join pg_index on indexrelid = pg_class.oid
    where starts_with(relname, ${PREFIX}) and relnamespace = current_schema()::regnamespace`);
  const good = found.filter((one) => one.is_good && wanted.some(({ name }) => name === one.name));
  const missing = wanted.filter(({ name }) => !good.some((one) => one.name === name));
  const gone = found.filter((one) => !good.includes(one));
  if (missing.length + gone.length === 0) return;
  await servers.withSeparateConnection(BULK_LIMITS, async (using) => {
    const run = (statement: SQL) => using.unsafe(dialect.sqlToQuery(statement).sql);
    // One process makes them.
    const [lock] =
      await using`select pg_try_advisory_lock(hashtextextended('site indexes', 0)) as is_ours`;
    if (!lock.is_ours) return;
    for (const { name } of gone) await run(sql.raw(`drop index concurrently if exists ${name}`));
    const failed: unknown[] = [];
    for (const { statement } of missing) await run(statement).catch((cause) => failed.push(cause));
    if (failed.length > 0) throw failed[0];
  });
}

import type { SQL } from "bun";
import { cast } from "./cast.ts";

/** The tables with rows of a new installation. Of the seeded ones, only added rows are deleted. */
export const SEEDED = ["actions", "device_types"];
export const KEPT = ["migrations", "settings", "backups", "notice_reader", "editions"];

export interface Member {
  id: number;
  username: string;
  /** The jti of a login token. */
  jti: string;
}

/** All other tables but that of changes, each before those that it refers to. */
async function emptiedTables(sql: SQL): Promise<string[]> {
  const rows: Array<{ table: string; refers: string[] }> = await sql`
    select relname as table, array_remove(array_agg(distinct other.name), relname) as refers
    from pg_class
    left join pg_constraint on conrelid = pg_class.oid and contype = 'f'
    left join lateral (select relname as name from pg_class one where one.oid = confrelid) other on true
    where relnamespace = 'public'::regnamespace and relkind = 'r'
    group by relname order by relname`;
  const open = new Map(rows.map(({ table, refers }) => [table, refers]));
  for (const table of [...KEPT, "changes"]) open.delete(table);
  const inOrder: string[] = [];
  while (open.size > 0) {
    const referred = new Set([...open.values()].flat());
    const free = [...open.keys()].filter((table) => !referred.has(table));
    if (free.length === 0) throw new Error(`Tables refer to each other: ${[...open.keys()]}`);
    for (const table of free) open.delete(table);
    inOrder.push(...free);
  }
  return inOrder;
}

function deletion(table: string): string {
  if (!SEEDED.includes(table)) return `delete from ${table};`;
  return `
    delete from ${table} where created_by is not null;
    update ${table} set updated_by = null where updated_by is not null;`;
}

/**
 * Makes the function that empties this database: its statements are planned once. Deleting few rows is far cheaper than
 * truncating many tables.
 */
export async function prepareEmptying(sql: SQL, passwordHash: string): Promise<void> {
  const people = cast.map(
    ({ username, groups }) => `('${username}', '${passwordHash}', '{${groups.join(",")}}'::text[])`,
  );
  const tables = await emptiedTables(sql);
  await sql.unsafe(`
    create schema testing;
    create function testing.empty() returns setof json language plpgsql as $$
    begin
      ${tables.map(deletion).join("\n")}
      insert into users (username, password_hash, groups) values ${people.join(", ")};
      insert into tokens (user_id, kind, key, expires_at)
        select id, 'login', gen_random_uuid(), now() + interval '12 hours' from users;
      delete from changes;
      return query select json_build_object('id', users.id, 'username', users.username, 'jti', tokens.key)
        from users join tokens on tokens.user_id = users.id;
    end
    $$`);
}

/** Empties the database except for the rows of a new installation, and adds the cast, each with a token. */
export async function empty(sql: SQL): Promise<Member[]> {
  const rows = await sql.unsafe("select * from testing.empty() as member");
  return rows.map(({ member }: { member: Member }) => member);
}

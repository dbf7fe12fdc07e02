// The history of changes, read from the database.
import { publicId } from "../../src/input/change_ids.ts";
import { service } from "./service.ts";

export interface Change {
  change_set: string;
  user_id: number | null;
  table_name: string;
  row_id: number;
  action: "insert" | "update" | "delete";
  before: any;
  after: any;
}

export async function changes(): Promise<Change[]> {
  const { sql } = await service();
  const rows: Array<Omit<Change, "change_set"> & { change_set: number }> = await sql`
    select change_set::int, user_id, table_name, row_id, action, before, after from changes order by id`;
  return rows.map((row) => ({ ...row, change_set: publicId(row.change_set) }));
}

/** All rows, table by table, to check that nothing has changed; without what is recorded of each request. */
export async function everything(): Promise<string> {
  const { sql } = await service();
  const tables: Array<{ name: string }> = await sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('audit_log', 'user_activity') order by 1`;
  const dumps: string[] = [];
  for (const { name } of tables) {
    const [{ dump }] = await sql.unsafe(
      `select coalesce(json_agg(t order by t::text), '[]')::text as dump from ${name} t`,
    );
    dumps.push(`${name} ${dump.replaceAll(/,"last_used_(at|from)":("[^"]*"|null)/g, "")}`);
  }
  return dumps.join("\n");
}

/** Moves all present history to a day of January. */
export async function happenedOn(day: number): Promise<void> {
  const { sql } = await service();
  const at = `2026-01-${String(day).padStart(2, "0")} 14:05:30Z`;
  await sql`
    update changes set at = ${at}::text::timestamptz,
      after = after || jsonb_build_object('updated_at', ${at}::text)
    where at > now() - interval '1 hour'`;
}

/** Sets back the creation of a record. */
export async function createdDaysAgo(table: string, id: number, days: number): Promise<void> {
  const { sql } = await service();
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    await tx.unsafe(`update ${table} set created_at = $1 where id = $2`, [at, id]);
    await tx.unsafe(
      `update changes set before = before || jsonb_build_object('created_at', $1::text)
        where table_name = $2 and row_id = $3 and before is not null`,
      [at, table, id],
    );
  });
}

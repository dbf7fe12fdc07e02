// What happened, read from the rows that the triggers wrote.
import { sql } from "drizzle-orm";
import * as database from "../db/client.ts";

export interface Event {
  at: string;
  user: string | null;
  table_name: string;
  row_id: number;
  action: "insert" | "update" | "delete";
  /** What the record is called, now or when it went. */
  name: string | null;
}

/** The latest changes of the named tables; by one user, where one is named. */
export function recent(
  tables: readonly string[],
  which: { by?: number; most: number },
): Promise<Event[]> {
  const by = which.by === undefined ? sql`true` : sql`changes.user_id = ${which.by}`;
  return database.rows<Event>(sql`
    select shown(changes.at) as at, users.username as user, table_name, row_id, action,
      coalesce(after ->> 'name', before ->> 'name') as name
    from changes left join users on users.id = changes.user_id
    where table_name = any(${sql.param([...tables])}) and ${by}
    order by changes.id desc limit ${which.most}`);
}

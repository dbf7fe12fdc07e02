// The last run of `cadastre backup`. Backups by other programs are not recorded.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";

/** For a database that is not open. Fails on a read-only or unmigrated database, which callers ignore. */
export async function noteBackup(target: database.DatabaseTarget, file: string): Promise<void> {
  const using = database.connect(target, 1);
  try {
    await using`insert into backups (file) values (${file === "-" ? null : file})`;
    await using`delete from backups where at < now() - interval '365 days'`;
  } catch {
    // The backup is complete even if it cannot be recorded.
  } finally {
    await using.close({ timeout: 1 });
  }
}

export interface Backup {
  /** As pages show times. */
  at: string;
  file: string | null;
  /** Hours since the backup. */
  age: number;
}

export function lastBackup(): Promise<Backup | undefined> {
  return database.row<Backup>(sql`
    select shown(at) as at, file, extract(epoch from now() - at)::float8 / 3600 as age
    from backups order by at desc limit 1`);
}

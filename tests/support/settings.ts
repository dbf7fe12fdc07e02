import { SQL } from "bun";

/** Turns settings of the whole server off, immediately. */
export async function turnOff(url: string, settings: readonly string[]): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  for (const setting of settings) await sql.unsafe(`alter system set ${setting} = off`);
  await sql`select pg_reload_conf()`;
  await sql.close();
}

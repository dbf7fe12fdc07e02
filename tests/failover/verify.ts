// Whether the database holds exactly what was acknowledged.
import { SQL } from "bun";
import type { Load } from "./load.ts";

export interface Verdict {
  acknowledged: number;
  /** Acknowledged hosts that are not there, or without their address. */
  lost: string[];
  /** Addresses of two hosts, in the answers or in the database. */
  twice: string[];
  /** Hosts that nobody was told of. */
  extra: string[];
}

export async function verify(url: string, { acknowledged }: Load): Promise<Verdict> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  const rows: Array<{ name: string; ip: string }> = await sql`
    select hosts.name, host(interfaces.ip) as ip from hosts
    left join interfaces on interfaces.host_id = hosts.id`;
  await sql.close();
  const stored = new Map(rows.map(({ name, ip }) => [name, ip]));
  const known = new Set(acknowledged.map(({ name }) => name));
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ name, ip }) => stored.get(name) !== ip).map(({ name }) => name),
    twice: [
      ...repeated(acknowledged.map(({ ip }) => ip)),
      ...repeated(rows.map(({ ip }) => ip)),
      ...repeated(rows.map(({ name }) => name)),
    ],
    extra: rows.filter(({ name }) => !known.has(name)).map(({ name }) => name),
  };
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const isRepeated = seen.has(text);
    seen.add(text);
    return isRepeated;
  });
}

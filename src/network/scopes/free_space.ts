// What room a scope has left: VLANs and blocks. For admins, who see all of its networks; to others its gaps
// would tell where the hidden ones are.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Block, formatBlock, readBlock } from "../../input/addresses.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { freeBlocks, prefixesIn, usualPrefix } from "../addresses/space.ts";

export interface Defaults {
  /** Those that no network has. */
  vlans: number[];
  prefixes: number[];
  selected_vlan: number | null;
  selected_prefix: number;
  domain_id: number;
}

export interface Subnets {
  /** The first of those that are free. */
  subnets: string[];
  selected_subnet: string;
}

export interface Room extends Defaults {
  name: string;
  domain: string;
  supernet: string;
  networks: Array<{ vlan_name: string; vlan_id: number; address: string }>;
}

const MOST_SUBNETS = 200;

export async function defaultsOf(scope: number): Promise<Defaults> {
  const { vlans, prefixes, selected_vlan, selected_prefix, domain_id } = await roomOf(
    sql`scopes.id = ${scope}`,
  );
  return { vlans, prefixes, selected_vlan, selected_prefix, domain_id };
}

export async function subnetsOf(scope: number, prefix: number): Promise<Subnets> {
  const room = await roomOf(sql`scopes.id = ${scope}`);
  const [first, last] = [
    readBlock(room.supernet)?.prefix ?? 0,
    room.supernet.includes(":") ? 128 : 32,
  ];
  if (prefix < first || prefix > last)
    throw invalid("prefix", `Use a prefix from ${first} to ${last}`);
  const subnets = freeIn(room, prefix);
  return { subnets, selected_subnet: subnets[0] ?? "" };
}

/** The room of a scope by its name; undefined where there is none of that name. */
export async function roomNamed(name: string): Promise<Room | undefined> {
  const [room] = await rooms(sql`lower(scopes.name) = lower(${name}::text collate names)`);
  return room;
}

/** The first free blocks of a size. */
export function freeIn(
  { supernet, networks }: Pick<Room, "supernet" | "networks">,
  prefix: number,
): string[] {
  const whole = readBlock(supernet);
  if (!whole || prefix < whole.prefix) return [];
  const used = networks.flatMap(({ address }) => readBlock(address) ?? []);
  return freeBlocks(whole, used, { prefix, most: MOST_SUBNETS }).blocks.map(formatBlock);
}

async function roomOf(which: SQL): Promise<Room> {
  const [room] = await rooms(which);
  if (!room) throw notFound();
  return room;
}

interface Kept extends Pick<Room, "name" | "domain" | "domain_id" | "supernet" | "networks"> {
  first_vlan: number;
  last_vlan: number;
}

async function rooms(which: SQL): Promise<Room[]> {
  const rows = await database.rows<{ json: string }>(sql`
    select row_to_json(room)::text as json from (
      select scopes.name, domains.name as domain, domain_id, supernet, first_vlan, last_vlan, coalesce((
          select json_agg(json_build_object('vlan_name', vlan_name, 'vlan_id', vlan_id, 'address', address)
            order by networks.address)
          from networks where scope_id = scopes.id), '[]'::json) as networks
      from scopes join domains on domains.id = domain_id where ${which}
    ) room`);
  return rows.map(({ json }) => withDefaults(JSON.parse(json)));
}

function withDefaults({ first_vlan, last_vlan, ...kept }: Kept): Room {
  const taken = new Set(kept.networks.map(({ vlan_id }) => vlan_id));
  const all = Array.from({ length: last_vlan - first_vlan + 1 }, (_, at) => first_vlan + at);
  const vlans = all.filter((vlan) => !taken.has(vlan));
  const whole = readBlock(kept.supernet) as Block;
  return {
    ...kept,
    vlans,
    prefixes: prefixesIn(whole),
    selected_vlan: vlans[0] ?? null,
    selected_prefix: usualPrefix(whole),
  };
}

// The free VLANs and blocks of a scope. Only for admins, who see all networks: the gaps would reveal hidden
// ones to others.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Block, formatBlock, readBlock } from "../../input/addresses.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { freeBlocks, prefixesIn, usualPrefix } from "../addresses/space.ts";

interface Defaults {
  /** VLANs without a network. */
  vlans: number[];
  prefixes: number[];
  selected_vlan: number | null;
  selected_prefix: number;
  domain_id: number;
}

export interface Subnets {
  /** The first free ones. */
  subnets: string[];
  selected_subnet: string;
}

export interface ScopeSpace extends Defaults {
  name: string;
  domain: string;
  supernet: string;
  networks: Array<{ vlan_name: string; vlan_id: number; address: string }>;
}

const MOST_SUBNETS = 200;

export async function defaultsOf(scope: number): Promise<Defaults> {
  const { vlans, prefixes, selected_vlan, selected_prefix, domain_id } = await spaceOf(
    sql`scopes.id = ${scope}`,
  );
  return { vlans, prefixes, selected_vlan, selected_prefix, domain_id };
}

export async function subnetsOf(scope: number, prefix: number): Promise<Subnets> {
  const space = await spaceOf(sql`scopes.id = ${scope}`);
  const [first, last] = [
    readBlock(space.supernet)?.prefix ?? 0,
    space.supernet.includes(":") ? 128 : 32,
  ];
  if (prefix < first || prefix > last)
    throw invalid("prefix", `Use a prefix from ${first} to ${last}`);
  const subnets = freeIn(space, prefix);
  return { subnets, selected_subnet: subnets[0] ?? "" };
}

/** The free space of a scope by name; undefined if there is no such scope. */
export async function spaceNamed(name: string): Promise<ScopeSpace | undefined> {
  const [space] = await spaces(sql`lower(scopes.name) = lower(${name}::text collate names)`);
  return space;
}

/** The first free blocks of a size. */
export function freeIn(
  { supernet, networks }: Pick<ScopeSpace, "supernet" | "networks">,
  prefix: number,
): string[] {
  const whole = readBlock(supernet);
  if (!whole || prefix < whole.prefix) return [];
  const used = networks.flatMap(({ address }) => readBlock(address) ?? []);
  return freeBlocks(whole, used, { prefix, most: MOST_SUBNETS }).blocks.map(formatBlock);
}

async function spaceOf(which: SQL): Promise<ScopeSpace> {
  const [space] = await spaces(which);
  if (!space) throw notFound();
  return space;
}

interface StoredScope
  extends Pick<ScopeSpace, "name" | "domain" | "domain_id" | "supernet" | "networks"> {
  first_vlan: number;
  last_vlan: number;
}

async function spaces(which: SQL): Promise<ScopeSpace[]> {
  // In SQL: one answer with lists in it, which PostgreSQL builds as JSON.
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

function withDefaults({ first_vlan, last_vlan, ...kept }: StoredScope): ScopeSpace {
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

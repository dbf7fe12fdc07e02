// One zone, as RFC 1035 writes it.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { type Block, formatBlock } from "../../input/addresses.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { flaw } from "../../input/text.ts";
import { addresses, fullName, isIPv6, labelsOf } from "./addresses.ts";
import type { Feed } from "./feed.ts";
import { type Selection, select } from "./selection.ts";
import { type Authority, authorityOf, headOf, zoneQuery } from "./zone_head.ts";
import { blockOf, ownerIn } from "./zone_names.ts";

/** Owner, type and data, the owner within the zone. */
type Line = [owner: string, type: string, data: string];

/** By its name without the last dot, in any case. */
export function zone(named: string): Feed<typeof zoneQuery> {
  if (flaw(named)) throw notFound();
  const name = named.toLowerCase();
  const block = blockOf(name);
  return {
    name: `dns/${name}`,
    type: "text/plain",
    query: zoneQuery,
    async make(caller, asked) {
      const authority = authorityOf(asked, name);
      const selection = await select(caller, asked);
      const lines = block
        ? await pointers(caller, block, selection)
        : await names(name, selection, authority);
      const head = headOf(name, authority);
      const body = lines.map(([owner, type, data]) => `${owner}\tIN\t${type}\t${data}\n`).join("");
      return (serial) => head(serial) + body;
    },
  };
}

async function pointers(caller: Caller, block: Block, { interfaces }: Selection): Promise<Line[]> {
  const around = sql`${formatBlock(block)}::cidr`;
  const [known] = await database.rows(sql`
    select from networks where address && ${around} and ${mayKnowNetwork(caller)} limit 1`);
  if (!known) throw notFound();
  const found = await addresses(sql`interfaces.ip <<= ${around} and ${interfaces}`);
  return found.map((one) => [ownerIn(block, one.ip), "PTR", `${fullName(one)}.`]);
}

async function names(
  domain: string,
  { interfaces }: Selection,
  { servers }: Authority,
): Promise<Line[]> {
  const inside = await domainsIn(domain);
  if (!inside.includes(domain)) throw notFound();
  const below = inside.filter((one) => one !== domain);
  const own = await addressesIn(domain, servers, interfaces);
  refuseLame(domain, servers, own);
  const delegated = below
    .filter((one) => !below.some((other) => one.endsWith(`.${other}`)))
    .flatMap((one) => servers.map((server): Line => [ownerOf(one, domain), "NS", server]));
  const aliases = await aliasesIn(domain, below, interfaces);
  // One name with an alias and an address, and no server would load the zone.
  const taken = new Set([...own, ...delegated].map(([owner]) => owner));
  const free = aliases.filter(([owner]) => !taken.has(owner));
  return [...delegated, ...own, ...free].filter(([owner]) => fits(owner, domain));
}

/** With those of the name servers in a domain below, without which nobody would find the way down. */
async function addressesIn(
  domain: string,
  servers: string[],
  interfaces: Selection["interfaces"],
): Promise<Line[]> {
  const found = await addresses(sql`
    (domains.name = ${domain} or interfaces.name || '.' || domains.name || '.' = any(${sql.param(servers)}::text[]))
      and ${interfaces}`);
  const named = found.flatMap((one) =>
    labelsOf(one).map((label) => ({ ...one, full: fullName({ ...one, name: label }) })),
  );
  return named
    .filter((one) => one.domain === domain || servers.includes(`${one.full}.`))
    .filter(({ full }) => full.endsWith(`.${domain}`))
    .map((one) => [ownerOf(one.full, domain), isIPv6(one) ? "AAAA" : "A", one.ip]);
}

/** A server that is named in the zone has its address there, or no server would load the zone. */
function refuseLame(domain: string, servers: string[], own: Line[]): void {
  const owners = new Set(own.map(([owner]) => `${owner}.${domain}.`));
  const lame = servers.filter((one) => `.${one}`.endsWith(`.${domain}.`) && !owners.has(one));
  if (lame.length > 0) {
    throw refuse(
      lame.map((one) => ({ field: "ns", message: `'${one}' has no address in this zone` })),
    );
  }
}

/** The domain itself, if there is one of this name, and those below it. */
async function domainsIn(domain: string): Promise<string[]> {
  const found = await database.rows<{ name: string }>(sql`
    select name from domains where name = ${domain} or right(name, length(${domain}) + 1) = '.' || ${domain}
    order by name`);
  return found.map(({ name }) => name);
}

/** An alias stands in the longest domain that it ends with, which need not be that of its interface. */
async function aliasesIn(
  domain: string,
  below: string[],
  interfaces: Selection["interfaces"],
): Promise<Line[]> {
  const found = await database.rows<{ name: string; target: string }>(sql`
    select cnames.name, interfaces.name || '.' || domains.name as target
    from cnames
      join interfaces on interfaces.id = cnames.interface_id
      join networks on networks.id = interfaces.network_id
      join domains on domains.id = networks.domain_id
    where right(cnames.name, length(${domain}) + 1) = '.' || ${domain} and ${interfaces}
    order by cnames.name`);
  return found
    .filter(({ name }) => !below.some((one) => name === one || name.endsWith(`.${one}`)))
    .map(({ name, target }) => [ownerOf(name, domain), "CNAME", `${target}.`]);
}

function ownerOf(name: string, domain: string): string {
  return name.slice(0, -domain.length - 1);
}

const LONGEST_NAME = 253;

function fits(owner: string, domain: string): boolean {
  return owner.length + 1 + domain.length <= LONGEST_NAME;
}

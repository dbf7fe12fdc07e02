// One DNS zone in the format of RFC 1035.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { type Block, formatBlock } from "../../input/addresses.ts";
import { isBelow } from "../../input/domain_names.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { textError } from "../../input/text.ts";
import { addresses, dnsLabelsOf, fullName, isIPv6 } from "./addresses.ts";
import type { Feed } from "./feed.ts";
import { type FeedSelection, isPublished, select } from "./selection.ts";
import { type Authority, headOf, zoneAuthority, zoneQuery } from "./zone_head.ts";
import { blockOf, ownerIn } from "./zone_names.ts";

/** Owner (relative to the zone), type and data. */
type ZoneRecord = [owner: string, type: string, data: string];

/** The zone of a name without the last dot, ignoring case. */
export function zone(zoneName: string): Feed<typeof zoneQuery> {
  if (textError(zoneName)) throw notFound();
  const name = zoneName.toLowerCase();
  const block = blockOf(name);
  return {
    name: `dns/${name}`,
    type: "text/plain",
    query: zoneQuery,
    async make(caller, query) {
      const authority = zoneAuthority(query, name);
      const selection = await select(caller, query);
      const lines = block
        ? await pointers(caller, block, selection)
        : await names(name, selection, authority);
      const head = headOf(name, authority);
      const body = lines.map(([owner, type, data]) => `${owner}\tIN\t${type}\t${data}\n`).join("");
      return (serial) => head(serial) + body;
    },
  };
}

async function pointers(
  caller: Caller,
  block: Block,
  { interfaces }: FeedSelection,
): Promise<ZoneRecord[]> {
  const around = sql`${formatBlock(block)}::cidr`;
  const [known] = await database.rows(sql`
    select from networks where address && ${around} and ${mayKnowNetwork(caller)} limit 1`);
  if (!known) throw notFound();
  const found = await addresses(sql`interfaces.ip <<= ${around} and ${interfaces}`);
  return found.map((one) => [ownerIn(block, one.ip), "PTR", `${fullName(one)}.`]);
}

async function names(
  domain: string,
  { interfaces }: FeedSelection,
  { servers }: Authority,
): Promise<ZoneRecord[]> {
  const inside = await domainsIn(domain);
  if (!inside.includes(domain)) throw notFound();
  const below = inside.filter((one) => one !== domain);
  const own = await addressesIn(domain, servers, interfaces);
  refuseServersWithoutAddress(domain, servers, own);
  const delegated = below
    .filter((one) => !below.some((other) => one.endsWith(`.${other}`)))
    .flatMap((one) => servers.map((server): ZoneRecord => [ownerOf(one, domain), "NS", server]));
  const aliases = await aliasesIn(domain, below, interfaces);
  // Servers reject a zone in which a name has both an alias and an address.
  const used = new Set([...own, ...delegated].map(([owner]) => owner));
  const free = aliases.filter(([owner]) => !used.has(owner));
  return [...delegated, ...own, ...free].filter(([owner]) => isShortEnough(owner, domain));
}

/** Includes glue records: the addresses of name servers in delegated domains. */
async function addressesIn(
  domain: string,
  servers: string[],
  interfaces: FeedSelection["interfaces"],
): Promise<ZoneRecord[]> {
  const found = await addresses(sql`
    (domains.name = ${domain} or interfaces.name || '.' || domains.name || '.' = any(${sql.param(servers)}::text[]))
      and ${interfaces}`);
  const named = found.flatMap((one) =>
    dnsLabelsOf(one).map((label) => ({ ...one, full: fullName({ ...one, name: label }) })),
  );
  return named
    .filter((one) => one.domain === domain || servers.includes(`${one.full}.`))
    .filter(({ full }) => full.endsWith(`.${domain}`))
    .map((one) => [ownerOf(one.full, domain), isIPv6(one) ? "AAAA" : "A", one.ip]);
}

/** Servers reject a zone in which a name server has no address. */
function refuseServersWithoutAddress(domain: string, servers: string[], own: ZoneRecord[]): void {
  const owners = new Set(own.map(([owner]) => `${owner}.${domain}.`));
  const withoutAddress = servers.filter(
    (one) => `.${one}`.endsWith(`.${domain}.`) && !owners.has(one),
  );
  if (withoutAddress.length > 0) {
    throw refuse(
      withoutAddress.map((one) => ({
        field: "ns",
        message: `'${one}' has no address in this zone`,
      })),
    );
  }
}

/** The domain, if it exists, and its subdomains. */
async function domainsIn(domain: string): Promise<string[]> {
  const found = await database.rows<{ name: string }>(sql`
    select name from domains where name = ${domain} or ${isBelow(sql`name`, sql`${domain}`)}
    order by name`);
  return found.map(({ name }) => name);
}

/** An alias belongs to the longest domain that it ends with, which may differ from the domain of its interface. */
async function aliasesIn(
  domain: string,
  below: string[],
  interfaces: FeedSelection["interfaces"],
): Promise<ZoneRecord[]> {
  // In SQL: a join of four tables and a comparison of suffixes.
  const found = await database.rows<{ name: string; target: string }>(sql`
    select cnames.name, interfaces.name || '.' || domains.name as target
    from cnames
      join interfaces on interfaces.id = cnames.interface_id
      join networks on networks.id = interfaces.network_id
      join domains on domains.id = networks.domain_id
    where ${isBelow(sql`cnames.name`, sql`${domain}`)} and ${isPublished} and ${interfaces}
    order by cnames.name`);
  return found
    .filter(({ name }) => !below.some((one) => name === one || name.endsWith(`.${one}`)))
    .map(({ name, target }) => [ownerOf(name, domain), "CNAME", `${target}.`]);
}

function ownerOf(name: string, domain: string): string {
  return name.slice(0, -domain.length - 1);
}

const LONGEST_NAME = 253;

function isShortEnough(owner: string, domain: string): boolean {
  return owner.length + 1 + domain.length <= LONGEST_NAME;
}

// What can be said of a field while it is filled in. Only saving decides; what is hidden from the caller
// is told of here no more than there.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { countProbe, refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { readAddress } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { isReserved, propose, reservedAddress } from "../addresses/allocation.ts";
import * as names from "../common/names.ts";
import { LABEL } from "../common/shapes.ts";

/** What stands in the form. */
export interface Entered {
  name: string;
  network: string;
  ip: string;
  mac: string;
  /** Where it is there already. */
  host?: number;
  interface?: number;
}

export interface Ground {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  domain: string;
  domain_id: number;
}

/** The network of this name, if the caller may work there. */
export function groundOf(caller: Caller, name: string): Promise<Ground | undefined> {
  const mayWork = isAdmin(caller) ? sql`true` : sql`not admin_only`;
  return database.row<Ground>(sql`
    select networks.id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip,
      domains.name as domain, domain_id
    from networks join domains on domains.id = domain_id
    where lower(vlan_name) = lower(${name}::text collate names) and ${mayKnowNetwork(caller)} and ${mayWork}`);
}

export interface Proposal {
  ground: Ground;
  /** The first free address, as far as the caller may know; "" where there is none. */
  ip: string;
}

export async function proposeIn(caller: Caller, name: string): Promise<Proposal | undefined> {
  const ground = await groundOf(caller, name);
  return ground && { ground, ip: await propose(caller, ground.id) };
}

export interface Verdict {
  fault?: string;
  /** What it would be called in full. */
  full?: string;
}

const NAME = new RegExp(LABEL.pattern ?? "");

export async function checkName(caller: Caller, entered: Entered): Promise<Verdict> {
  const label = entered.name.toLowerCase();
  if (label === "") return {};
  if (!NAME.test(label)) return { fault: LABEL.description };
  await refuseProbing(caller);
  const ground = await groundOf(caller, entered.network);
  const domain = ground?.domain_id ?? (entered.host === undefined ? null : undefined);
  const wanted = { label, host: entered.host, domain };
  const [taken] = await database.rows(names.nameConflict(wanted));
  if (taken) {
    await countProbe(caller, {
      field: "name",
      message: names.NAME_NOT_AVAILABLE,
      taken: { asked: label },
    });
    return { fault: names.NAME_NOT_AVAILABLE };
  }
  return { full: ground ? `${label}.${ground.domain}` : label };
}

export async function checkAddress(caller: Caller, entered: Entered): Promise<Verdict> {
  const { ip, network } = entered;
  if (ip === "") return {};
  if (!readAddress(ip)) return { fault: "Use an address such as 10.0.0.1 or 2001:db8::1" };
  const ground = await groundOf(caller, network);
  if (!ground) return {};
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const told = await database.row<Judged>(sql`
    select ${ip}::inet <<= ${ground.address}::cidr as inside,
      ${ip}::inet between ${ground.first_ip}::inet and ${ground.last_ip}::inet as ranged,
      ${isReserved(ip, ground.id)} as reserved,
      (select name from interfaces where ip = ${ip}::inet and id <> ${entered.interface ?? 0} and ${mayKnow}) as by`);
  if (!told?.inside) return { fault: `Use an address inside of ${ground.address}` };
  if (told.by) return { fault: `${told.by} has this address` };
  if (!told.ranged && !isAdmin(caller)) {
    return { fault: `Use an address from ${ground.first_ip} to ${ground.last_ip}` };
  }
  return told.reserved ? { fault: reservedAddress(ground.vlan_name) } : {};
}

interface Judged {
  inside: boolean;
  ranged: boolean;
  reserved: boolean;
  /** The interface that has it, if the caller may know. */
  by: string | null;
}

export async function checkMac(caller: Caller, entered: Entered): Promise<Verdict> {
  const { mac, network } = entered;
  if (mac === "") return {};
  if (!isMac(mac)) return { fault: `'${mac}' is not a MAC address` };
  const ground = await groundOf(caller, network);
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const taken = await database.row<{ name: string }>(sql`
    select name from interfaces
    where mac = ${mac}::macaddr and network_id = ${ground?.id ?? 0} and id <> ${entered.interface ?? 0} and ${mayKnow}`);
  return taken ? { fault: `${taken.name} has this address in ${ground?.vlan_name}` } : {};
}

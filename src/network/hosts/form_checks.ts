// Checks of single fields while a form is filled in. Only saving decides. Hidden records are not revealed here
// either.

import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { countProbe, refuseProbing, visibleOwner } from "../../auth/probing.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { ADDRESS, readAddress } from "../../input/addresses.ts";
import { type FieldError, type Refusal, refuse } from "../../input/errors.ts";
import { isMac, notMac } from "../../input/kinds.ts";
import { closed, compiled, fieldErrors } from "../../input/shape.ts";
import { NAME_NOT_AVAILABLE } from "../../store/constraints.ts";
import { mayUseNetwork } from "../../store/may_edit.ts";
import {
  isReserved,
  propose,
  reservedAddress,
  useInRange,
  useInside,
} from "../addresses/allocation.ts";
import * as names from "../common/names.ts";
import { NEW_LABEL } from "../common/shapes.ts";

/** The present values of the form. */
export interface EnteredInterface {
  name: string;
  network: string;
  ip: string;
  mac: string;
  /** The ids of the edited records; absent while they are created. */
  host?: number;
  interface?: number;
}

interface CheckedNetwork {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  domain: string;
  domain_id: number;
}

/** The network of this name, if the caller may use it. */
export function networkNamed(caller: Caller, name: string): Promise<CheckedNetwork | undefined> {
  const mayUse = mayUseNetwork(caller);
  return database.row<CheckedNetwork>(sql`
    select networks.id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip,
      domains.name as domain, domain_id
    from networks join domains on domains.id = domain_id
    where lower(vlan_name) = lower(${name}::text collate names) and ${mayKnowNetwork(caller)} and ${mayUse}`);
}

export interface Proposal {
  network: CheckedNetwork;
  /** The first address that has no host visible to the caller; "" if there is none. */
  ip: string;
}

export async function proposeIn(caller: Caller, name: string): Promise<Proposal | undefined> {
  const network = await networkNamed(caller, name);
  return network && { network, ip: await propose(caller, network.id) };
}

export interface FieldCheck {
  error?: string;
  /** The fully qualified name that it would get. */
  fullName?: string;
}

const NAMED = closed({ name: NEW_LABEL });

export async function checkName(caller: Caller, entered: EnteredInterface): Promise<FieldCheck> {
  const label = entered.name.toLowerCase();
  if (label === "") return {};
  const [wrong] = fieldErrors(compiled(NAMED).Errors({ name: label }));
  if (wrong) return { error: wrong.message };
  await refuseProbing(caller);
  const network = await networkNamed(caller, entered.network);
  const domain = network?.domain_id ?? (entered.host === undefined ? null : undefined);
  const wanted = { label, host: entered.host, domain };
  const [conflict] = await database.rows(names.nameConflict(wanted));
  if (conflict) {
    const error = { field: "name", message: NAME_NOT_AVAILABLE, taken: { value: label } };
    await countProbe(caller, error);
    return { error: (await withOwner(caller, error)).message };
  }
  return { fullName: network ? `${label}.${network.domain}` : label };
}

/** The refusal with the hosts that have what is taken, as far as they are visible to the caller. */
export async function withOwners(caller: Caller, refusal: Refusal): Promise<Refusal> {
  if (refusal.errors.every(({ taken }) => taken === undefined)) return refusal;
  return refuse(await Promise.all(refusal.errors.map((error) => withOwner(caller, error))));
}

async function withOwner(caller: Caller, error: FieldError): Promise<FieldError> {
  const owner = error.taken && (await visibleOwner(caller, error.taken));
  return owner ? { ...error, message: `${error.message}: the host ${owner} has it` } : error;
}

export async function checkAddress(caller: Caller, entered: EnteredInterface): Promise<FieldCheck> {
  const { ip } = entered;
  if (ip === "") return {};
  if (!readAddress(ip)) return { error: String(ADDRESS.description) };
  const network = await networkNamed(caller, entered.network);
  if (!network) return {};
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const found = await database.row<AddressFacts>(sql`
    select ${ip}::inet <<= ${network.address}::cidr as inside,
      ${ip}::inet between ${network.first_ip}::inet and ${network.last_ip}::inet as ranged,
      ${isReserved(ip, network.id)} as reserved,
      (select name from interfaces where ip = ${ip}::inet and id <> ${entered.interface ?? 0} and ${mayKnow}) as by`);
  if (!found?.inside) return { error: useInside(network.address) };
  if (found.by) return { error: `${found.by} has this address` };
  if (!found.ranged && !isAdmin(caller)) {
    return { error: useInRange(network) };
  }
  return found.reserved ? { error: reservedAddress(network.vlan_name) } : {};
}

interface AddressFacts {
  inside: boolean;
  ranged: boolean;
  reserved: boolean;
  /** The interface that has the address, if it is visible to the caller. */
  by: string | null;
}

export async function checkMac(caller: Caller, entered: EnteredInterface): Promise<FieldCheck> {
  const { mac } = entered;
  if (mac === "") return {};
  if (!isMac(mac)) return { error: notMac(mac) };
  const network = await networkNamed(caller, entered.network);
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const owner = await database.row<{ name: string }>(sql`
    select name from interfaces
    where mac = ${mac}::macaddr and network_id = ${network?.id ?? 0} and id <> ${entered.interface ?? 0} and ${mayKnow}`);
  return owner ? { error: `${owner.name} has this address in ${network?.vlan_name}` } : {};
}

// Checks that a network is within its scope, its range and gateway within its block, and its interfaces within it.

import { eq, sql } from "drizzle-orm";
import { scopes } from "../../../db/tables/network.ts";
import { contains, type IpAddress, readAddress, readBlock } from "../../input/addresses.ts";
import { type FieldError, refuse, unknownName } from "../../input/errors.ts";
import { readIn } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";
import { useInside } from "../addresses/allocation.ts";

interface LockedScope {
  id: number;
  name: string;
  domain_id: number;
  first_vlan: number;
  last_vlan: number;
  supernet: string;
}

interface NetworkRange {
  vlan_id: number;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway?: string | null;
}

/** The start of the sentence that refuses a scope without one of its networks. */
export function networkOutside(
  network: Pick<NetworkRange, "address"> & { vlan_name: string; vlan_id: number | string },
): string {
  const { vlan_name, vlan_id, address } = network;
  return `The network ${vlan_name} (VLAN ${vlan_id}, ${address}) would be outside`;
}

/** Locks the scope until the transaction ends, so that it cannot shrink. */
export async function lockScope(
  tx: Transaction,
  which: { name: string } | { id: number },
): Promise<LockedScope> {
  const condition =
    "name" in which
      ? sql`lower(${scopes.name}) = lower(${which.name}::text collate names)`
      : eq(scopes.id, which.id);
  const [found] = await tx.select().from(scopes).where(condition).for("share");
  if (!found) throw refuse([unknownName("scope", "name" in which ? which.name : "")]);
  return found;
}

/** All errors at once; the constraints of the database would report only the first. */
export function fitErrors(network: NetworkRange, scope: LockedScope): FieldError[] {
  const { vlan_id, address } = network;
  const block = readBlock(address);
  const supernet = readBlock(scope.supernet);
  if (!block || !supernet) return [];
  const errors: FieldError[] = [];
  if (vlan_id < scope.first_vlan || vlan_id > scope.last_vlan) {
    const range = `${scope.first_vlan} to ${scope.last_vlan}`;
    errors.push({ field: "vlan_id", message: `Use a VLAN of the scope ${scope.name}: ${range}` });
  }
  if (
    !contains(supernet, { family: block.family, value: block.first }) ||
    block.prefix < supernet.prefix
  ) {
    const message = `Use a block inside ${scope.supernet}, the supernet of ${scope.name}`;
    errors.push({ field: "address", message });
  }
  const at = (text: string | null | undefined) => (text == null ? undefined : readAddress(text));
  const ends = {
    first_ip: at(network.first_ip),
    last_ip: at(network.last_ip),
    gateway: at(network.gateway),
  };
  for (const [field, one] of Object.entries(ends)) {
    if (one && !contains(block, one)) errors.push({ field, message: useInside(address) });
  }
  if (isAfter(ends.first_ip, ends.last_ip)) {
    errors.push({ field: "last_ip", message: `Use ${network.first_ip} or a higher address` });
  }
  return errors;
}

/** The first of its interfaces that would be outside of a block. */
export async function interfaceOutside(
  tx: Transaction,
  network: number,
  block: string,
): Promise<string | undefined> {
  const [found] = await readIn(tx)<{ name: string; ip: string }>(sql`
    select name, host(ip) as ip from interfaces
    where network_id = ${network} and not ip <<= ${block}::cidr order by interfaces.ip limit 1`);
  return found && `The interface ${found.name} at ${found.ip}`;
}

function isAfter(one: IpAddress | undefined, other: IpAddress | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.family === other.family &&
    one.value > other.value
  );
}

// A network: a VLAN and a block of addresses, cut from its scope.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { networks } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { ADDRESS, BLOCK } from "../../input/addresses.ts";
import { refuse } from "../../input/errors.ts";
import { closed, KEY, nullable, some } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { lock, write } from "../../store/write.ts";
import * as names from "../common/names.ts";
import { removeUnused } from "../common/remove_unused.ts";
import * as shapes from "../common/shapes.ts";
import * as domains from "../domains/domains.ts";
import { faultsOf, lockScope, offenderOf } from "./fit.ts";
import { networkResource } from "./record.ts";

export { network, networkResource } from "./record.ts";

const fields = {
  vlan_name: shapes.SHORT_NAME,
  address: BLOCK,
  first_ip: ADDRESS,
  last_ip: ADDRESS,
  gateway: nullable(ADDRESS),
};
const flags = {
  admin_only: Type.Boolean({ description: "Use true or false" }),
  sensitive: Type.Boolean({ description: "Use true or false" }),
  description: shapes.DESCRIPTION,
};

export const newNetwork = closed({
  ...fields,
  vlan_id: shapes.VLAN_ID,
  scope: shapes.SHORT_NAME,
  ...Type.Partial(Type.Object({ ...flags, domain_id: nullable(KEY) })).properties,
});
export const changedNetwork = some({ ...fields, ...flags, domain: shapes.DNS_NAME });

export type NewNetwork = Static<typeof newNetwork>;
export type ChangedNetwork = Static<typeof changedNetwork>;

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(networkResource(caller), params, mayKnowNetwork(caller));
}

export function find(caller: Caller, id: number, isRecursive = false): Promise<records.Found> {
  return read(caller, id, { isRecursive });
}

export function create(caller: Caller, input: NewNetwork): Promise<records.Found> {
  const { scope: named, domain_id: chosen, ...plain } = input;
  return write(caller, async (tx) => {
    const scope = await lockScope(tx, { name: named });
    const faults = faultsOf(plain, scope);
    if (faults.length > 0) throw refuse(faults);
    const domain_id = chosen == null ? scope.domain_id : await domains.keyOf(tx, { id: chosen });
    const [made] = await tx
      .insert(networks)
      .values({ ...plain, scope_id: scope.id, domain_id })
      .returning({ id: networks.id });
    return read(caller, made?.id ?? 0, { tx });
  });
}

/** Refused while one of its interfaces would stand outside. */
export function update(caller: Caller, id: number, input: ChangedNetwork): Promise<records.Found> {
  const { domain, ...plain } = input;
  return write(caller, async (tx) => {
    await lock(tx, caller, { table: networks, id });
    const [now] = await tx.select().from(networks).where(eq(networks.id, id));
    if (!now) return read(caller, id, { tx });
    const scope = await lockScope(tx, { id: now.scope_id });
    const faults = faultsOf({ ...now, ...plain }, scope);
    const offender = plain.address && (await offenderOf(tx, id, plain.address));
    if (offender) faults.push({ field: "address", message: `${offender} would stand outside` });
    if (faults.length > 0) throw refuse(faults);
    const domain_id =
      domain === undefined ? now.domain_id : await domains.keyOf(tx, { name: domain });
    if (domain_id !== now.domain_id)
      await names.refuseClashIn(tx, { network: id, domain: domain_id });
    await tx
      .update(networks)
      .set({ ...plain, domain_id })
      .where(eq(networks.id, id));
    return read(caller, id, { tx });
  });
}

/** Refused while it has interfaces. */
export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [{ noun: "interface", from: sql`interfaces where network_id = ${id}` }];
  return removeUnused({ called: "network", uses }, () =>
    write(caller, async (tx) => {
      await lock(tx, caller, { table: networks, id });
      await tx.delete(networks).where(eq(networks.id, id));
    }),
  );
}

function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.nests(caller) }: records.Reading,
): Promise<records.Found> {
  return records.find(
    { ...networkResource(caller), isRecursive },
    sql`networks.id = ${id} and ${mayKnowNetwork(caller)}`,
    tx,
  );
}

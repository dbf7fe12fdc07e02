// A network: a VLAN and a block of addresses, cut from its scope.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { networks } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuse } from "../../input/errors.ts";
import { closed, KEY, nullable, some } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { removeUnused } from "../../store/remove_unused.ts";
import { changes, creation } from "../../store/resource.ts";
import { lock, write } from "../../store/write.ts";
import * as names from "../common/names.ts";
import * as domains from "../domains/domains.ts";
import { faultsOf, lockScope, offenderOf } from "./fit.ts";
import { type Network, network } from "./network.ts";

export const newNetwork = closed({
  ...creation(network),
  domain_id: Type.Optional(nullable(KEY)),
});
export const changedNetwork = some(changes(network));

export type NewNetwork = Static<typeof newNetwork>;
export type ChangedNetwork = Static<typeof changedNetwork>;

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed<Network>> {
  return crud.list(network, caller, params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.Found<Network>> {
  return crud.find(network, caller, id, { isRecursive });
}

export function create(caller: Caller, input: NewNetwork): Promise<records.Found<Network>> {
  const { scope: named, domain_id: chosen, ...plain } = input;
  return write(caller, async (tx) => {
    const scope = await lockScope(tx, { name: named });
    const faults = faultsOf(plain, scope);
    if (faults.length > 0) throw refuse(faults);
    const domain_id = chosen == null ? scope.domain_id : await domains.keyOf(tx, { id: chosen });
    const [made] = await tx
      .insert(networks)
      .values({
        ...plain,
        ...(await crud.columnsIn(tx, network, plain)),
        scope_id: scope.id,
        domain_id,
      })
      .returning({ id: networks.id });
    return crud.find(network, caller, made?.id ?? 0, { tx });
  });
}

/** Refused while one of its interfaces would stand outside. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedNetwork,
): Promise<records.Found<Network>> {
  const { domain, ...plain } = input;
  return write(caller, async (tx) => {
    await lock(tx, caller, { table: networks, id });
    const [now] = await tx.select().from(networks).where(eq(networks.id, id));
    if (!now) return crud.find(network, caller, id, { tx });
    const scope = await lockScope(tx, { id: now.scope_id });
    const faults = faultsOf({ ...now, ...plain }, scope);
    const offender = plain.address && (await offenderOf(tx, id, plain.address));
    if (offender) faults.push({ field: "address", message: `${offender} would stand outside` });
    if (faults.length > 0) throw refuse(faults);
    const domain_id =
      domain === undefined ? now.domain_id : await domains.keyOf(tx, { name: domain });
    if (domain_id !== now.domain_id)
      await names.refuseCnameConflict(tx, { network: id, domain: domain_id });
    await tx
      .update(networks)
      .set({ ...(await crud.columnsIn(tx, network, plain)), domain_id })
      .where(eq(networks.id, id));
    return crud.find(network, caller, id, { tx });
  });
}

/** Refused while it has interfaces. */
export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [{ noun: "interface", from: sql`interfaces where network_id = ${id}` }];
  return removeUnused({ called: "network", uses }, () => crud.remove(network, caller, id));
}

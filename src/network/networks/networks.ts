// Networks: a VLAN and a block of addresses within a scope.
import { type Static, Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { networks } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { atLeastOne, closed, foreignKey, nullable } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { changeFields, creationFields } from "../../store/resource.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import * as names from "../common/names.ts";
import * as domains from "../domains/domains.ts";
import { fitErrors, interfaceOutside, lockScope } from "./fit.ts";
import { type Network, network } from "./network.ts";

export const newNetwork = closed({
  ...creationFields(network),
  domain_id: Type.Optional(nullable(foreignKey("domain"))),
});
export const changedNetwork = atLeastOne(changeFields(network));

type NewNetwork = Static<typeof newNetwork>;
type ChangedNetwork = Static<typeof changedNetwork>;

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Network>> {
  return crud.list(network, caller, params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<Network>> {
  return crud.find(network, caller, id, { isRecursive });
}

export function create(caller: Caller, input: NewNetwork): Promise<records.RecordJson<Network>> {
  const { scope: scopeName, domain_id: domainId, ...plain } = input;
  return write(caller, async (tx) => {
    const scope = await lockScope(tx, { name: scopeName });
    const errors = fitErrors(plain, scope);
    if (errors.length > 0) throw refuse(errors);
    const domain_id =
      domainId == null ? scope.domain_id : await domains.keyOf(tx, { id: domainId });
    const [created] = await tx
      .insert(networks)
      .values({
        ...plain,
        ...(await crud.columnsIn(tx, caller, network, plain)),
        scope_id: scope.id,
        domain_id,
      })
      .returning({ id: networks.id });
    return crud.find(network, caller, created?.id ?? 0, { tx });
  });
}

export function update(
  caller: Caller,
  id: number,
  input: ChangedNetwork,
): Promise<records.RecordJson<Network>> {
  return write(caller, async (tx) => {
    await change(tx, caller, { id, ...input });
    return crud.find(network, caller, id, { tx });
  });
}

/** Part of a larger write. Refused if one of its interfaces would be outside of the new block. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedNetwork & { id: number },
): Promise<void> {
  const { domain, ...plain } = input;
  await lock(tx, caller, { table: networks, id });
  const [now] = await tx.select().from(networks).where(eq(networks.id, id));
  if (!now) throw notFound();
  const scope = await lockScope(tx, { id: now.scope_id });
  const errors = fitErrors({ ...now, ...plain }, scope);
  const outside = plain.address && (await interfaceOutside(tx, id, plain.address));
  if (outside) errors.push({ field: "address", message: `${outside} would be outside` });
  if (errors.length > 0) throw refuse(errors);
  const domain_id =
    domain === undefined ? now.domain_id : await domains.keyOf(tx, { name: domain });
  if (domain_id !== now.domain_id)
    await names.refuseCnameConflict(tx, { network: id, domain: domain_id });
  await tx
    .update(networks)
    .set({ ...(await crud.columnsIn(tx, caller, network, plain)), domain_id })
    .where(eq(networks.id, id));
}

/** Refused if it has interfaces. */
export function remove(caller: Caller, id: number): Promise<void> {
  return crud.remove(network, caller, id);
}

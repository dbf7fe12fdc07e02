// Networks: a VLAN and a block of addresses within a scope.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { networks } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { contains, formatAddress, readAddress, readBlock } from "../../input/addresses.ts";
import { type FieldError, notFound } from "../../input/errors.ts";
import { atLeastOne, closed, foreignKey, nullable } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { changeFields, creationFields } from "../../store/resource.ts";
import { refuseAtEnd } from "../../store/rules.ts";
import { assign, insert, lock, type Transaction, write } from "../../store/write.ts";
import { useInside } from "../addresses/allocation.ts";
import * as domains from "../domains/domains.ts";
import { type Network, network } from "./network.ts";

export const newNetwork = closed({
  ...creationFields(network),
  domain_id: Type.Optional(nullable(foreignKey("domain"))),
});
export const changedNetwork = atLeastOne(changeFields(network));

type NewNetwork = Static<typeof newNetwork>;
type ChangedNetwork = Static<typeof changedNetwork>;

export function create(caller: Caller, input: NewNetwork): Promise<records.RecordJson<Network>> {
  const { domain_id: domain, ...given } = input;
  const work = async (tx: Transaction) => {
    const columns = await crud.columnsIn(tx, caller, network, given);
    const domain_id =
      domain == null
        ? sql`(select domain_id from scopes where id = ${columns.scope_id})`
        : await domains.keyOf(tx, caller, { id: domain });
    return insert(tx, networks, { ...columns, ...ends(tx, given), domain_id });
  };
  return write(caller, work, (tx, id) => crud.find(network, caller, id, { tx }));
}

export function update(
  caller: Caller,
  id: number,
  input: ChangedNetwork,
): Promise<records.RecordJson<Network>> {
  return write(
    caller,
    (tx) => change(tx, caller, { id, ...input }),
    (tx) => crud.find(network, caller, id, { tx }),
  );
}

/** Part of a larger write. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedNetwork & { id: number },
): Promise<void> {
  const { domain, ...plain } = input;
  await lock(tx, caller, { table: networks, id });
  const [now] = await tx.select().from(networks).where(eq(networks.id, id));
  if (!now) throw notFound();
  const domain_id =
    domain === undefined ? now.domain_id : await domains.keyOf(tx, caller, { name: domain });
  const columns = await crud.columnsIn(tx, caller, network, plain);
  const values = { ...columns, ...ends(tx, { ...now, ...plain }), domain_id };
  await assign(tx, { table: networks, where: eq(networks.id, id) }, values);
}

type NetworkRange = Pick<NewNetwork, "address" | "first_ip" | "last_ip" | "gateway">;

/**
 * Refuses ends that are outside of the block, together with the rules that the network breaks: a constraint would report
 * only the first. Until then it has ends that the constraints accept.
 */
function ends(tx: Transaction, { address, ...given }: NetworkRange): Partial<NetworkRange> {
  const block = readBlock(address);
  if (!block) return {};
  const at = (text: string | null | undefined) => (text == null ? undefined : readAddress(text));
  const found = {
    first_ip: at(given.first_ip),
    last_ip: at(given.last_ip),
    gateway: at(given.gateway),
  };
  const errors = Object.entries(found)
    .filter(([, end]) => end && !contains(block, end))
    .map(([field]): FieldError => ({ field, message: useInside(address), code: "outside" }));
  const { first_ip: first, last_ip: last } = found;
  if (first && last && first.family === last.family && first.value > last.value) {
    errors.push({ field: "last_ip", message: `Use ${given.first_ip} or a higher address` });
  }
  if (errors.length === 0) return {};
  refuseAtEnd(tx, errors);
  const start = formatAddress({ family: block.family, value: block.first });
  return { first_ip: start, last_ip: start, gateway: null };
}

/** Refused if it has interfaces. */
export function remove(caller: Caller, id: number): Promise<void> {
  return crud.remove(network, caller, id);
}

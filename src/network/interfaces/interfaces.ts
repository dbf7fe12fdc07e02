// Interfaces: the addresses of hosts in networks.
import type { Static } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import { hosts, interfaces } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { atLeastOne, closed } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import { mayEdit, requireCreator } from "../../store/may_edit.ts";
import type * as records from "../../store/records.ts";
import { changeFields, creationFields } from "../../store/resource.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import { insert, lock, type Transaction, write } from "../../store/write.ts";
import { allocate, chooseNetwork, lockNetwork, writeWithAddress } from "../addresses/allocation.ts";
import { type Interface, networkInterface } from "./interface.ts";

export const newInterface = closed(creationFields(networkInterface));
export const changedInterface = atLeastOne(changeFields(networkInterface));

type NewInterface = Static<typeof newInterface>;
type ChangedInterface = Static<typeof changedInterface>;

export function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<Interface>> {
  return crud.list(networkInterface, caller, params);
}

export function create(
  caller: Caller,
  input: NewInterface,
): Promise<records.RecordJson<Interface>> {
  const { host: named, ...rest } = input;
  const host = named.toLowerCase();
  const work = async (tx: Transaction) => {
    await refuseProbing(caller);
    return add(tx, caller, { ...rest, host: await hostNamed(tx, caller, host) });
  };
  return write(caller, work, (tx, id) => crud.find(networkInterface, caller, id, { tx }));
}

interface InterfaceHost {
  id: number;
  name: string;
}

type InterfaceAddition = Omit<NewInterface, "host" | "ip"> & {
  host: { id: number };
  /** Without one, the first free address. */
  ip?: string | null | undefined;
};

/** Part of a larger write. Others then wait for an address of the network. */
export async function add(
  tx: Transaction,
  caller: Caller,
  { network: name, host, ip, ...plain }: InterfaceAddition,
): Promise<number> {
  const network = await chooseNetwork(tx, caller, name);
  const values = await crud.columnsIn(tx, caller, networkInterface, plain);
  return writeWithAddress(tx, caller, { network, ip }, (address) =>
    insert(tx, interfaces, {
      ...{ ...values, host_id: host.id, network_id: network.id },
      ip: address,
    }),
  );
}

export function update(
  caller: Caller,
  id: number,
  input: ChangedInterface,
): Promise<records.RecordJson<Interface>> {
  return write(
    caller,
    (tx) => change(tx, caller, { id, ...input }),
    (tx) => crud.find(networkInterface, caller, id, { tx }),
  );
}

/** Part of a larger write. A new network without an address allocates a free one there. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedInterface & { id: number },
): Promise<void> {
  const { network: networkName, ip: requestedIp, ...plain } = input;
  await refuseProbing(caller);
  const now = await editedInterface(tx, caller, id);
  await lock(tx, caller, { table: interfaces, id });
  await mayEdit(tx.execute, caller, [now.host_id]);
  const isMove =
    networkName !== undefined && networkName.toLowerCase() !== now.network.toLowerCase();
  const network =
    isMove || requestedIp !== undefined
      ? await lockNetwork(tx, caller, networkName ?? now.network)
      : undefined;
  const isKept = !network || (network.id === now.network_id && requestedIp === now.ip);
  const ip = isKept ? now.ip : await allocate(tx, caller, { network, ip: requestedIp });
  const address = { network_id: network?.id ?? now.network_id, ip };
  await tx
    .update(interfaces)
    .set({ ...(await crud.columnsIn(tx, caller, networkInterface, plain)), ...address })
    .where(eq(interfaces.id, id));
}

/** Allowed to its creator and to admins; its cnames are deleted with it. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, (tx) => removeInterface(tx, caller, id));
}

/** Part of a larger write. */
export async function removeInterface(tx: Transaction, caller: Caller, id: number): Promise<void> {
  const now = await editedInterface(tx, caller, id);
  await lock(tx, caller, { table: interfaces, id });
  requireCreator(caller, now.created_by, "this interface");
  await mayEdit(tx.execute, caller, [now.host_id]);
  await tx.delete(interfaces).where(eq(interfaces.id, id));
}

/** The host of this name, if the caller may add an interface to it. */
export async function hostNamed(
  tx: Transaction,
  caller: Caller,
  name: string,
): Promise<InterfaceHost> {
  const [found] = await tx
    .select({ id: hosts.id, name: hosts.name })
    .from(hosts)
    .where(and(eq(hosts.name, name), mayKnowHost(caller, sql`hosts.id`)))
    .for("key share");
  if (!found) {
    throw refuse([await unknownRecord(tx, caller, { field: "host", name, table: "hosts" })]);
  }
  await mayEdit(tx.execute, caller, [found.id]);
  return found;
}

interface LockedInterface {
  ip: string;
  host_id: number;
  network: string;
  network_id: number;
  created_by: number | null;
}

async function editedInterface(
  tx: Transaction,
  caller: Caller,
  id: number,
): Promise<LockedInterface> {
  const [found] = await tx.execute<LockedInterface>(sql`
    select host(interfaces.ip) as ip, host_id, networks.vlan_name as network, network_id, interfaces.created_by
    from interfaces join networks on networks.id = network_id
    where interfaces.id = ${id} and ${mayKnowHost(caller, sql`interfaces.host_id`)}`);
  if (!found) throw notFound();
  return found;
}

import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { hosts, interfaces } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { ADDRESS } from "../../input/addresses.ts";
import { type FieldError, invalid, notFound, refuse } from "../../input/errors.ts";
import { atLeastOne, closed, MAC_ADDRESS, nullable } from "../../input/shape.ts";
import { textError } from "../../input/text.ts";
import { type Item, item } from "../../inventory/items/item.ts";
import * as crud from "../../store/crud.ts";
import { mayEdit, requireCreator } from "../../store/may_edit.ts";
import * as records from "../../store/records.ts";
import {
  cachedByVisibility,
  changeFields,
  creationFields,
  recordOf,
  recordQuery,
} from "../../store/resource.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import { assign, insert, lock, type Transaction, write } from "../../store/write.ts";
import * as shapes from "../common/shapes.ts";
import { type Interface, networkInterface } from "../interfaces/interface.ts";
import * as interfaceRecords from "../interfaces/interfaces.ts";
import { writtenVars } from "../variables/limits.ts";
import { idsOfGroups, setGroups } from "./group_memberships.ts";
import { type Host, host } from "./host.ts";
import { idsOfItems, setItems } from "./mounted_items.ts";

/** The fields of a first interface, which is created with the host. */
const { network, ip, mac } = networkInterface.fields;
const firstInterface = {
  network: { ...nullable(shapes.SHORT_NAME), title: network.label },
  ip: { ...nullable(ADDRESS), title: ip.label },
  mac: { ...nullable(MAC_ADDRESS), title: mac.label },
};

export const newHost = closed({
  ...creationFields(host),
  ...Type.Partial(Type.Object(firstInterface)).properties,
});
export const changedHost = atLeastOne(changeFields(host));

type NewHost = Static<typeof newHost>;
export type ChangedHost = Static<typeof changedHost>;

/** A result of the search: interfaces and items as records, other references by name. */
export const foundHost = Type.Object({
  ...recordOf(host).properties,
  interfaces: Type.Array(recordOf(networkInterface)),
  items: Type.Array(recordOf(item)),
});

interface WithInterfaces {
  interfaces: Interface[];
}

type FoundHost = Omit<Host, "interfaces" | "items"> & WithInterfaces & { items: Item[] };

const foundHosts = cachedByVisibility((caller) =>
  records.withWholeRecords<Pick<FoundHost, "interfaces" | "items">>()(recordQuery(host, caller), [
    "interfaces",
    "items",
  ]),
);
const createdHosts = cachedByVisibility((caller) =>
  records.withWholeRecords<WithInterfaces>()(recordQuery(host, caller), ["interfaces"]),
);

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Host>> {
  return crud.list(host, caller, params);
}

/** The list with interfaces and items as records. No `q` selects all hosts, a blank one none. */
export async function search(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<FoundHost>> {
  const isBlank = params.has("q") && params.getAll("q").every((text) => text.trim() === "");
  return records.list(foundHosts(caller), params, isBlank ? sql`false` : undefined);
}

/** The same list with only these fields; `ip`, `mac` and `network` are available here. */
export function listPicked<Name extends string & keyof Host>(
  caller: Caller,
  names: readonly Name[],
  params: URLSearchParams,
): Promise<records.ListJson<Required<Pick<Host, Name>>>> {
  return records.list(records.pick(recordQuery(host, caller), names), params);
}

export async function findNamed(caller: Caller, name: string): Promise<records.RecordJson<Host>> {
  if (textError(name)) throw notFound();
  const condition = sql`hosts.name = ${name.toLowerCase()} and ${mayKnowHost(caller, sql`hosts.id`)}`;
  return records.find(recordQuery(host, caller), condition);
}

/** A host that is created with an interface is returned with the interface as a record, which shows its address. */
export function create(caller: Caller, input: NewHost): Promise<records.RecordJson> {
  const query: records.RecordQuery =
    input.network == null ? recordQuery(host, caller) : createdHosts(caller);
  const isRecursive = records.wantsRecursive(caller);
  const visible = mayKnowHost(caller, sql`hosts.id`);
  return write(
    caller,
    (tx) => createIn(tx, caller, input),
    (tx, id) => records.find({ ...query, isRecursive }, sql`hosts.id = ${id} and ${visible}`, tx),
  );
}

/** Part of a larger write. With a network, the main interface is created too. */
export async function createIn(tx: Transaction, caller: Caller, input: NewHost): Promise<number> {
  const { device_type, items, automation_groups, network, ip, mac, ...rest } = input;
  const { automation_vars, ...plain } = rest;
  const name = input.name.toLowerCase();
  if (network == null && (ip != null || mac != null)) {
    throw invalid("network", "Name the network of this interface");
  }
  await refuseProbing(caller);
  const keys = await resolveNames(tx, caller, { device_type, items, automation_groups });
  const id = await insert(tx, hosts, {
    ...(await crud.columnsIn(tx, caller, host, plain)),
    ...variables(automation_vars),
    device_type_id: keys.type,
  });
  if (network != null) {
    await interfaceRecords.add(tx, caller, { network, host: { id }, name, ip, mac });
  }
  // The network comes first: items on a hidden host must not reveal it in their history.
  await setItems(tx, caller, { host: id, items: keys.items });
  await setGroups(tx, id, keys.groups);
  return id;
}

/** What a host is created with besides its fields. */
export async function mainInterface(
  tx: Transaction,
  id: number,
): Promise<Record<"network" | "ip" | "mac", string | null>> {
  const [found] = await tx.execute<{ network: string; ip: string; mac: string | null }>(sql`
    select vlan_name as network, host(ip) as ip, mac::text as mac
    from interfaces join networks on networks.id = network_id join hosts on hosts.id = host_id
    where host_id = ${id} order by interfaces.name = hosts.name desc, interfaces.id limit 1`);
  return found ?? { network: null, ip: null, mac: null };
}

/** A new name also renames the main interface if that has the name of the host. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedHost,
): Promise<records.RecordJson<Host>> {
  return write(
    caller,
    (tx) => change(tx, caller, { id, ...input }),
    (tx) => crud.find(host, caller, id, { tx }),
  );
}

/** Part of a larger write. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedHost & { id: number },
): Promise<void> {
  const { device_type: type, items, automation_groups, automation_vars, ...plain } = input;
  const label = plain.name?.toLowerCase();
  if (label || items) await refuseProbing(caller);
  const now = await lockedHost(tx, caller, id);
  await mayEdit(tx.execute, caller, [id]);
  const keys = await resolveNames(tx, caller, { device_type: type, items, automation_groups });
  const values = {
    ...(await crud.columnsIn(tx, caller, host, plain)),
    ...variables(automation_vars),
    device_type_id: keys.type ?? now.device_type_id,
  };
  await assign(tx, { table: hosts, where: sql`id = ${id}` }, values);
  if (label && label !== now.name) {
    await assign(tx, { table: interfaces, where: sql`name = ${now.name}` }, { name: label });
  }
  await setItems(tx, caller, { host: id, items: keys.items });
  await setGroups(tx, id, keys.groups);
}

/** Allowed to its creator and to admins. Interfaces and cnames are deleted with it; its items are kept. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, (tx) => removeHost(tx, caller, id));
}

/** Part of a larger write. */
export async function removeHost(tx: Transaction, caller: Caller, id: number): Promise<void> {
  const now = await lockedHost(tx, caller, id);
  requireCreator(caller, now.created_by, "this host");
  await mayEdit(tx.execute, caller, [id]);
  await tx.execute(sql`delete from hosts where id = ${id}`);
}

interface LockedHost {
  name: string;
  device_type_id: number;
  created_by: number | null;
}

function lockedHost(tx: Transaction, caller: Caller, id: number): Promise<LockedHost> {
  const visible = mayKnowHost(caller, sql`hosts.id`);
  return lock(tx, caller, {
    table: hosts,
    id,
    visible,
    columns: sql`name, device_type_id, created_by`,
  });
}

interface ReferencedNames {
  device_type?: string;
  items?: string[];
  automation_groups?: string[];
}

/** The ids behind all names in a request; all unknown names are reported together. */
async function resolveNames(tx: Transaction, caller: Caller, named: ReferencedNames) {
  const errors: FieldError[] = [];
  const type = await idOfDeviceType(tx, caller, named.device_type, errors);
  const items = await idsOfItems(tx, caller, named.items, errors);
  const groups = await idsOfGroups(tx, caller, named.automation_groups, errors);
  if (errors.length > 0) throw refuse(errors);
  return { type, items, groups };
}

async function idOfDeviceType(
  tx: Transaction,
  caller: Caller,
  name: string | undefined,
  errors: FieldError[],
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const [found] = await tx.execute<{ id: number }>(sql`
    select id from device_types where lower(name) = lower(${name}::text collate names)`);
  const wrong = { field: "device_type", name, table: "device_types" };
  if (!found) errors.push(await unknownRecord(tx, caller, wrong));
  return found?.id;
}

// Bun 1.4 would send an object as a JSON text inside JSON.
function variables(given: object | undefined) {
  return given
    ? { automation_vars: sql`${writtenVars("automation_vars", given)}::text::jsonb` }
    : {};
}

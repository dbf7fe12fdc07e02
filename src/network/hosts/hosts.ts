import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { hosts, interfaces } from "../../../db/tables/network.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { ADDRESS } from "../../input/addresses.ts";
import { type Fault, forbidden, invalid, notFound, refuse } from "../../input/errors.ts";
import { closed, MAC_ADDRESS, nullable, some } from "../../input/shape.ts";
import { flaw } from "../../input/text.ts";
import { type Item, item } from "../../inventory/items/item.ts";
import * as crud from "../../store/crud.ts";
import { mayEdit } from "../../store/may_edit.ts";
import { inside } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { changes, creation, recordOf, recordQuery } from "../../store/resource.ts";
import { settled } from "../../store/static_sql.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import * as names from "../common/names.ts";
import * as shapes from "../common/shapes.ts";
import { type Interface, networkInterface } from "../interfaces/interface.ts";
import { add } from "../interfaces/interfaces.ts";
import { writtenVars } from "../variables/limits.ts";
import { joinGroups, keysOfGroups } from "./group_memberships.ts";
import { type Host, host } from "./host.ts";
import { keysOfItems, mount } from "./mounted_items.ts";

/** Its first interface, made with it. */
const first = {
  network: nullable(shapes.SHORT_NAME),
  ip: nullable(ADDRESS),
  mac: nullable(MAC_ADDRESS),
};

export const newHost = closed({
  ...creation(host),
  ...Type.Partial(Type.Object(first)).properties,
});
export const changedHost = some(changes(host));

export type NewHost = Static<typeof newHost>;
export type ChangedHost = Static<typeof changedHost>;

/** As the search answers: interfaces and items as records, all else by names. */
export const foundHost = Type.Object({
  ...recordOf(host).properties,
  interfaces: Type.Array(recordOf(networkInterface)),
  items: Type.Array(recordOf(item)),
});

interface Registered {
  interfaces: Interface[];
}

type FoundHost = Omit<Host, "interfaces" | "items"> & Registered & { items: Item[] };

const foundHosts = settled((caller) =>
  records.whole<Pick<FoundHost, "interfaces" | "items">>()(recordQuery(host, caller), [
    "interfaces",
    "items",
  ]),
);
const registeredHosts = settled((caller) =>
  records.whole<Registered>()(recordQuery(host, caller), ["interfaces"]),
);

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed<Host>> {
  return crud.list(host, caller, params);
}

/** The list with all that is inside of each host. No query is for all of them, a blank one for none. */
export async function search(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.Listed<FoundHost>> {
  const isBlank = params.has("q") && params.getAll("q").every((text) => text.trim() === "");
  return records.list(foundHosts(caller), params, isBlank ? sql`false` : undefined);
}

/** The same list with these fields of each host alone, `ip`, `mac` and `network` among them. */
export function listPicked<Name extends string & keyof Host>(
  caller: Caller,
  names: readonly Name[],
  params: URLSearchParams,
): Promise<records.Listed<Required<Pick<Host, Name>>>> {
  return records.list(records.pick(recordQuery(host, caller), names), params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.Found<Host>> {
  return crud.find(host, caller, id, { isRecursive });
}

export async function findNamed(caller: Caller, called: string): Promise<records.Found<Host>> {
  if (flaw(called)) throw notFound();
  const condition = sql`hosts.name = ${called.toLowerCase()} and ${mayKnowHost(caller, sql`hosts.id`)}`;
  return records.find(recordQuery(host, caller), condition);
}

/** One that is made with its interface shows it as a record: who registers a host reads its address there. */
export function create(caller: Caller, input: NewHost): Promise<records.Found> {
  return write(caller, async (tx): Promise<records.Found> => {
    const id = await make(tx, caller, input);
    if (input.network == null) return crud.find(host, caller, id, { tx });
    const isRecursive = records.nests(caller);
    const condition = sql`hosts.id = ${id} and ${mayKnowHost(caller, sql`hosts.id`)}`;
    return records.find({ ...registeredHosts(caller), isRecursive }, condition, tx);
  });
}

/** As part of a write that does more. With a network, the host and its main interface are made as one. */
export async function make(tx: Transaction, caller: Caller, input: NewHost): Promise<number> {
  const { device_type: type, items, automation_groups, network, ip, mac, ...rest } = input;
  const { automation_vars, ...plain } = rest;
  const label = plain.name.toLowerCase();
  if (network == null && (ip != null || mac != null)) {
    throw invalid("network", "Name the network of this interface");
  }
  await refuseProbing(caller);
  await names.lockLabels(tx, [label]);
  // With a network, the cnames of its domain are looked at when the interface is added.
  if (network == null) await names.refuseUsedName(tx, { field: "name", label, domain: null });
  const keys = await keysOf(tx, { device_type: type, items, automation_groups });
  const [made] = await tx
    .insert(hosts)
    .values({
      ...plain,
      ...(await crud.columnsIn(tx, host, plain)),
      ...variables(automation_vars),
      device_type_id: keys.type ?? 0,
    })
    .returning({ id: hosts.id });
  const id = made?.id ?? 0;
  // Its network first: what is mounted on a hidden host leaves no trace on the item.
  if (network != null) {
    await add(tx, caller, { network, name: label, host: { id, name: label }, ip, mac });
  }
  await mount(tx, caller, { host: id, items: keys.items });
  await joinGroups(tx, id, keys.groups);
  return id;
}

/** A new name goes to its main interface too, if that bears the name of its host. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedHost,
): Promise<records.Found<Host>> {
  return write(caller, async (tx) => {
    await change(tx, caller, { id, ...input });
    return crud.find(host, caller, id, { tx });
  });
}

/** As part of a write that does more. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedHost & { id: number },
): Promise<void> {
  const { device_type: type, items, automation_groups, automation_vars, ...plain } = input;
  const label = plain.name?.toLowerCase();
  if (label || items) await refuseProbing(caller);
  await names.lockLabels(tx, label ? [label] : []);
  const now = await known(tx, caller, id);
  await lock(tx, caller, { table: hosts, id });
  await mayEdit(inside(tx), caller, [id]);
  if (label) await names.refuseUsedName(tx, { field: "name", label, host: id });
  const keys = await keysOf(tx, { device_type: type, items, automation_groups });
  await tx
    .update(hosts)
    .set({
      ...(await crud.columnsIn(tx, host, plain)),
      ...variables(automation_vars),
      device_type_id: keys.type ?? now.device_type_id,
    })
    .where(eq(hosts.id, id));
  if (label && label !== now.name) {
    await tx.update(interfaces).set({ name: label }).where(eq(interfaces.name, now.name));
  }
  await mount(tx, caller, { host: id, items: keys.items });
  await joinGroups(tx, id, keys.groups);
}

/** With its interfaces and their cnames; its items stay, without it. By whoever made it, or an admin. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, (tx) => end(tx, caller, id));
}

/** As part of a write that does more. */
export async function end(tx: Transaction, caller: Caller, id: number): Promise<void> {
  const now = await known(tx, caller, id);
  await lock(tx, caller, { table: hosts, id });
  if (!isAdmin(caller) && now.created_by !== caller.id) {
    throw forbidden("Only who made this host and admins delete it");
  }
  await mayEdit(inside(tx), caller, [id]);
  await tx.delete(hosts).where(eq(hosts.id, id));
}

interface Known {
  name: string;
  device_type_id: number;
  created_by: number | null;
}

async function known(tx: Transaction, caller: Caller, id: number): Promise<Known> {
  const [found] = await inside(tx)<Known>(sql`
    select name, device_type_id, created_by from hosts where id = ${id} and ${mayKnowHost(caller, sql`hosts.id`)}`);
  if (!found) throw notFound();
  return found;
}

interface Named {
  device_type?: string;
  items?: string[];
  automation_groups?: string[];
}

/** The keys behind all the names in a request; what stands for nothing is told at once. */
async function keysOf(tx: Transaction, named: Named) {
  const faults: Fault[] = [];
  const type = await keyOfType(tx, named.device_type, faults);
  const items = await keysOfItems(tx, named.items, faults);
  const groups = await keysOfGroups(tx, named.automation_groups, faults);
  if (faults.length > 0) throw refuse(faults);
  return { type, items, groups };
}

async function keyOfType(
  tx: Transaction,
  name: string | undefined,
  faults: Fault[],
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const [found] = await inside(tx)<{ id: number }>(
    sql`select id from device_types where lower(name) = lower(${name}::text collate names)`,
  );
  if (!found)
    faults.push({ field: "device_type", message: `'${name}' is not a valid device type` });
  return found?.id;
}

// Bun 1.4 would send an object as a JSON text inside of JSON.
function variables(given: object | undefined) {
  return given
    ? { automation_vars: sql`${writtenVars("automation_vars", given)}::text::jsonb` }
    : {};
}

import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { lacksValue } from "../../../db/errors.ts";
import { hosts, interfaces } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { ADDRESS } from "../../input/addresses.ts";
import { type FieldError, invalid, notFound, refuse, unknownName } from "../../input/errors.ts";
import { atLeastOne, closed, MAC_ADDRESS, nullable } from "../../input/shape.ts";
import { textError } from "../../input/text.ts";
import { type Item, item } from "../../inventory/items/item.ts";
import * as crud from "../../store/crud.ts";
import type { FieldSql } from "../../store/filters.ts";
import { mayEdit, mayMountOn, requireCreator } from "../../store/may_edit.ts";
import { readIn } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { changeFields, creationFields, recordOf, recordQuery } from "../../store/resource.ts";
import { cachedByVisibility } from "../../store/static_sql.ts";
import {
  type AtOnce,
  assign,
  assignments,
  type ChangeSetCte,
  insertion,
  lock,
  Sent,
  type Transaction,
  together,
  write,
  writeAtOnce,
} from "../../store/write.ts";
import { chooseNetwork } from "../addresses/allocation.ts";
import * as names from "../common/names.ts";
import * as shapes from "../common/shapes.ts";
import { type Interface, networkInterface } from "../interfaces/interface.ts";
import { createWithHost } from "../interfaces/interfaces.ts";
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
/** A host while it is written, with one interface or none: nothing else can refer to it, so nothing else is looked for. */
const newHosts = cachedByVisibility((caller) => {
  const always = (column: SQL): FieldSql => ({ kind: "value", column });
  const [none, nothing] = [always(sql`'[]'::json`), always(sql`null`)];
  const query = recordQuery(host, caller);
  const main = recordQuery(networkInterface, caller);
  const interfaces = records.nestedList(
    {
      ...main,
      from: sql`interfaces join networks on networks.id = interfaces.network_id`,
      fields: {
        ...main.fields,
        is_main: always(sql`true`),
        host: always(sql`hosts.name`),
        network: always(sql`networks.vlan_name`),
        cnames: none,
        model: nothing,
      },
    },
    { key: sql`interfaces.host_id`, of: sql`hosts.id` },
  );
  return {
    ...query,
    fields: {
      ...query.fields,
      interfaces: always(interfaces),
      items: none,
      automation_groups: none,
      model: nothing,
    },
  };
});

/** The position of a host in a list, and the names of its neighbours. */
export function neighboursInList(caller: Caller, id: number, params: URLSearchParams) {
  return crud.positionIn(host, caller, id, params);
}

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

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<Host>> {
  return crud.find(host, caller, id, { isRecursive });
}

export async function findNamed(caller: Caller, name: string): Promise<records.RecordJson<Host>> {
  if (textError(name)) throw notFound();
  const condition = sql`hosts.name = ${name.toLowerCase()} and ${mayKnowHost(caller, sql`hosts.id`)}`;
  return records.find(recordQuery(host, caller), condition);
}

/** A host that is created with an interface is returned with the interface as a record, which shows its address. */
export function create(caller: Caller, input: NewHost): Promise<records.RecordJson> {
  const isRecursive = records.wantsRecursive(caller);
  if (input.items || input.automation_groups) {
    const query: records.RecordQuery =
      input.network == null ? recordQuery(host, caller) : createdHosts(caller);
    const visible = mayKnowHost(caller, sql`hosts.id`);
    return write(
      caller,
      (tx) => createIn(tx, caller, input),
      (tx, id) => records.find({ ...query, isRecursive }, sql`hosts.id = ${id} and ${visible}`, tx),
    );
  }
  const query = { ...newHosts(caller), isRecursive };
  const inTransaction = () => {
    const work = async (tx: Transaction) =>
      startCreation(tx, caller, await prepareCreation(tx, caller, input), (instead) =>
        records.find({ ...query, instead }, sql`true`, tx),
      );
    return write(caller, work, (_, { answer }) => answer, names.labelLocks([labelOf(input)]));
  };
  // What variables reach is judged at the end of a transaction.
  if (input.network == null || input.automation_vars) return inTransaction();
  return writeAtOnce(
    caller,
    (tx, begun) => createAtOnce(tx, caller, { input, begun, query }),
    inTransaction,
  );
}

interface CreationAtOnce {
  input: NewHost;
  begun: ChangeSetCte;
  query: records.RecordQuery & { isRecursive: boolean };
}

/** A new host in a network: nothing is locked while its network is read, which has not changed when it gets an address. */
async function createAtOnce(
  tx: Transaction,
  caller: Caller,
  { input, begun, query }: CreationAtOnce,
): Promise<AtOnce<records.RecordJson>> {
  const creation = await prepareCreation(tx, caller, input, { isLabelLocked: false });
  const label = labelOf(input);
  const { domain_id } = creation.main?.network ?? {};
  const [key] = names.labelLocks([label]);
  const locked = begun(sql`lock_new_label(${key}, ${label}, ${domain_id}::integer)`);
  const also = sql`(select id from begun) as change_set`;
  const { answer } = await startCreation(tx, caller, { ...creation, begun: locked }, (instead) =>
    records.find({ ...query, instead, also }, sql`true`, tx),
  );
  return (await answer) as AtOnce<records.RecordJson>;
}

/** Part of a larger write. With a network, the main interface is created too. */
export async function createIn(tx: Transaction, caller: Caller, input: NewHost): Promise<number> {
  const [, creation] = await together(
    names.lockLabels(tx, [labelOf(input)]),
    prepareCreation(tx, caller, input),
  );
  const started = await startCreation(tx, caller, creation, async (written) => {
    const [made] = await readIn(tx)<{ id: number }>(sql`${written} select id from hosts`);
    return made?.id ?? 0;
  });
  const id = await started.answer;
  // The network comes first: items on a hidden host must not reveal it in their history.
  if (input.items) await setItems(tx, caller, { host: id, items: creation.keys.items });
  await setGroups(tx, id, creation.keys.groups);
  return id;
}

function labelOf({ name }: NewHost): string {
  return name.toLowerCase();
}

type Creation = Awaited<ReturnType<typeof prepareCreation>> & { begun?: SQL };

/**
 * What is written for a new host. Its label is locked by then, or by a statement that was sent before; otherwise it is not
 * compared with others.
 */
async function prepareCreation(
  tx: Transaction,
  caller: Caller,
  input: NewHost,
  { isLabelLocked = true } = {},
) {
  const { device_type, items, automation_groups, network, ip, mac, ...rest } = input;
  const { automation_vars, ...plain } = rest;
  const label = labelOf(input);
  if (network == null && (ip != null || mac != null)) {
    throw invalid("network", "Name the network of this interface");
  }
  await refuseProbing(caller);
  // Alone, the device type is looked up by the statement that writes the host: one statement less.
  const named = items || automation_groups ? { device_type, items, automation_groups } : {};
  const [keys, chosen] = await together(
    resolveNames(tx, named),
    network == null
      ? names.refuseUsedName(tx, { field: "name", label, domain: null })
      : chooseNetwork(tx, caller, { name: network, labels: isLabelLocked ? [label] : [] }),
  );
  const values = {
    ...(await crud.columnsIn(tx, caller, host, plain)),
    ...variables(automation_vars),
    device_type_id: keys.type ?? sql`(${deviceTypeNamed(device_type)})`,
  };
  return { values, keys, device_type, main: chosen && { network: chosen, name: label, ip, mac } };
}

/** Sends one statement that creates the host, and what `read` selects after the CTEs with its rows. */
async function startCreation<T>(
  tx: Transaction,
  caller: Caller,
  { values, device_type, main, begun }: Creation,
  read: (written: SQL) => Promise<T>,
): Promise<Sent<T>> {
  const send = (written: SQL) =>
    read(written).catch((error) => {
      throw lacksValue(error, "hosts") ? refuse([unknownName("device_type", device_type)]) : error;
    });
  if (main) return createWithHost(tx, caller, { ...main, host: values, begun }, send);
  return new Sent(send(sql`with hosts as (${insertion(hosts, values, { returned: sql`*` })})`));
}

/** A new name also renames the main interface if that has the name of the host. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedHost,
): Promise<records.RecordJson<Host>> {
  const { name, device_type, items, automation_groups, automation_vars, ...plain } = input;
  const inTransaction = () =>
    write(
      caller,
      (tx) => change(tx, caller, { id, ...input }),
      (tx) => crud.find(host, caller, id, { tx }),
    );
  if (name || device_type || items || automation_groups || automation_vars) return inTransaction();
  return writeAtOnce(
    caller,
    (tx, begun) => changeAtOnce(tx, caller, { id, input: plain, begun }),
    inTransaction,
  );
}

interface ChangeAtOnce {
  id: number;
  input: Omit<ChangedHost, "name" | "automation_vars" | keyof ReferencedNames>;
  begun: ChangeSetCte;
}

/** Changes columns of a host. The statement finds no host that the caller may not change. */
async function changeAtOnce(
  tx: Transaction,
  caller: Caller,
  { id, input, begun }: ChangeAtOnce,
): Promise<AtOnce<records.RecordJson<Host>>> {
  const set = assignments(hosts, await crud.columnsIn(tx, caller, host, input));
  const known = sql`hosts where hosts.id = ${id} and ${mayKnowHost(caller, sql`hosts.id`)}
    and ${mayMountOn(caller, sql`hosts.id`)}`;
  const instead = sql`
    with ${begun(sql`hosts.version as read_version`, known)}, hosts as (
      update hosts set ${set} from begun where hosts.id = ${id} returning hosts.*)`;
  const also = sql`(select begun.id from begun) as change_set,
    hosts.version = (select read_version + 1 from begun) as is_whole`;
  const isRecursive = records.wantsRecursive(caller);
  const query = { ...recordQuery(host, caller), isRecursive, instead, also };
  const { change_set, is_whole, ...changed } = (await records.find(query, sql`true`, tx)) as AtOnce<
    records.RecordJson<Host>
  > & { is_whole: boolean };
  // Somebody has changed it since the statement began: the rest of the answer may be older than that.
  const answer = is_whole ? changed : await crud.find(host, caller, id, { tx });
  return { ...answer, change_set };
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
  await names.lockLabels(tx, label ? [label] : []);
  const now = await lockedHost(tx, caller, id);
  await mayEdit(readIn(tx), caller, [id]);
  if (label) await names.refuseUsedName(tx, { field: "name", label, host: id });
  const keys = await resolveNames(tx, { device_type: type, items, automation_groups });
  const values = {
    ...(await crud.columnsIn(tx, caller, host, plain)),
    ...variables(automation_vars),
    device_type_id: keys.type ?? now.device_type_id,
  };
  await assign(tx, { table: hosts, where: sql`id = ${id}` }, values);
  if (label && label !== now.name) {
    await assign(tx, { table: interfaces, where: sql`name = ${now.name}` }, { name: label });
  }
  if (items || type) await setItems(tx, caller, { host: id, items: keys.items });
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
  await mayEdit(readIn(tx), caller, [id]);
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
async function resolveNames(tx: Transaction, named: ReferencedNames) {
  const errors: FieldError[] = [];
  const type = await idOfDeviceType(tx, named.device_type, errors);
  const items = await idsOfItems(tx, named.items, errors);
  const groups = await idsOfGroups(tx, named.automation_groups, errors);
  if (errors.length > 0) throw refuse(errors);
  return { type, items, groups };
}

async function idOfDeviceType(
  tx: Transaction,
  name: string | undefined,
  errors: FieldError[],
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const [found] = await readIn(tx)<{ id: number }>(deviceTypeNamed(name));
  if (!found) errors.push(unknownName("device_type", name));
  return found?.id;
}

function deviceTypeNamed(name: string): SQL {
  // As it is written first: folding all names takes longer than the rest of the statement.
  return sql`
    select id from device_types where name = ${name}
    union all select id from device_types where lower(name) = lower(${name}::text collate names) limit 1`;
}

// Bun 1.4 would send an object as a JSON text inside JSON.
function variables(given: object | undefined) {
  return given
    ? { automation_vars: sql`${writtenVars("automation_vars", given)}::text::jsonb` }
    : {};
}

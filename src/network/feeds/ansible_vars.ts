import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { device_types } from "../../../db/tables/network.ts";
import { eachInSlices } from "../../input/time_slices.ts";
import { type InventoryHosts, type InventoryInterfaces, MAIN_ADDRESS } from "./ansible_columns.ts";
import {
  append,
  appendText,
  appendValue,
  type ColumnBytes,
  encodeText,
  isSameValue,
  lengthOf,
  type Output,
  textAt,
} from "./bytes.ts";
import { isPublished } from "./selection.ts";

/** What hosts and interfaces refer to, as parts of the text. */
interface Referred {
  deviceTypes: Map<number, Uint8Array>;
  networks: Map<number, NetworkText>;
  /** JSON of lists, by interface. */
  cnames: Map<number, Uint8Array>;
}

interface NetworkText {
  /** Of the full name of a host. */
  suffix: Uint8Array;
  /** Fields of a JSON object, before and after the MAC address. */
  before: Uint8Array;
  after: Uint8Array;
}

/** No place. */
const NONE = -1;

const NOTHING = encodeText("");
const QUOTE = encodeText('"');
const NULL = encodeText("null");
const COMMA = encodeText(",");
const COMMA_AND_SPACE = encodeText(", ");
const FULL_NAME = encodeText('":{"cadastre":{"fqdn":"');
const DEVICE_TYPE = encodeText('", "device_type":');
const IOC = encodeText(', "is_ioc":true, "interfaces":[');
const NO_IOC = encodeText(', "is_ioc":false, "interfaces":[');
const NAME = encodeText('{"name":"');
const IP = encodeText('", "ip":"');
const NO_CNAMES = encodeText("[]");
const END_OF_INTERFACE = encodeText("}");
const END_OF_OURS = encodeText("]},");
const REACHED = encodeText('"ansible_host": "');
const END = encodeText('"}');

/**
 * JSON: the variables of each host by name. Ours are under `cadastre` and contain no free text: Ansible would read
 * braces in it as a template. A host without an interface has its name as `ansible_host`, so that there always is a
 * further variable and the two objects can be joined by a comma.
 *
 * PostgreSQL sends columns, and the text is put together here: that takes a third of the time that it takes in SQL. Names
 * and addresses of hosts, interfaces and networks contain nothing that JSON escapes.
 */
export async function appendHostVars(
  to: Output,
  hosts: InventoryHosts,
  interfaces: InventoryInterfaces,
): Promise<void> {
  const writeHost = hostWriter(to, hosts, { interfaces, referred: await readReferred() });
  appendText(to, "{");
  await eachInSlices(hosts.ids, (_, host) => writeHost(host));
  appendText(to, "}");
}

interface InterfaceSource {
  interfaces: InventoryInterfaces;
  referred: Referred;
}

/** Writes the host at this place. */
function hostWriter(
  to: Output,
  { ids, names, deviceTypes, isIoc, vars }: InventoryHosts,
  source: InterfaceSource,
): (host: number) => void {
  const { interfaces, referred } = source;
  const byHost = placesByHost(source);
  const writeInterface = interfaceWriter(to, source);
  return (host) => {
    const id = ids[host] ?? 0;
    const places = byHost.get(id) ?? [];
    putInOrder(places, interfaces, { names, host });
    const [main = NONE] = places;
    if (host > 0) append(to, COMMA);
    append(to, QUOTE);
    appendValue(to, names, host);
    append(to, FULL_NAME);
    appendValue(to, names, host);
    append(to, referred.networks.get(interfaces.networkIds[main] ?? 0)?.suffix ?? NOTHING);
    append(to, DEVICE_TYPE);
    append(to, referred.deviceTypes.get(deviceTypes[host] ?? 0) ?? NULL);
    append(to, isIoc[host] === 1 ? IOC : NO_IOC);
    for (let at = 0; at < places.length; at += 1) {
      if (at > 0) append(to, COMMA_AND_SPACE);
      writeInterface(places[at] ?? NONE);
    }
    append(to, END_OF_OURS);
    const [column, at] = main === NONE ? [names, host] : [interfaces.ips, main];
    const own = vars.get(id);
    if (own === undefined) {
      append(to, REACHED);
      appendValue(to, column, at);
      append(to, END);
    } else appendText(to, own.slice(1).replace(MAIN_ADDRESS, `"${textAt(column, at)}"`));
  };
}

/** Writes the interface at this place. */
function interfaceWriter(
  to: Output,
  { interfaces, referred: { networks, cnames } }: InterfaceSource,
): (place: number) => void {
  const { ids, networkIds, names, ips, macs } = interfaces;
  return (place) => {
    const network = networks.get(networkIds[place] ?? 0);
    append(to, NAME);
    appendValue(to, names, place);
    append(to, IP);
    appendValue(to, ips, place);
    append(to, network?.before ?? NOTHING);
    if (lengthOf(macs, place) === 0) append(to, NULL);
    else {
      append(to, QUOTE);
      appendValue(to, macs, place);
      append(to, QUOTE);
    }
    append(to, network?.after ?? NOTHING);
    append(to, cnames.get(ids[place] ?? 0) ?? NO_CNAMES);
    append(to, END_OF_INTERFACE);
  };
}

/** The places of its interfaces in their columns, by the id of a host. */
function placesByHost({ interfaces, referred }: InterfaceSource): Map<number, number[]> {
  const { hostIds, networkIds } = interfaces;
  const byHost = new Map<number, number[]>();
  for (let place = 0; place < hostIds.length; place += 1) {
    if (!referred.networks.has(networkIds[place] ?? 0)) continue;
    const host = hostIds[place] ?? 0;
    const known = byHost.get(host);
    if (known) known.push(place);
    else byHost.set(host, [place]);
  }
  return byHost;
}

/** The main interface first, the others in the order of their ids, in which they usually are. */
function putInOrder(
  places: number[],
  { ids, names }: InventoryInterfaces,
  of: { names: ColumnBytes; host: number },
): void {
  const rank = (place: number) =>
    isSameValue(names, place, of.names, of.host) ? 0 : (ids[place] ?? 0);
  let last = -1;
  for (const place of places) {
    const next = rank(place);
    if (next < last) {
      places.sort((one, other) => rank(one) - rank(other));
      return;
    }
    last = next;
  }
}

/** Read after hosts and interfaces, so that none lacks what it refers to. */
async function readReferred(): Promise<Referred> {
  const types = await database.rows<{ id: number; name: string }>(
    database.build.select({ id: device_types.id, name: device_types.name }).from(device_types),
  );
  // In SQL: names are aggregated.
  const cnames = await database.rows<{ interface_id: number; names: string }>(sql`
    select interface_id, json_agg(name order by name)::text as names from cnames
    where ${isPublished} group by interface_id`);
  // In SQL: text that PostgreSQL builds, once a network.
  const networks = await database.rows<{
    id: number;
    domain: string;
    before: string;
    after: string;
  }>(sql`
    select networks.id, domains.name as domain,
      format('", "netmask":"%s", "mac":', host(netmask(address))) as before, format(
        ', "network":"%s", "vlan_id":%s, "gateway":%s, "domain":%s, "cnames":', vlan_name, vlan_id,
        coalesce('"' || host(gateway) || '"', 'null'), to_json(domains.name)) as after
    from networks join domains on domains.id = networks.domain_id`);
  return {
    deviceTypes: new Map(types.map(({ id, name }) => [id, encodeText(JSON.stringify(name))])),
    cnames: new Map(cnames.map(({ interface_id, names }) => [interface_id, encodeText(names)])),
    networks: new Map(
      networks.map(({ id, domain, before, after }) => [
        id,
        { suffix: encodeText(`.${domain}`), before: encodeText(before), after: encodeText(after) },
      ]),
    ),
  };
}

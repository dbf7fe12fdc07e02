// The one box in the network: hosts with their interfaces, cnames and addresses; networks, scopes, domains and groups.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";
import type { Interpretation } from "../network/common/read_query.ts";
import { containsParts, nameParts, part, prefixParts } from "./parts.ts";

const HOSTS = sql`hosts join full_names on full_names.host_id = hosts.id`;
const INTERFACES = sql`interfaces join hosts on hosts.id = interfaces.host_id
  join networks on networks.id = interfaces.network_id`;
const CNAMES = sql`cnames join interfaces on interfaces.id = cnames.interface_id
  join hosts on hosts.id = interfaces.host_id`;
const NAME = sql`hosts.name`;
const INTERFACE_DETAIL = sql`interfaces.name || ', ' || host(interfaces.ip) || ' in ' || networks.vlan_name`;

function aboutHosts(caller: Caller) {
  const mayKnow = mayKnowHost(caller, sql`hosts.id`);
  const about = { name: NAME, where: mayKnow };
  const host = { ...about, kind: "host", from: HOSTS } as const;
  const cname = {
    ...about,
    kind: "cname",
    from: CNAMES,
    label: sql`cnames.name`,
    detail: sql`'of ' || interfaces.name`,
  } as const;
  const own = {
    ...about,
    kind: "interface",
    from: INTERFACES,
    label: sql`interfaces.name`,
    detail: sql`host(interfaces.ip) || ' in ' || networks.vlan_name`,
    where: sql`interfaces.name <> hosts.name and ${mayKnow}`,
  } as const;
  const address = {
    ...about,
    kind: "address",
    from: INTERFACES,
    label: sql`host(interfaces.ip)`,
    detail: sql`interfaces.name || ' in ' || networks.vlan_name`,
  } as const;
  const full = { ...host, label: sql`full_names.name`, detail: sql`hosts.description` };
  return { mayKnow, host, full, own, cname, address };
}

export function hostParts(caller: Caller, { text, ip, ipStart }: Interpretation): SQL[] {
  const { mayKnow, host, full, own, cname, address } = aboutHosts(caller);
  return [
    ...nameParts({ ...host, label: NAME, detail: sql`full_names.name` }, text),
    ...(text.includes(".") ? nameParts(full, text) : []),
    ...nameParts(own, text),
    ...nameParts(cname, text),
    ...(ip
      ? [
          part({
            ...address,
            where: sql`interfaces.ip = ${ip}::text::inet and ${mayKnow}`,
            isExact: true,
          }),
        ]
      : []),
    ...(ipStart
      ? prefixParts({ ...address, label: sql`(host(interfaces.ip) collate "C")` }, ipStart)
      : []),
  ];
}

/** Hosts with a name that differs by at most two letters, the most similar first. */
export function similarHostParts(caller: Caller, text: string, near: HostConditions): SQL[] {
  const { full, own, cname } = aboutHosts(caller);
  const called = text.includes(".") ? full : { ...full, label: NAME };
  const parts = [
    { ...called, near: near.host },
    { ...own, near: near.interface },
    { ...cname, near: near.cname },
  ];
  return parts.map(({ near: isNear, ...about }) =>
    part({
      ...about,
      where: sql`${isNear} and ${about.where}`,
      order: sql`similarity(${about.label}, ${text}) desc, ${about.label}`,
    }),
  );
}

/** Conditions on hosts with a similar name, or with such an interface or cname. */
export type HostConditions = Record<"host" | "interface" | "cname", SQL>;

/** MAC addresses of interfaces and of items. */
export function macParts(caller: Caller, read: Interpretation): SQL[] {
  const isExact = read.mac !== undefined;
  const onInterfaces = macConditions(sql`interfaces.mac`, read).map((where) =>
    part({
      kind: "mac",
      label: sql`interfaces.mac::text`,
      name: NAME,
      detail: INTERFACE_DETAIL,
      from: INTERFACES,
      where: sql`${where} and ${mayKnowHost(caller, sql`hosts.id`)}`,
      isExact,
    }),
  );
  const onItems = macConditions(sql`macs.address`, read).map((where) =>
    part({
      kind: "item",
      label: sql`macs.address::text`,
      name: sql`items.ics_id`,
      detail: sql`items.ics_id || ', ' || items.serial_number`,
      from: sql`macs join items on items.id = macs.item_id`,
      where,
      isExact,
    }),
  );
  return [...onInterfaces, ...onItems];
}

function macConditions(column: SQL, { mac, macPart }: Interpretation): SQL[] {
  if (mac) return [sql`${column} = ${mac}::text::macaddr`];
  if (!macPart) return [];
  const { low, high, reversed } = macPart;
  const backwards = sql`(reverse(${column}::text) collate "C")`;
  return [
    sql`${column} between ${low}::text::macaddr and ${high}::text::macaddr`,
    sql`${backwards} >= ${reversed} and ${backwards} < ${`${reversed}~`}`,
  ];
}

/** Networks by name, VLAN and address; scopes, domains and groups by name. */
export function networkParts(caller: Caller, { text, around, block, vlan }: Interpretation): SQL[] {
  const network = {
    kind: "network",
    label: sql`networks.vlan_name`,
    name: sql`networks.vlan_name`,
    detail: sql`'VLAN ' || networks.vlan_id || ', ' || networks.address`,
    from: sql`networks`,
    where: mayKnowNetwork(caller),
  } as const;
  const scope = {
    kind: "scope",
    label: sql`scopes.name`,
    name: sql`scopes.name`,
    detail: sql`scopes.supernet::text`,
    from: sql`scopes`,
  } as const;
  const plain = (kind: "domain" | "group", table: SQL, detail: SQL) =>
    containsParts({ kind, label: sql`name`, name: sql`name`, detail, from: table }, text);
  const parts = [
    ...containsParts(network, text),
    ...containsParts(scope, text),
    ...plain("domain", sql`domains`, sql`null::text`),
    ...plain("group", sql`groups`, sql`type || ' group'`),
  ];
  if (vlan) {
    parts.push(
      part({
        ...network,
        where: sql`networks.vlan_id = ${vlan}::integer and ${network.where}`,
        isExact: true,
      }),
      part({
        ...scope,
        detail: sql`'VLANs ' || scopes.first_vlan || ' to ' || scopes.last_vlan`,
        where: sql`${vlan}::integer between scopes.first_vlan and scopes.last_vlan and ${/\D/.test(text)}`,
      }),
    );
  }
  if (around) {
    const meets = (column: SQL) => sql`${column} && ${around}::text::inet`;
    parts.push(
      part({
        ...network,
        where: sql`${meets(sql`networks.address`)} and ${network.where}`,
        order: sql`networks.address`,
      }),
      part({ ...scope, where: meets(sql`scopes.supernet`), order: sql`scopes.supernet` }),
    );
  }
  if (block) {
    parts.push(
      part({
        ...network,
        where: sql`networks.address = ${block}::text::cidr and ${network.where}`,
        isExact: true,
      }),
    );
  }
  return parts;
}

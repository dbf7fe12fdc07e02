// The search documents of the example site: the recursive record of each host, as the API returns it.
import { groups, items, networks, type SiteHost, type SiteInterface, scopes } from "./site.ts";
import { hosts } from "./site_hosts.ts";

export type Document = Record<string, unknown> & { name: string };

export const documents: Document[] = hosts.map(documentOf);
export const names = hosts.map(({ name }) => name);

function documentOf(host: SiteHost): Document {
  const unknown = host.automation_groups?.find((name) => !groups.includes(name));
  if (unknown) throw new Error(`${host.name} is in no group ${unknown}`);
  const mounted = items.filter(({ ics_id }) => host.items?.includes(ics_id));
  const model = mounted.find((item) => item.model)?.model ?? null;
  const main = host.interfaces.find(({ name }) => name === host.name) ?? host.interfaces[0];
  const interfaces = host.interfaces.map((one) => ({
    ...interfaceOf(one),
    host: host.name,
    is_main: one === main,
    device_type: host.device_type,
    model,
  }));
  const domain = interfaces.find(({ is_main }) => is_main)?.domain;
  return {
    name: host.name,
    fqdn: domain ? `${host.name}.${domain}` : host.name,
    is_ioc: host.is_ioc ?? false,
    device_type: host.device_type,
    model,
    description: host.description ?? null,
    items: mounted.map((item) => ({ model: null, quantity: 1, ...item, host: host.name })),
    interfaces,
    automation_vars: host.automation_vars ?? {},
    automation_groups: host.automation_groups ?? [],
    user: "alice",
    created_at: host.created_at,
    updated_at: host.created_at,
  };
}

function interfaceOf({ network: vlan_name, ...one }: SiteInterface) {
  const network = networks.find((found) => found.vlan_name === vlan_name)!;
  const scope = scopes.find(({ name }) => name === network.scope)!;
  return {
    mac: null,
    description: null,
    cnames: [],
    ...one,
    network: vlan_name,
    vlan_id: network.vlan_id,
    netmask: network.netmask,
    scope: scope.name,
    domain: scope.domain,
  };
}

// The paths of the pages of the network.

export const HOSTS = "/network/hosts";
export const INTERFACES = "/network/interfaces";
export const NETWORKS = "/network/networks";
export const GROUPS_PATH = "/network/groups";
export const SCOPES = "/network/scopes";
export const DOMAINS = "/network/domains";
/** Who may create, change and delete scopes, networks and domains. */
export const EDITORS = ["admin"] as const;

export function networkPath(vlan_name: string): string {
  return `${NETWORKS}/view/${vlan_name}`;
}

export function scopePath(name: string): string {
  return `${SCOPES}/view/${name}`;
}

export function groupPath(name: string): string {
  return `${GROUPS_PATH}/view/${encodeURIComponent(name)}`;
}

export function hostPath(name: string): string {
  return `${HOSTS}/view/${name}`;
}

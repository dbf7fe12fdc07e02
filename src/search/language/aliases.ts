// Short names for what hosts are most often looked for by.

/** The paths that a name of a field stands for; any other name stands for itself. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

export const HOST_ALIASES: Aliases = {
  ip: ["interfaces.ip"],
  mac: ["interfaces.mac"],
  network: ["interfaces.network"],
  domain: ["interfaces.domain"],
  scope: ["interfaces.scope"],
  cname: ["interfaces.cnames"],
  vlan: ["interfaces.network", "interfaces.vlan_id"],
  group: ["automation_groups"],
  type: ["device_type"],
};

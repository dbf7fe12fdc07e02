// The domains, scopes and networks of the site, created in the first weeks.
import { type Caller, consoleCaller } from "../auth/auth.ts";
import { domain as domainResource } from "../network/domains/domain.ts";
import * as domains from "../network/domains/domains.ts";
import * as networks from "../network/networks/networks.ts";
import * as scopes from "../network/scopes/scopes.ts";
import * as crud from "../store/crud.ts";
import type { DemoEvent } from "./event.ts";

const DOMAINS = ["example.org", "office.example.org", "lab.example.org", "ctrl.example.org"];

interface ScopePlan {
  name: string;
  supernet: string;
  vlans: [number, number];
  domain: string;
  description: string;
  networks: NetworkPlan[];
}

interface NetworkPlan {
  vlan_name: string;
  vlan_id: number;
  address: string;
  /** The first and the last address that can be allocated. */
  range: [string, string];
  gateway: string | null;
  description: string;
  admin_only?: boolean;
  sensitive?: boolean;
}

const SCOPE_PLANS: ScopePlan[] = [
  {
    name: "Office",
    supernet: "10.10.0.0/16",
    vlans: [100, 199],
    domain: "office.example.org",
    description: "Desks, printers and meeting rooms",
    networks: [
      networkPlan("Office-East", 110, "10.10.10", "Desks in the east wing"),
      networkPlan("Office-West", 111, "10.10.11", "Desks in the west wing"),
      networkPlan("Printers", 120, "10.10.20", "Printers and scanners"),
    ],
  },
  {
    name: "Laboratory",
    supernet: "10.20.0.0/16",
    vlans: [200, 299],
    domain: "lab.example.org",
    description: "Set-up benches and test stands",
    networks: [
      networkPlan("CSLab", 210, "10.20.10", "Controls laboratory"),
      networkPlan("RFLab", 220, "10.20.20", "Radio frequency test stands"),
      {
        vlan_name: "VacuumLab",
        vlan_id: 230,
        address: "10.20.30.0/28",
        range: ["10.20.30.2", "10.20.30.14"],
        gateway: "10.20.30.1",
        description: "Vacuum laboratory; nearly full",
      },
    ],
  },
  {
    name: "Control",
    supernet: "172.16.0.0/14",
    vlans: [300, 799],
    domain: "ctrl.example.org",
    description: "The machine",
    networks: [
      networkPlan("Timing", 310, "172.16.10", "Event receivers and generators"),
      {
        vlan_name: "Accelerator",
        vlan_id: 320,
        address: "172.16.32.0/22",
        range: ["172.16.32.10", "172.16.35.250"],
        gateway: "172.16.35.254",
        description: "IOCs along the accelerator",
      },
      networkPlan("Klystron-Gallery", 330, "172.16.40", "Klystron gallery, both rows"),
      { ...networkPlan("Core", 340, "172.16.50", "Switches and routers"), admin_only: true },
      { ...networkPlan("Personnel-Safety", 350, "172.16.60", "Interlocks"), sensitive: true },
    ],
  },
  {
    name: "DMZ",
    supernet: "192.0.2.0/24",
    vlans: [900, 909],
    domain: "example.org",
    description: "What the world may see",
    networks: [
      {
        vlan_name: "DMZ-Web",
        vlan_id: 900,
        address: "192.0.2.0/26",
        range: ["192.0.2.10", "192.0.2.60"],
        gateway: "192.0.2.1",
        description: "Public services",
      },
    ],
  },
  {
    name: "Control-IPv6",
    supernet: "2001:db8:10::/48",
    vlans: [300, 799],
    domain: "ctrl.example.org",
    description: "The machine, one day",
    networks: [
      {
        vlan_name: "Timing-6",
        vlan_id: 310,
        address: "2001:db8:10:310::/64",
        range: ["2001:db8:10:310::10", "2001:db8:10:310::ffff"],
        gateway: "2001:db8:10:310::1",
        description: "Trial of IPv6",
      },
    ],
  },
];

function networkPlan(
  vlan_name: string,
  vlan_id: number,
  start: string,
  description: string,
): NetworkPlan {
  return {
    vlan_name,
    vlan_id,
    address: `${start}.0/24`,
    range: [`${start}.10`, `${start}.249`],
    gateway: `${start}.254`,
    description,
  };
}

export function networkEvents(): DemoEvent[] {
  return [
    ...DOMAINS.map((name, at) => ({
      day: 3 + at / 100,
      by: "alice",
      run: (caller: Caller) => domains.create(caller, { name }),
    })),
    ...SCOPE_PLANS.flatMap((plan, at) => scopeEvents(4 + at, plan)),
  ];
}

function scopeEvents(
  day: number,
  { networks: networkPlans, vlans, domain, ...plain }: ScopePlan,
): DemoEvent[] {
  const [first_vlan, last_vlan] = vlans;
  const scope = async (caller: Caller) => {
    const domain_id = await keyOfDomain(domain);
    return scopes.create(caller, { ...plain, first_vlan, last_vlan, domain_id });
  };
  return [
    { day, by: "alice", run: scope },
    ...networkPlans.map(({ range: [first_ip, last_ip], ...rest }, at) => ({
      day: day + (at + 1) / 50,
      by: "alice",
      run: (caller: Caller) =>
        networks.create(caller, { ...rest, first_ip, last_ip, scope: plain.name }),
    })),
  ];
}

async function keyOfDomain(name: string): Promise<number> {
  const { json } = await crud.list(domainResource, consoleCaller, new URLSearchParams({ name }));
  return JSON.parse(json)[0]?.id ?? 0;
}

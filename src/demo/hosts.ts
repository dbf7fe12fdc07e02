// Hosts, groups and aliases: registered over the year, some renamed or moved, and one deleted.
import { type Caller, consoleCaller } from "../auth/auth.ts";
import * as items from "../inventory/items/items.ts";
import * as cnames from "../network/cnames/cnames.ts";
import * as groups from "../network/groups/groups.ts";
import * as hosts from "../network/hosts/hosts.ts";
import * as interfaces from "../network/interfaces/interfaces.ts";
import type { DemoEvent } from "./event.ts";
import { generator, MINUTE, type Random } from "./random.ts";

interface DemoHost {
  name: string;
  device_type: string;
  network: string;
  description?: string;
  is_ioc?: boolean;
  tags?: string[];
  site?: Record<string, unknown>;
  groups?: string[];
  vars?: Record<string, unknown>;
  /** Mounts an item of this model that is not on a host yet. */
  model?: string;
  /** More interfaces: suffixes of the host name, with their networks. */
  more?: Record<string, string>;
  /** Other names of the main interface. */
  cnames?: string[];
}

const GROUPS: Array<Parameters<typeof groups.create>[1]> = [
  { name: "linux", vars: { ansible_user: "automation", ntp_servers: ["ntp1", "ntp2"] } },
  { name: "servers", vars: { monitoring: true, backup: "daily" } },
  { name: "iocs", vars: { monitoring: true, epics_base: "7.0.8", autosave: true } },
  { name: "timing", vars: { ansible_group_priority: 10, ntp_servers: ["gm1", "gm2"] } },
  { name: "archivers", vars: { backup: "hourly", retention_days: 365 } },
  { name: "network-devices", vars: { ansible_connection: "network_cli" } },
];
const CHILD_GROUPS: Record<string, string[]> = {
  linux: ["servers", "iocs"],
  servers: ["archivers"],
  iocs: ["timing"],
};

export function hostEvents(): DemoEvent[] {
  const random = generator(2_718);
  return [
    ...GROUPS.map((group, at) => ({
      day: 20 + at / 10,
      by: "dave",
      run: (caller: Caller) => groups.create(caller, group),
    })),
    ...Object.entries(CHILD_GROUPS).map(([name, children], at) => ({
      day: 21 + at / 10,
      by: "dave",
      run: async (caller: Caller) =>
        groups.update(caller, await keyOf(groups.list, name), { children }),
    })),
    {
      day: 300,
      by: "dave",
      run: (caller: Caller) =>
        groups.create(caller, {
          name: "klystron-iocs",
          type: "query",
          query: "name:ioc-kly* AND is_ioc:true",
        }),
    },
    ...hostPlans(random).flatMap((one) => hostRegistration(random, one)),
    ...changes(),
  ];
}

function hostPlans(random: Random): DemoHost[] {
  const iocs = ["vac", "rf", "bpm", "mag", "cryo", "mps"].flatMap((system) =>
    Array.from({ length: 5 }, (_, at) => ({
      name: `ioc-${system}-${number(at)}`,
      device_type: "MTCA-AMC",
      network: "Accelerator",
      is_ioc: true,
      tags: ["epics", system],
      groups: ["iocs"],
      vars: { ioc: { system, section: `S${random.between(1, 9)}0` } },
      ...(at % 2 ? {} : { model: "AM G64/471" }),
    })),
  );
  const klystrons = Array.from({ length: 8 }, (_, at) => ({
    name: `ioc-kly-${number(at)}`,
    device_type: "VME",
    network: "Klystron-Gallery",
    is_ioc: true,
    tags: ["epics", "rf", "klystron"],
    site: { owner: "RF group" },
    groups: ["iocs"],
    model: "IFC 1211",
    vars: { ioc: { system: "rf", klystron: at + 1 } },
  }));
  const timing = Array.from({ length: 4 }, (_, at) => ({
    name: `evr-${number(at)}`,
    device_type: "MTCA-AMC",
    network: "Timing",
    is_ioc: true,
    groups: ["timing"],
    model: "mTCA-EVR-300U",
    more: { v6: "Timing-6" },
  }));
  const desks = Array.from({ length: 12 }, (_, at) => ({
    name: `desk-${number(at)}`,
    device_type: "Physical",
    network: at % 2 ? "Office-East" : "Office-West",
    description: "Workplace",
  }));
  const benches = Array.from({ length: 11 }, (_, at) => ({
    name: `gauge-${number(at)}`,
    device_type: "PLC",
    network: "VacuumLab",
    tags: ["vac"],
    site: { owner: "Vacuum group" },
    description: "Gauge controller on the bench",
  }));
  return [...SERVERS, ...iocs, ...klystrons, ...timing, ...desks, ...benches];
}

const SERVERS: DemoHost[] = [
  {
    name: "archiver-01",
    device_type: "Physical",
    network: "Accelerator",
    description: "Keeps what the machine says",
    groups: ["archivers"],
    model: "PowerEdge R650",
    more: { mgmt: "CSLab" },
    cnames: ["archiver"],
    vars: { storage: "/data/archive" },
  },
  {
    name: "archiver-02",
    device_type: "Physical",
    network: "Accelerator",
    description: "Takes over when archiver-01 is away",
    groups: ["archivers"],
    model: "PowerEdge R650",
    more: { mgmt: "CSLab" },
  },
  {
    name: "store-01",
    device_type: "Physical",
    network: "Accelerator",
    groups: ["servers"],
    model: "SSG-6049P",
    description: "Home directories and measurements",
    cnames: ["home", "data"],
  },
  {
    name: "web-01",
    device_type: "Virtual",
    network: "DMZ-Web",
    groups: ["servers"],
    description: "The public pages",
    cnames: ["www"],
    vars: { certificates: ["www.example.org"] },
  },
  {
    name: "git-01",
    device_type: "Virtual",
    network: "CSLab",
    groups: ["servers"],
    cnames: ["git"],
  },
  {
    name: "safety-plc-01",
    device_type: "PLC",
    network: "Personnel-Safety",
    description: "Interlock of the target station",
    model: "SIMATIC S7-1516F",
  },
  {
    name: "sw-core-01",
    device_type: "Network",
    network: "Core",
    groups: ["network-devices"],
    model: "QFX5120-48Y",
  },
  {
    name: "sw-core-02",
    device_type: "Network",
    network: "Core",
    groups: ["network-devices"],
    model: "QFX5120-48Y",
  },
];

function hostRegistration(
  random: Random,
  { groups: into, vars, model, more, cnames: other, ...plain }: DemoHost,
) {
  const day = random.between(90, 320) + random.between(8 * 60, 16 * 60) * MINUTE;
  const by = plain.network === "Core" || plain.network === "Personnel-Safety" ? "alice" : "dave";
  const mac = `0a:27:${Array.from({ length: 4 }, () => hex(random.between(0, 255))).join(":")}`;
  const register = async (caller: Caller) =>
    hosts.create(caller, {
      ...plain,
      mac,
      items: model ? await freeItem(model) : [],
      automation_groups: into ?? [],
      automation_vars: vars ?? {},
    });
  const add = Object.entries(more ?? {}).map(([suffix, network], at) => ({
    day: day + (at + 1) * MINUTE,
    by,
    run: (caller: Caller) =>
      interfaces.create(caller, { host: plain.name, name: `${plain.name}-${suffix}`, network }),
  }));
  const alias = (other ?? []).map((name, at) => ({
    day: day + (at + 5) * MINUTE,
    by,
    run: async (caller: Caller) =>
      cnames.create(caller, { name, interface_id: await keyOf(interfaces.list, plain.name) }),
  }));
  return [{ day, by, run: register }, ...add, ...alias];
}

function changes(): DemoEvent[] {
  return [
    {
      day: 330.4,
      by: "dave",
      run: async (caller) =>
        hosts.update(caller, await keyOf(hosts.list, "git-01"), { name: "forge-01" }),
    },
    {
      day: 335.5,
      by: "dave",
      run: async (caller) =>
        hosts.update(caller, await keyOf(hosts.list, "ioc-vac-03"), {
          description: "Moved to section S40 with its crate",
          automation_vars: { ioc: { system: "vac", section: "S40" } },
        }),
    },
    {
      day: 341.6,
      by: "dave",
      run: async (caller) =>
        interfaces.update(caller, await keyOf(interfaces.list, "desk-12"), {
          network: "Office-West",
        }),
    },
    {
      day: 350.5,
      by: "dave",
      run: async (caller) => hosts.remove(caller, await keyOf(hosts.list, "desk-07")),
    },
  ];
}

type List = (caller: Caller, params: URLSearchParams) => Promise<{ json: string }>;

async function keyOf(list: List, name: string): Promise<number> {
  const { json } = await list(consoleCaller, new URLSearchParams({ name }));
  return JSON.parse(json)[0]?.id ?? 0;
}

/** An item in a rack or crate that is not on a host yet. */
async function freeItem(model: string): Promise<string[]> {
  const wanted = { model, host__isnull: "true", parent__isnull: "false", per_page: "1" };
  const { json } = await items.list(consoleCaller, new URLSearchParams(wanted));
  const [found] = JSON.parse(json);
  return found ? [found.ics_id] : [];
}

function number(at: number): string {
  return String(at + 1).padStart(2, "0");
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

// The example site for searches, as input for the API. Its hosts are unusual on purpose:
// each one is a case that a wrong query would find or miss.

export const domains = ["lab.example.org", "acc.example.org"];

export const scopes = [
  { name: "Lab", first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain: "lab.example.org" },
  {
    name: "Accelerator",
    first_vlan: 100,
    last_vlan: 199,
    supernet: "172.18.0.0/16",
    domain: "acc.example.org",
  },
  {
    name: "Sixth",
    first_vlan: 300,
    last_vlan: 399,
    supernet: "2001:db8::/32",
    domain: "acc.example.org",
  },
];

export const networks = [
  network("LabNet-A", { scope: "Lab", vlan_id: 11, start: "10.1.1" }),
  network("LabNet-B", { scope: "Lab", vlan_id: 12, start: "10.1.2" }),
  network("AccCtrl", { scope: "Accelerator", vlan_id: 100, start: "172.18.0" }),
  network("AccTim", { scope: "Accelerator", vlan_id: 101, start: "172.18.1" }),
  {
    vlan_name: "Six-1",
    scope: "Sixth",
    vlan_id: 301,
    address: "2001:db8:1::/64",
    netmask: "ffff:ffff:ffff:ffff::",
    first_ip: "2001:db8:1::1",
    last_ip: "2001:db8:1::ff",
    gateway: "2001:db8:1::fe",
  },
];

function network(
  vlan_name: string,
  { start, ...rest }: { scope: string; vlan_id: number; start: string },
) {
  return {
    vlan_name,
    ...rest,
    address: `${start}.0/24`,
    netmask: "255.255.255.0",
    first_ip: `${start}.1`,
    last_ip: `${start}.200`,
    gateway: `${start}.254`,
  };
}

export const groups = ["linux", "servers", "timing", "R&D", "beam line"];

export const attributes = {
  manufacturers: ["ACME Corp", "Zenith"],
  models: ["X100", "X200 rev B"],
  locations: ["Room 12", "Gallery"],
  statuses: ["In service", "Spare"],
};

export const items = [
  {
    ics_id: "AAA001",
    serial_number: "SN-1/A",
    manufacturer: "ACME Corp",
    model: "X100",
    location: "Room 12",
    status: "In service",
    comments: [],
  },
  {
    ics_id: "AAB002",
    serial_number: "12345",
    manufacturer: "Zenith",
    model: "X200 rev B",
    location: "Gallery",
    status: "Spare",
    comments: ["Fan replaced, works again.", "Checked"],
  },
  {
    ics_id: "AAB003",
    serial_number: "0042",
    manufacturer: "ACME Corp",
    location: "Room 12",
    status: "Spare",
    comments: [],
  },
];

export interface SiteInterface {
  name: string;
  network: string;
  ip: string;
  mac?: string;
  description?: string;
  cnames?: string[];
}

export interface SiteHost {
  name: string;
  device_type: string;
  /** The time of creation, which is set in the database because the API does not accept it. */
  created_at: string;
  is_ioc?: boolean;
  description?: string;
  items?: string[];
  automation_vars?: Record<string, unknown>;
  automation_groups?: string[];
  interfaces: SiteInterface[];
}

// The hosts of the site.
import type { SiteHost, SiteInterface } from "./site.ts";

export const hosts: SiteHost[] = [
  {
    ...host("ts2-01", "Physical", "2024-01-15 08:30"),
    description: "Timing receiver",
    is_ioc: true,
    automation_groups: ["timing", "linux"],
    automation_vars: { port: 8080, ntp: "gm1" },
    interfaces: [on("AccTim", "ts2-01", "172.18.1.11", "02:42:42:00:00:01")],
  },
  {
    ...host("ts2-02", "Physical", "2024-02-01 00:00"),
    description: "Timing receiver, spare",
    is_ioc: true,
    automation_groups: ["timing"],
    automation_vars: { port: 8081, ntp: "gm2" },
    interfaces: [on("AccTim", "ts2-02", "172.18.1.12", "02:42:42:00:00:02")],
  },
  {
    ...host("ts2-10", "Network", "2024-02-29 23:59"),
    description: "TIMING master",
    automation_groups: ["timing"],
    interfaces: [on("AccTim", "ts2-10", "172.18.1.20")],
  },
  {
    ...host("archiver-01", "Virtual", "2024-03-01 00:00"),
    description: "Archiver appliance",
    automation_groups: ["linux", "servers"],
    automation_vars: { retention: 365, debug: false },
    interfaces: [on("LabNet-A", "archiver-01", "10.1.1.10", "02:42:42:00:01:0a")],
  },
  {
    ...host("archiver-02", "Virtual", "2024-03-10 12:00"),
    description: "Archiver appliance for tests",
    automation_groups: ["servers"],
    automation_vars: { retention: 30, debug: true },
    interfaces: [on("LabNet-A", "archiver-02", "10.1.1.11")],
  },
  {
    ...host("arch", "Virtual", "2024-03-31 23:59"),
    description: "appliance: archiver",
    interfaces: [on("LabNet-A", "arch", "10.1.1.9")],
  },
  {
    ...host("sw01", "Network", "2023-12-31 23:59"),
    description: "sw01 sw02",
    interfaces: [on("LabNet-B", "sw01", "10.1.2.1", "02:42:42:00:02:01")],
  },
  {
    ...host("sw02", "Network", "2024-01-01 00:00"),
    description: "Switch of room 12",
    interfaces: [on("LabNet-B", "sw02", "10.1.2.2")],
  },
  {
    ...host("sw03", "Network", "2024-01-01 10:30"),
    interfaces: [on("LabNet-B", "sw03", "10.1.2.30")],
  },
  {
    ...host("web-01", "Virtual", "2024-06-01 10:30"),
    description: "Web server (public)",
    automation_groups: ["servers", "linux"],
    automation_vars: { tags: ["red", "blue"], note: "", ratio: 2 },
    interfaces: [
      { ...on("LabNet-A", "web-01", "10.1.1.50"), cnames: ["www.lab.example.org"] },
      { ...on("LabNet-B", "web-01-b", "10.1.2.50"), description: "Towards the backup" },
    ],
  },
  {
    ...host("web-02", "Virtual", "2024-06-01 10:31"),
    description: "<5 volts",
    automation_vars: { tags: ["green"], ratio: 0.5 },
    interfaces: [{ ...on("LabNet-B", "web-02", "10.1.2.51"), cnames: ["wiki.lab.example.org"] }],
  },
  {
    ...host("plc-7", "PLC", "2025-01-01 00:00"),
    description: "R&D vacuum PLC",
    automation_groups: ["R&D"],
    automation_vars: { slot: 7 },
    interfaces: [on("AccCtrl", "plc-7", "172.18.0.7")],
  },
  {
    ...host("mtca-11", "MTCA-AMC", "2025-01-06 06:00"),
    is_ioc: true,
    items: ["AAA001"],
    automation_groups: ["beam line"],
    interfaces: [on("AccCtrl", "mtca-11", "172.18.0.11")],
  },
  {
    ...host("mtca-12", "MTCA-MCH", "2025-01-12 23:59"),
    items: ["AAB002", "AAB003"],
    automation_vars: { slot: 12 },
    interfaces: [on("AccCtrl", "mtca-12", "172.18.0.12")],
  },
  {
    ...host("vme-1", "VME", "2025-02-28 00:00"),
    description: "a and b",
    interfaces: [on("AccCtrl", "vme-1", "172.18.0.100")],
  },
  {
    ...host("six-1", "Virtual", "2025-03-01 00:00"),
    description: "IPv6 only",
    interfaces: [on("Six-1", "six-1", "2001:db8:1::10", "02:42:42:00:06:01")],
  },
  { ...host("bare", "Physical", "2025-03-02 00:00"), automation_vars: { gone: null, none: [] } },
  { ...host("cafe-1", "Physical", "2025-03-03 00:00"), description: "Café du lac" },
  { ...host("cafe-2", "Physical", "2025-03-04 00:00"), description: "Cafe du lac" },
  {
    ...host("storm", "Physical", "2025-03-05 00:00"),
    description: 'C:\\data "new" file',
    automation_vars: { path: "C:\\data", line: "one  two" },
  },
  {
    ...host("strom", "Physical", "2025-03-06 00:00"),
    automation_vars: { face: "😀😀", word: "日本語", nested: { depth: { level: 3 } } },
  },
  { ...host("storms", "Physical", "2025-03-07 00:00"), automation_vars: { slot: -3 } },
  {
    ...host("not-ioc", "Physical", "2025-03-08 00:00"),
    description: "NOT an IOC",
    automation_vars: { expr: "x=y", word: "NOT" },
  },
  {
    ...host("box-1", "Physical", "2025-03-09 00:00"),
    automation_vars: { sign: "-", expr: "a||b", star: "*", when: "12:30" },
  },
  {
    ...host("box-2", "Physical", "2025-03-10 00:00"),
    description: "Line one\nline two",
    automation_vars: { sign: "+", expr: "a?b", slot: 10.5, when: ">5", path: "a/b" },
  },
];

function host(name: string, device_type: string, created_at: string) {
  return { name, device_type, created_at, interfaces: [] as SiteInterface[] };
}

function on(network: string, name: string, ...[ip, mac]: [ip: string, mac?: string]) {
  return { network, name, ip, ...(mac && { mac }) };
}

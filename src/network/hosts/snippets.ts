// What others need to be told of a host: the name server, the DHCP server, Ansible, a terminal.
import { readAddress } from "../../input/addresses.ts";

export interface Described {
  name: string;
  fqdn: string;
  automation_vars: object;
  interfaces: Connection[];
}

export interface Connection {
  name: string;
  is_main: boolean;
  ip: string;
  mac: string | null;
  domain: string;
  cnames: Array<{ name: string }>;
}

export interface Snippet {
  title: string;
  text: string;
}

/** Those that there is something to say in. */
export function snippets(host: Described): Snippet[] {
  const leased = host.interfaces.filter(({ mac }) => mac !== null);
  const all = [
    { title: "ssh", text: `ssh ${host.fqdn}` },
    { title: "Ansible host_vars", text: hostVars(host) },
    { title: "DNS", text: zoneLines(host).join("\n") },
    { title: "DHCP: Kea", text: leased.map(kea).join(",\n") },
    { title: "DHCP: dnsmasq", text: leased.map(dnsmasq).join("\n") },
  ];
  return all.filter(({ text }) => text !== "");
}

/** In JSON, which is YAML too. */
function hostVars({ fqdn, automation_vars, interfaces }: Described): string {
  const main = interfaces.find(({ is_main }) => is_main);
  const vars = main ? { ansible_host: main.ip, ...automation_vars } : automation_vars;
  return `# host_vars/${fqdn}.yml\n${JSON.stringify(vars, null, 2)}`;
}

function zoneLines({ fqdn, interfaces }: Described): string[] {
  const lines = interfaces.flatMap((one) => {
    const full = fullName(one);
    return [
      `${full}. IN ${typeOf(one)} ${one.ip}`,
      `${reversed(one.ip)}. IN PTR ${full}.`,
      ...one.cnames.map(({ name }) => `${name}. IN CNAME ${full}.`),
    ];
  });
  const main = interfaces.find(({ is_main }) => is_main);
  const isOwn = interfaces.some((one) => fullName(one) === fqdn);
  return main && !isOwn ? [`${fqdn}. IN ${typeOf(main)} ${main.ip}`, ...lines] : lines;
}

function kea({ name, ip, mac }: Connection): string {
  const address = ip.includes(":") ? { "ip-addresses": [ip] } : { "ip-address": ip };
  return JSON.stringify({ "hw-address": mac, ...address, hostname: name }, null, 2);
}

function dnsmasq({ name, ip, mac }: Connection): string {
  return `dhcp-host=${mac},${ip.includes(":") ? `[${ip}]` : ip},${name}`;
}

function typeOf({ ip }: Connection): string {
  return ip.includes(":") ? "AAAA" : "A";
}

function fullName({ name, domain }: Connection): string {
  return `${name}.${domain}`;
}

/** 10.0.1.2 is looked up as 2.1.0.10.in-addr.arpa, an IPv6 address digit by digit. */
export function reversed(ip: string): string {
  const address = readAddress(ip);
  if (address?.family === 4) return `${ip.split(".").toReversed().join(".")}.in-addr.arpa`;
  const digits = (address?.value ?? 0n).toString(16).padStart(32, "0");
  return `${[...digits].toReversed().join(".")}.ip6.arpa`;
}

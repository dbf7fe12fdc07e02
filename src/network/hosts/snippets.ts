// Configuration snippets for a host: ssh, Ansible, DNS and DHCP.
import { readAddress } from "../../input/addresses.ts";

interface SnippetHost {
  name: string;
  fqdn: string;
  automation_vars: object;
  interfaces: SnippetInterface[];
}

interface SnippetInterface {
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

/** Only snippets that are not empty. */
export function snippets(host: SnippetHost): Snippet[] {
  const withMac = host.interfaces.filter(({ mac }) => mac !== null);
  const all = [
    { title: "ssh", text: `ssh ${host.fqdn}` },
    { title: "Ansible host_vars", text: hostVars(host) },
    { title: "DNS", text: zoneLines(host).join("\n") },
    { title: "DHCP: Kea", text: withMac.map(kea).join(",\n") },
    { title: "DHCP: dnsmasq", text: withMac.map(dnsmasq).join("\n") },
  ];
  return all.filter(({ text }) => text !== "");
}

/** In JSON, which is YAML too. */
function hostVars({ fqdn, automation_vars, interfaces }: SnippetHost): string {
  const main = interfaces.find(({ is_main }) => is_main);
  const vars = main ? { ansible_host: main.ip, ...automation_vars } : automation_vars;
  return `# host_vars/${fqdn}.yml\n${JSON.stringify(vars, null, 2)}`;
}

function zoneLines({ fqdn, interfaces }: SnippetHost): string[] {
  const lines = interfaces.flatMap((one) => {
    const full = fullName(one);
    return [
      `${full}. IN ${typeOf(one)} ${one.ip}`,
      `${reverseName(one.ip)}. IN PTR ${full}.`,
      ...one.cnames.map(({ name }) => `${name}. IN CNAME ${full}.`),
    ];
  });
  const main = interfaces.find(({ is_main }) => is_main);
  const isOwn = interfaces.some((one) => fullName(one) === fqdn);
  return main && !isOwn ? [`${fqdn}. IN ${typeOf(main)} ${main.ip}`, ...lines] : lines;
}

function kea({ name, ip, mac }: SnippetInterface): string {
  const address = ip.includes(":") ? { "ip-addresses": [ip] } : { "ip-address": ip };
  return JSON.stringify({ "hw-address": mac, ...address, hostname: name }, null, 2);
}

function dnsmasq({ name, ip, mac }: SnippetInterface): string {
  return `dhcp-host=${mac},${ip.includes(":") ? `[${ip}]` : ip},${name}`;
}

function typeOf({ ip }: SnippetInterface): string {
  return ip.includes(":") ? "AAAA" : "A";
}

function fullName({ name, domain }: SnippetInterface): string {
  return `${name}.${domain}`;
}

/** The name of the PTR record: 2.1.0.10.in-addr.arpa for 10.0.1.2, digit by digit for IPv6. */
export function reverseName(ip: string): string {
  const address = readAddress(ip);
  if (address?.family === 4) return `${ip.split(".").toReversed().join(".")}.in-addr.arpa`;
  const digits = (address?.value ?? 0n).toString(16).padStart(32, "0");
  return `${[...digits].toReversed().join(".")}.ip6.arpa`;
}

import { describe, expect, test } from "bun:test";
import { reverseName, snippets } from "../../src/network/hosts/snippets.ts";

const HOST = { name: "ws-01", fqdn: "ws-01.lab.example", automation_vars: { port: 1 } };
const MAIN = {
  name: "ws-01",
  is_main: true,
  ip: "10.0.1.2",
  mac: "02:42:42:00:00:01",
  domain: "lab.example",
  cnames: [{ name: "www.lab.example" }],
};

function textOf(title: string, interfaces: Array<typeof MAIN | (typeof MAIN & { mac: null })>) {
  return snippets({ ...HOST, interfaces }).find((one) => one.title === title)?.text;
}

describe("the snippets of a host", () => {
  test.each([
    ["10.0.1.2", "2.1.0.10.in-addr.arpa"],
    ["2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
    ["::ff", `f.f.${"0.".repeat(30)}ip6.arpa`],
  ])("the address %s is looked up as %s", (ip, name) => {
    expect(reverseName(ip)).toBe(name);
  });

  test("have addresses, reverse names and aliases for the name server", () => {
    expect(textOf("DNS", [MAIN])?.split("\n")).toEqual([
      "ws-01.lab.example. IN A 10.0.1.2",
      "2.1.0.10.in-addr.arpa. IN PTR ws-01.lab.example.",
      "www.lab.example. IN CNAME ws-01.lab.example.",
    ]);
  });

  test("have an address for a host whose main interface has another name", () => {
    const other = { ...MAIN, name: "eth-0", ip: "2001:db8::1", cnames: [] };
    expect(textOf("DNS", [other])?.split("\n").slice(0, 2)).toEqual([
      "ws-01.lab.example. IN AAAA 2001:db8::1",
      "eth-0.lab.example. IN AAAA 2001:db8::1",
    ]);
  });

  test("have reservations in the notation of each address, and none without a MAC address", () => {
    const six = { ...MAIN, ip: "2001:db8::1" };
    expect(JSON.parse(textOf("DHCP: Kea", [six]) ?? "")).toEqual({
      "hw-address": "02:42:42:00:00:01",
      "ip-addresses": ["2001:db8::1"],
      hostname: "ws-01",
    });
    expect(textOf("DHCP: dnsmasq", [MAIN, six])?.split("\n")).toEqual([
      "dhcp-host=02:42:42:00:00:01,10.0.1.2,ws-01",
      "dhcp-host=02:42:42:00:00:01,[2001:db8::1],ws-01",
    ]);
    expect(textOf("DHCP: dnsmasq", [{ ...MAIN, mac: null } as never])).toBeUndefined();
  });

  test("use the ansible_host variable of the host where it is set", () => {
    const vars = { ansible_host: "jump.example" };
    const [, ansible] = snippets({ ...HOST, automation_vars: vars, interfaces: [MAIN] });
    expect(ansible?.text).toBe(
      '# host_vars/ws-01.lab.example.yml\n{\n  "ansible_host": "jump.example"\n}',
    );
  });
});

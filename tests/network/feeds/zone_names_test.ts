import { describe, expect, test } from "bun:test";
import { formatBlock, readBlock } from "../../../src/input/addresses.ts";
import { blockOf, ownerIn, zoneOf, zonesOf } from "../../../src/network/feeds/zone_names.ts";

/** A zone, its block, an address in it and the name of the address in the zone. */
const ZONES: Array<[zone: string, block: string, address: string, owner: string]> = [
  ["10.in-addr.arpa", "10.0.0.0/8", "10.1.2.3", "3.2.1"],
  ["1.10.in-addr.arpa", "10.1.0.0/16", "10.1.2.3", "3.2"],
  ["2.0.192.in-addr.arpa", "192.0.2.0/24", "192.0.2.255", "255"],
  ["64-26.2.0.192.in-addr.arpa", "192.0.2.64/26", "192.0.2.65", "65"],
  ["255-32.2.0.192.in-addr.arpa", "192.0.2.255/32", "192.0.2.255", "255"],
  ["0.0.10.in-addr.arpa", "10.0.0.0/24", "10.0.0.1", "1"],
  ["8.b.d.0.1.0.0.2.ip6.arpa", "2001:db8::/32", "2001:db8::1", `1.${"0.".repeat(22)}0`],
  [
    "f.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
    "2001:db8:f::/48",
    "2001:db8:f:1::a",
    `a.${"0.".repeat(15)}1.0.0.0`,
  ],
];

describe("a reverse zone", () => {
  test.each(ZONES)("%s is %s", (zone, block, address, owner) => {
    const found = blockOf(zone)!;
    expect(formatBlock(found)).toBe(block);
    expect(zoneOf(found)).toBe(zone);
    expect(ownerIn(found, address)).toBe(owner);
  });

  test.each([
    ["lab.example.org"],
    ["in-addr.arpa"],
    [".in-addr.arpa"],
    ["1.2.3.4.in-addr.arpa"],
    ["010.in-addr.arpa"],
    ["300.in-addr.arpa"],
    ["1-26.2.0.192.in-addr.arpa"],
    ["064-26.2.0.192.in-addr.arpa"],
    ["0-24.2.0.192.in-addr.arpa"],
    ["0-33.2.0.192.in-addr.arpa"],
    ["0-26.0.192.in-addr.arpa"],
    ["ip6.arpa"],
    ["10.ip6.arpa"],
    [`${"0.".repeat(32)}ip6.arpa`],
  ])("is not named %j", (name) => {
    expect(blockOf(name)).toBe(undefined);
  });
});

describe("a network", () => {
  test.each([
    ["10.0.0.0/8", "10.0.0.0/8", ["10.in-addr.arpa"]],
    ["10.1.0.0/16", "10.0.0.0/8", ["1.10.in-addr.arpa"]],
    ["10.2.0.0/15", "10.0.0.0/8", ["2.10.in-addr.arpa", "3.10.in-addr.arpa"]],
    ["10.1.2.0/23", "10.1.0.0/16", ["2.1.10.in-addr.arpa", "3.1.10.in-addr.arpa"]],
    ["10.1.2.0/24", "10.1.0.0/16", ["2.1.10.in-addr.arpa"]],
    ["10.1.2.64/26", "10.1.0.0/16", ["2.1.10.in-addr.arpa"]],
    ["192.0.2.64/27", "192.0.2.64/26", ["64-27.2.0.192.in-addr.arpa"]],
    ["2001:db8::/32", "2001:db8::/32", ["8.b.d.0.1.0.0.2.ip6.arpa"]],
    ["2001:db8::/31", "2001:d00::/24", ["8.b.d.0.1.0.0.2.ip6.arpa", "9.b.d.0.1.0.0.2.ip6.arpa"]],
  ] as const)("%s of %s is in %j", (network, supernet, zones) => {
    const found = zonesOf(readBlock(network)!, readBlock(supernet)!);
    expect(found.map(zoneOf)).toEqual([...zones]);
  });
});

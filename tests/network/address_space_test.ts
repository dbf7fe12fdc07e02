import { describe, expect, test } from "bun:test";
import { type Block, formatAddress, formatBlock, readBlock } from "../../src/input/addresses.ts";
import { type AddressRow, interleave, type UsedAddress } from "../../src/network/addresses/rows.ts";
import {
  blockPosition,
  freeBlocks,
  gaps,
  proposedRange,
  usableRange,
} from "../../src/network/addresses/space.ts";

function block(text: string): Block {
  return readBlock(text)!;
}

function blocks(...texts: string[]): Block[] {
  return texts.map(block);
}

describe("the gaps of a network", () => {
  test.each([
    ["10.0.0.0/24", [], ["10.0.0.0/24"]],
    ["10.0.0.0/24", ["10.0.0.0/24"], []],
    ["10.0.0.0/24", ["10.0.0.0/16"], []],
    ["10.0.0.0/24", ["10.9.0.0/16"], ["10.0.0.0/24"]],
    ["10.0.0.0/24", ["10.0.0.0/25"], ["10.0.0.128/25"]],
    ["10.0.0.0/24", ["10.0.0.64/26"], ["10.0.0.0/26", "10.0.0.128/25"]],
    ["10.0.0.0/30", ["10.0.0.1/32"], ["10.0.0.0/32", "10.0.0.2/31"]],
    ["10.0.0.0/24", ["10.0.0.0/26", "10.0.0.192/26"], ["10.0.0.64/26", "10.0.0.128/26"]],
    ["2001:db8::/48", ["2001:db8::/49"], ["2001:db8:0:8000::/49"]],
  ])("%s without %p is %p", (whole, used, expected) => {
    expect(gaps(block(whole), blocks(...used)).map(formatBlock)).toEqual(expected);
  });

  test("of a /8 with one address in use are found quickly", () => {
    const found = gaps(block("10.0.0.0/8"), blocks("10.77.3.9/32"));
    expect(found).toHaveLength(24);
  });
});

describe("the free blocks of a size", () => {
  test("are listed in order and counted beyond the list", () => {
    const used = blocks("10.0.0.0/25", "10.0.2.0/24");
    const { blocks: found, total } = freeBlocks(block("10.0.0.0/22"), used, {
      prefix: 25,
      most: 3,
    });
    expect(found.map(formatBlock)).toEqual(["10.0.0.128/25", "10.0.1.0/25", "10.0.1.128/25"]);
    expect(total).toBe(5n);
  });

  test("are none where only smaller ones are left", () => {
    const used = blocks("10.0.0.0/25", "10.0.1.0/25");
    expect(freeBlocks(block("10.0.0.0/23"), used, { prefix: 24, most: 9 }).blocks).toEqual([]);
  });

  test("are computed, not enumerated, in an IPv6 supernet", () => {
    const { blocks: found, total } = freeBlocks(block("2001:db8::/32"), [], {
      prefix: 64,
      most: 2,
    });
    expect(found.map(formatBlock)).toEqual(["2001:db8::/64", "2001:db8:0:1::/64"]);
    expect(total).toBe(2n ** 32n);
  });
});

describe("the first and last addresses of a network", () => {
  test.each([
    ["10.0.0.0/24", "10.0.0.1", "10.0.0.254"],
    ["10.0.0.0/30", "10.0.0.1", "10.0.0.2"],
    ["10.0.0.0/31", "10.0.0.0", "10.0.0.1"],
    ["10.0.0.7/32", "10.0.0.7", "10.0.0.7"],
    ["2001:db8::/64", "2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"],
    ["2001:db8::/127", "2001:db8::", "2001:db8::1"],
  ])("%s can be used from %s to %s", (text, first, last) => {
    const { family } = block(text);
    const { low, high } = usableRange(block(text));
    expect([low, high].map((value) => formatAddress({ family, value }))).toEqual([first, last]);
  });

  test.each([
    ["10.0.0.0/24", "10.0.0.1", "10.0.0.253", "10.0.0.254"],
    ["10.0.0.0/30", "10.0.0.1", "10.0.0.1", "10.0.0.2"],
    ["10.0.0.7/32", "10.0.0.7", "10.0.0.7", ""],
    ["2001:db8::/64", "2001:db8::2", "2001:db8::ffff:ffff:ffff:ffff", "2001:db8::1"],
  ])("%s is proposed with %s to %s and the gateway '%s'", (text, first_ip, last_ip, gateway) => {
    expect(proposedRange(block(text))).toEqual({ first_ip, last_ip, gateway });
  });
});

describe("the position of a block on the map", () => {
  test.each([
    ["10.0.0.0/16", { x: 0, y: 0, width: 1, height: 1 }],
    ["10.0.128.0/17", { x: 0.5, y: 0, width: 0.5, height: 1 }],
    ["10.0.64.0/18", { x: 0, y: 0.5, width: 0.5, height: 0.5 }],
    ["10.0.224.0/19", { x: 0.75, y: 0.5, width: 0.25, height: 0.5 }],
  ])("%s has its share of the width", (text, expected) => {
    expect(blockPosition(block("10.0.0.0/16"), block(text))).toEqual(expected);
  });
});

describe("addresses as rows", () => {
  const ground = {
    id: 1,
    address: "10.0.0.0/28",
    first_ip: "10.0.0.2",
    last_ip: "10.0.0.12",
    gateway: "10.0.0.14",
  };

  function said(rows: AddressRow[]): string[] {
    return rows.map((row) =>
      row.kind === "free" ? `${row.first}-${row.last} ${row.count}` : `${row.ip} ${row.kind}`,
    );
  }

  function rows(ips: string[], ends: [string, string] = ["0", "15"], more = {}) {
    const used = ips.map((ip) => ({
      id: 1,
      ip,
      name: "a",
      host: "a",
      mac: null,
      description: null,
    }));
    const [low, high] = ends.map((end) => block("10.0.0.0/28").first + BigInt(end));
    return said(
      interleave(used as UsedAddress[], { low: low!, high: high! }, { ...ground, ...more }),
    );
  }

  test("show the free ranges between those in use, within the range of the network", () => {
    expect(rows(["10.0.0.4", "10.0.0.5", "10.0.0.12"])).toEqual([
      "10.0.0.2-10.0.0.3 2",
      "10.0.0.4 used",
      "10.0.0.5 used",
      "10.0.0.6-10.0.0.11 6",
      "10.0.0.12 used",
      "10.0.0.14 gateway",
    ]);
  });

  test("exclude the gateway from the free ranges", () => {
    expect(rows([], ["0", "15"], { gateway: "10.0.0.5" })).toEqual([
      "10.0.0.2-10.0.0.4 3",
      "10.0.0.5 gateway",
      "10.0.0.6-10.0.0.12 7",
    ]);
  });

  test("list a gateway that an interface uses once", () => {
    expect(rows(["10.0.0.14"])).toEqual(["10.0.0.2-10.0.0.12 11", "10.0.0.14 used"]);
  });

  test("end with the page", () => {
    expect(rows(["10.0.0.6"], ["4", "6"])).toEqual(["10.0.0.4-10.0.0.5 2", "10.0.0.6 used"]);
  });

  test("never offer the network address or the broadcast address", () => {
    const whole = { first_ip: "10.0.0.0", last_ip: "10.0.0.15", gateway: null };
    expect(rows([], ["0", "15"], whole)).toEqual(["10.0.0.1-10.0.0.14 14"]);
  });
});

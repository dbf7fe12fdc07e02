// No query discloses a hidden host.
import { beforeEach, describe, expect, test } from "bun:test";
import { consoleCaller } from "../../src/auth/auth.ts";
import { offersFor as ofItems } from "../../src/inventory/items/query.ts";
import { suggestions } from "../../src/network/hosts/search.ts";
import { offersFor as ofInterfaces } from "../../src/network/interfaces/query.ts";
import { offersFor as ofNetworks } from "../../src/network/networks/query.ts";
import { aGroup, aHost, aNetwork, anInterface, anItem, aScope } from "../support/makers.ts";
import { alice, api, audrey, carol, namesOf, type Person } from "../support/mod.ts";

const CANARY = "canarybird";
const REVEALING = [
  `${CANARY}`,
  `name:${CANARY}`,
  "name:canary*",
  "*narybir*",
  "/canary.*/",
  "/canary@&~(x)/",
  "/canary~(x)/",
  "canarybrid~",
  "canarybid~1",
  "name:canarybir~2",
  "description:canarybird",
  "description:canarybrid~2",
  "fqdn:canary*",
  "interfaces.ip:10.66.0.0/16",
  "10.66.0.1",
  "network:Canarynet",
  "network:canarynt~1",
  "items.ics_id:CCC777",
  "items.serial_number:canaryserial~2",
  "automation_vars.cage:*",
  "automation_vars.cage:canarycagee~1",
];

async function secret() {
  const network = await aNetwork({
    vlan_name: "Canarynet",
    sensitive: true,
    scope: (await aScope({ supernet: "10.66.0.0/16" })).name,
    address: "10.66.0.0/24",
  });
  await anItem({ ics_id: "CCC777", serial_number: "canaryserial" });
  await aGroup({ name: "Birds" });
  await aHost({
    name: CANARY,
    network: network.vlan_name,
    description: "The canarybird itself",
    items: ["CCC777"],
    automation_vars: { cage: "canarycage" },
    automation_groups: ["Birds"],
  });
}

async function search(person: Person, query: string) {
  const path = `/network/hosts/search?sort=name&q=${encodeURIComponent(query)}`;
  const { status, body, headers, text } = await api(person).get(path);
  expect([query, status]).toEqual([query, 200]);
  return { names: namesOf(body), total: Number(headers.get("x-total-count")), text };
}

beforeEach(async () => {
  await aHost({ name: "sparrow" });
  await anInterface({ name: "sparrow-eth", host: "sparrow" });
  await secret();
});

describe("a hidden host", () => {
  test("is found by admins and auditors, and by nobody else, for any query", async () => {
    for (const query of REVEALING) {
      for (const person of [alice, audrey]) {
        expect([query, (await search(person, query)).names]).toEqual([query, [CANARY]]);
      }
      expect([query, await search(carol, query)]).toEqual([
        query,
        { names: [], total: 0, text: "[]" },
      ]);
    }
  });

  test("is disclosed neither by an exclusion nor by a count", async () => {
    for (const query of [
      "*",
      "NOT nothing",
      ...REVEALING.map((one) => `NOT ${one}`),
      "-group:Birds",
    ]) {
      const { names, total, text } = await search(carol, query);
      expect([query, names, total]).toEqual([query, ["sparrow"], 1]);
      expect(text, query).not.toContain("canary");
    }
    const { headers } = await api(carol).get("/network/hosts/search");
    expect(headers.get("x-total-count")).toBe("1");
  });

  test("is suggested only to those who may see it", async () => {
    const plain = { ...consoleCaller, groups: [] };
    expect(await suggestions(consoleCaller, "name:canarybrid")).toEqual(["name:canarybird"]);
    expect(await suggestions(plain, "name:canarybrid")).toEqual([]);
    expect(await suggestions(plain, "sparow AND NOT x")).toEqual(["sparrow AND NOT x"]);
    expect(await suggestions(plain, "name:(")).toEqual([]);
  });

  test("is not in the lists of its records and references", async () => {
    const plain = { ...consoleCaller, groups: [] };
    for (const [offers, query, meant] of [
      [ofItems, "host:canarybrid", "host:canarybird"],
      [ofNetworks, "Canarynte", "canarynet"],
      [ofNetworks, "interfaces:canarybrid", "interfaces:canarybird"],
      [ofInterfaces, "canarybrid", "canarybird"],
      [ofInterfaces, "network:Canarynte", "network:canarynet"],
    ] as const) {
      expect([query, (await offers(consoleCaller, query)).corrected]).toEqual([query, [meant]]);
      expect([query, (await offers(plain, query)).corrected]).toEqual([query, []]);
      expect((await offers(plain, "canarybird, Canarynet")).any).toBeUndefined();
    }
  });

  test("does not use up a suggestion", async () => {
    for (let number = 0; number < 13; number += 1) {
      await aHost({ name: `sparo${number.toString(36)}`, network: "Canarynet" });
    }
    const plain = { ...consoleCaller, groups: [] };
    expect(await suggestions(plain, "name:sparoo")).toEqual(["name:sparrow"]);
  });
});

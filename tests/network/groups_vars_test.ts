import { describe, expect, test } from "bun:test";
import {
  effective,
  inOrder,
  type VariableGroup,
  type Vars,
} from "../../src/network/variables/variables.ts";
import { aHost, alice, aNetwork, api, carol, dave } from "../support/mod.ts";

function aGroup(name: string, vars: Vars = {}, parents: string[] = []): VariableGroup {
  return { name, vars, parents };
}

/** Groups, and their names in the order of `sort_groups` of Ansible. */
const ORDERS: Array<[string, VariableGroup[], string[]]> = [
  ["by name, where nothing else decides", [aGroup("b"), aGroup("a"), aGroup("B")], ["B", "a", "b"]],
  ["parents before children", [aGroup("a", {}, ["z"]), aGroup("z")], ["z", "a"]],
  [
    "by the longest way from the top",
    [aGroup("a", {}, ["c", "d"]), aGroup("b", {}, ["d"]), aGroup("c", {}, ["d"]), aGroup("d")],
    ["d", "b", "c", "a"],
  ],
  [
    "by priority within a depth",
    [
      aGroup("a", { ansible_group_priority: 10 }),
      aGroup("b"),
      aGroup("c", { ansible_group_priority: -1 }),
    ],
    ["c", "b", "a"],
  ],
  [
    "never by priority over depth",
    [aGroup("a", { ansible_group_priority: 99 }), aGroup("b", {}, ["a"])],
    ["a", "b"],
  ],
  [
    "all before everything",
    [aGroup("Aa"), aGroup("all", { ansible_group_priority: 9 })],
    ["all", "Aa"],
  ],
];

describe("groups are merged", () => {
  test.each(ORDERS)("%s", (_, groups, names) => {
    expect(inOrder(groups).map(({ name }) => name)).toEqual(names);
    expect(inOrder(groups.toReversed()).map(({ name }) => name)).toEqual(names);
  });
});

interface Merge {
  groups: VariableGroup[];
  own?: Vars;
  vars: Vars;
}

const MERGES: Array<[string, Merge]> = [
  ["nothing", { groups: [], vars: {} }],
  [
    "a host's own come last",
    { groups: [aGroup("a", { x: 1, y: 2 })], own: { x: 3 }, vars: { x: 3, y: 2 } },
  ],
  [
    "whole values are replaced",
    { groups: [aGroup("a", { x: { p: 1 } }), aGroup("b", { x: { q: 2 } })], vars: { x: { q: 2 } } },
  ],
  [
    "a child replaces its parent, whatever their names",
    { groups: [aGroup("z", { x: 1 }), aGroup("a", { x: 2 }, ["z"])], vars: { x: 2 } },
  ],
  [
    "null is a value",
    { groups: [aGroup("a", { x: 1 }), aGroup("b", { x: null })], vars: { x: null } },
  ],
  [
    "the priority stays with the group",
    { groups: [aGroup("a", { ansible_group_priority: 2 })], vars: {} },
  ],
  [
    "odd names stand for themselves",
    {
      groups: [aGroup("a", JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'))],
      vars: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
    },
  ],
];

describe("the variables of a host", () => {
  test.each(MERGES)("%s", (_, { groups, own = {}, vars }) => {
    const found = effective({ name: "h", vars: own }, groups);
    expect(
      JSON.stringify(Object.fromEntries(found.map(({ variable, value }) => [variable, value]))),
    ).toBe(JSON.stringify(Object.fromEntries(Object.entries(vars).toSorted())));
  });

  test("list the values that each replaced, in order", () => {
    const groups = [aGroup("site", { ntp: "a" }), aGroup("rack", { ntp: "b" }, ["site"])];
    expect(effective({ name: "h", vars: { ntp: "c" } }, groups)).toEqual([
      {
        variable: "ntp",
        value: "c",
        group: null,
        host: "h",
        overrode: [
          { group: "site", host: null, value: "a" },
          { group: "rack", host: null, value: "b" },
        ],
      },
    ]);
  });
});

describe("GET /network/hosts/{id}/vars", () => {
  test("merges the groups that a host is in, static, by query and through others", async () => {
    const host = await aHost({ name: "ioc-01", automation_vars: { own: true, port: 3 } });
    const make = (fields: object) => api(dave).post("/network/groups", fields);
    await make({ name: "rack", vars: { port: 2, rack: "R1" }, hosts: ["ioc-01"] });
    await make({ name: "iocs", type: "query", query: "*ioc*", vars: { ioc: true } });
    await make({ name: "site", vars: { port: 1, ntp: "a" }, children: ["rack", "iocs"] });
    await make({ name: "elsewhere", vars: { port: 9 } });
    await api(alice).post("/network/groups", { name: "all", vars: { dns: "b", ntp: "z" } });
    const { status, body } = await api(carol).get(`/network/hosts/${host.id}/vars`);
    expect(status).toBe(200);
    expect(body.name).toBe("ioc-01");
    expect(body.vars).toEqual({ dns: "b", ioc: true, ntp: "a", own: true, port: 3, rack: "R1" });
    expect(body.origins.rack).toEqual({ group: "rack", host: null, overrode: [] });
    expect(body.origins.ntp.overrode).toEqual([{ group: "all", host: null, value: "z" }]);
    expect(body.origins.port).toEqual({
      group: null,
      host: "ioc-01",
      overrode: [
        { group: "site", host: null, value: 1 },
        { group: "rack", host: null, value: 2 },
      ],
    });
  });

  test("returns 404 for a hidden host", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    const { id } = await aHost({ network: vlan_name });
    expect((await api(alice).get(`/network/hosts/${id}/vars`)).status).toBe(200);
    const hidden = await api(carol).get(`/network/hosts/${id}/vars`);
    const absent = await api(carol).get(`/network/hosts/${id + 1000}/vars`);
    expect([hidden.status, hidden.body.detail]).toEqual([absent.status, absent.body.detail]);
    expect(hidden.status).toBe(404);
  });
});

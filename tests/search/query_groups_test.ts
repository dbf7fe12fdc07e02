// `group:` finds the members of static groups and of groups that choose theirs by a query.
import { beforeEach, describe, expect, test } from "bun:test";
import { aGroup, aHost, aNetwork } from "../support/makers.ts";
import { alice, api, carol, namesOf, type Person } from "../support/mod.ts";

async function found(query: string, person: Person = carol): Promise<string[]> {
  const path = `/network/hosts/search?sort=name&q=${encodeURIComponent(query)}`;
  const { status, body } = await api(person).get(path);
  expect([query, status]).toEqual([query, 200]);
  return namesOf(body);
}

function chosenBy(name: string, query: string) {
  return aGroup({ name, type: "query", query });
}

describe("group:", () => {
  beforeEach(async () => {
    await aGroup({ name: "Spare" });
    await aHost({ name: "ioc-1", is_ioc: true });
    await aHost({ name: "ioc-2", is_ioc: true, automation_groups: ["Spare"] });
    await aHost({ name: "web" });
    await chosenBy("IOCs", "is_ioc:true");
  });

  test("finds members by query as well as static ones, by any kind of term", async () => {
    const iocs = ["ioc-1", "ioc-2"];
    for (const name of ["IOCs", '"iocs"', "ioc*", "i?c*", "/IOC.*/", "iosc~1", "[ioc TO iod]"]) {
      expect([name, await found(`group:${name}`)]).toEqual([name, iocs]);
    }
    expect(await found("group:spare")).toEqual(["ioc-2"]);
    expect(await found("group:(IOCs AND Spare)")).toEqual(["ioc-2"]);
    expect(await found("group:*")).toEqual(iocs);
    expect(await found("_exists_:group")).toEqual(iocs);
    expect(await found("NOT group:*")).toEqual(["web"]);
    expect(await found("automation_groups:IOCs")).toEqual([]);
  });

  test("follows queries that name groups, also in a circle", async () => {
    await chosenBy("Ready", "group:IOCs AND NOT group:spare");
    await chosenBy("Chicken", "name:web OR group:Egg");
    await chosenBy("Egg", "group:Chicken OR group:Ready");
    expect(await found("group:Ready")).toEqual(["ioc-1"]);
    expect(await found("group:Egg")).toEqual(["ioc-1", "web"]);
    expect(await found("group:Chicken")).toEqual(["ioc-1", "web"]);
    const { body } = await api(carol).get("/network/groups?name=Ready");
    expect(body[0].hosts).toEqual(["ioc-1"]);
  });

  test("finds the members of a changed group at once", async () => {
    expect(await found("group:IOCs")).toHaveLength(2);
    const [group] = (await api(alice).get("/network/groups?name=IOCs")).body;
    await api(alice).patch(`/network/groups/${group.id}`, { query: "name:web" });
    expect(await found("group:IOCs")).toEqual(["web"]);
  });

  test("discloses no hidden members", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "ioc-x", is_ioc: true, network: vlan_name });
    expect(await found("group:IOCs")).toEqual(["ioc-1", "ioc-2"]);
    expect(await found("group:IOCs", alice)).toEqual(["ioc-1", "ioc-2", "ioc-x"]);
  });

  test("refuses a reference to too many queries", async () => {
    for (let level = 0; level < 10; level += 1) {
      await chosenBy(`Level ${level}`, `group:"Level ${level + 1}" AND group:"level ${level + 1}"`);
    }
    const { status, body } = await api(carol).get(`/network/hosts?q=group:"Level 0"`);
    expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining("too long")]);
  });
});

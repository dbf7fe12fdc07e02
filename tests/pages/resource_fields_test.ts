import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aGroup, aHost, alice, aNetwork, anItem, api, carol } from "../support/mod.ts";

/** With a column that only the description of its resource names. */
const LISTS: Array<[path: string, column: string]> = [
  ["/network/scopes", "created_at"],
  ["/network/domains", "created_at"],
  ["/network/networks", "netmask"],
  ["/network/interfaces", "netmask"],
  ["/network/hosts", "model"],
  ["/network/groups", "created_at"],
  ["/inventory/items", "stack_member"],
];

const FORMS = [
  "/network/scopes/create",
  "/network/domains/create",
  "/network/networks/create",
  "/network/interfaces/create/ws-01",
  "/network/interfaces/edit/ws-01",
  "/network/hosts/create",
  "/network/hosts/edit/ws-01",
  "/network/groups/create",
  "/network/groups/edit/Racks",
  "/inventory/items/create",
  "/inventory/items/edit/AAA001",
];

const RECORDS = [
  "/network/scopes/view/Laboratory",
  "/network/networks/view/Bench",
  "/network/hosts/view/ws-01",
  "/network/groups/view/Racks",
  "/inventory/items/view/AAA001",
];

async function someRecords(): Promise<void> {
  const { scope, vlan_name } = await aNetwork({ vlan_name: "Bench" });
  const scopes = await api(alice).get(`/network/scopes?name=${scope}`);
  await api(alice).patch(`/network/scopes/${scopes.body[0].id}`, { name: "Laboratory" });
  await anItem({ ics_id: "AAA001" });
  await aHost({ name: "ws-01", network: vlan_name, items: ["AAA001"] });
  await aGroup({ name: "Racks", hosts: ["ws-01"] });
}

function twice(texts: Array<string | undefined>): Array<string | undefined> {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}

describe("the fields of a resource", () => {
  test.each(LISTS)("are a column of %s once, %s among them", async (path, column) => {
    await someRecords();
    const own = await browser(carol);
    const { text } = await own.get(path);
    const names = elements(text, ".chooser input[name=cols]").map((one) => one.attributes.value!);
    expect(names).toContain(column);
    const all = new URLSearchParams(names.map((name) => ["cols", name]));
    const list = await own.get(`${path}?${all}`);
    expect(list.status).toBe(200);
    expect(twice(texts(list.text, "th"))).toEqual([]);
    expect(texts(list.text, "td").filter((cell) => cell.includes("[object"))).toEqual([]);
    expect((await own.get(`${path}?cols=${column}&sort=${column}`)).status).toBe(200);
  });

  test.each(FORMS)("have one input in %s", async (path) => {
    await someRecords();
    const { status, text } = await (await browser(alice)).get(path);
    expect(status).toBe(200);
    expect(twice(texts(text, "form.sheet label, form.sheet legend"))).toEqual([]);
    expect(twice(elements(text, "form.sheet [id]").map((one) => one.attributes.id))).toEqual([]);
  });

  test.each(RECORDS)("are a fact of %s once", async (path) => {
    await someRecords();
    const { status, text } = await (await browser(alice)).get(path);
    expect(status).toBe(200);
    expect(twice(texts(text, "dl.facts > dt"))).toEqual([]);
  });
});

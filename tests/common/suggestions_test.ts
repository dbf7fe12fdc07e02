// The name that was probably meant, where a name is refused that no record has.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aFeedNetwork } from "../support/feed_network.ts";
import { elements, texts } from "../support/html.ts";
import {
  aGroup,
  aHost,
  aLocation,
  alice,
  aManufacturer,
  aNetwork,
  anItem,
  api,
  aScope,
  bob,
  dave,
  type Person,
} from "../support/mod.ts";

const ITEMS = "/inventory/items";

async function messageFor(manufacturer: string): Promise<string> {
  const { body } = await api(bob).post(ITEMS, { serial_number: "S", manufacturer });
  return body.errors[0].message;
}

test("a part of one name alone is answered with that name, and a parent is called what it is", async () => {
  await aLocation({ name: "A02 Central store" });
  await aLocation({ name: "A03 Goods reception" });
  const answered = async (location: string) => {
    const { body } = await api(bob).post(ITEMS, { serial_number: "S", location });
    return body.errors[0].message;
  };
  expect(await answered("central store")).toEndWith('Did you mean "A02 Central store"?');
  expect(await answered("A0")).toBe("'A0' is not a valid location");
  expect(await answered("ore")).toEndWith('Did you mean "A02 Central store"?');
  expect(await answered("tion")).toEndWith('Did you mean "A03 Goods reception"?');
  expect(await answered("o")).toBe("'o' is not a valid location");
  const { body } = await api(bob).post("/inventory/locations", { name: "B", parent: "Nowhere" });
  expect(body.errors[0].message).toBe("'Nowhere' is not a valid location");
});

/** A write with a name that is nearly one of those of the feed network, by path, field and what was probably meant. */
const CLASSES: Array<[path: string, fields: object, field: string, meant: string]> = [
  [
    "/network/hosts",
    { name: "new-host", device_type: "Physicl", network: "Office" },
    "device_type",
    "Physical",
  ],
  [
    "/network/hosts",
    { name: "new-host", device_type: "Physical", automation_groups: ["magnets", "timng"] },
    "automation_groups",
    "timing",
  ],
  [
    "/network/hosts",
    { name: "new-host", device_type: "Physical", items: ["AAB111"] },
    "items",
    "AAA111",
  ],
  [
    "/network/interfaces",
    { host: "plc-nort", name: "second", network: "Office" },
    "host",
    "plc-north",
  ],
  ["/network/groups", { name: "all-of-it", children: ["timng"] }, "children", "timing"],
  ["/network/groups", { name: "all-of-it", hosts: ["plc-nort"] }, "hosts", "plc-north"],
  [
    "/network/networks",
    {
      ...{ vlan_name: "New", vlan_id: 40, address: "10.1.40.0/24" },
      ...{ first_ip: "10.1.40.2", last_ip: "10.1.40.9", gateway: null, scope: "Laboratry" },
    },
    "scope",
    "Laboratory",
  ],
  ["/user/tokens", { description: "Robot", scopes: ["laboratry"] }, "scopes", "Laboratory"],
];

async function aSiteOfNames() {
  await aScope({ name: "Laboratory", supernet: "10.77.0.0/16", first_vlan: 700, last_vlan: 710 });
  await aFeedNetwork();
  await anItem({ ics_id: "AAA111" });
  await aHost({ name: "plc-north" });
  await Promise.all(["magnets", "timing"].map((name) => aGroup({ name })));
}

describe("a name that is nearly one of another kind of record", () => {
  test.each(CLASSES)(
    "by POST %s with %j is refused in %s with %s",
    async (path, fields, field, meant) => {
      await aSiteOfNames();
      const { status, body } = await api(alice).post(path, fields);
      expect(status).toBe(422);
      const found = body.errors.find((one: { field: string }) => one.field === field);
      expect(found?.message).toEndWith(`Did you mean "${meant}"?`);
    },
  );

  test("is told for the domain of a network and for the parent of an item, in forms and API", async () => {
    await aSiteOfNames();
    const { id } = (await api(alice).get("/network/networks?vlan_name=Office")).body[0];
    const changed = await api(alice).patch(`/network/networks/${id}`, { domain: "lab.exmple.org" });
    expect(changed.body.errors[0].message).toEndWith(`Did you mean "lab.example.org"?`);
    const scope = { name: "Next", supernet: "10.99.0.0/16", first_vlan: "900", last_vlan: "901" };
    const made = await (await browser(alice)).submit("/network/scopes/create", {
      ...scope,
      domain: "lab.exmple.org",
    });
    expect(elements(made.text, "p.error button")[0]?.attributes.value).toBe("lab.example.org");
    const { id: item } = (await anItem({ serial_number: "C-1" })) as { id: number };
    const moved = await api(bob).patch(`/inventory/items/${item}`, { parent: "AAB111" });
    expect(moved.body.errors[0].message).toEndWith(`Did you mean "AAA111"?`);
    // Another number is another item, not a typing error.
    const other = await api(bob).patch(`/inventory/items/${item}`, { parent: "AAA112" });
    expect(other.body.errors[0].message).toBe("'AAA112' is not a valid parent");
  });

  test("in a list of names has a button that replaces that name alone", async () => {
    await aSiteOfNames();
    const groups = ["magnets", "timng"].map((name) => ["automation_groups", name]);
    const pairs = [["name", "new-host"], ["device_type", "Physical"], ...groups];
    const own = await browser(dave);
    // A field of the same name twice: as a record it would be there once.
    const { status, text } = await own.submit("/network/hosts/create", pairs as never);
    expect(status).toBe(422);
    const [button] = elements(text, "p.error button");
    expect(button?.attributes).toMatchObject({
      "data-fill": "field-automation_groups-2",
      "data-given": "timng",
      value: "timing",
    });
    const [, second] = elements(text, 'input[name="automation_groups"]');
    expect([second?.attributes.id, second?.attributes.value]).toEqual([
      "field-automation_groups-2",
      "timng",
    ]);
  });

  test("never names a host or a network that the caller may not see", async () => {
    await aSiteOfNames();
    const messages = async (by: Person) => {
      const asked = [
        api(by).post("/network/groups", { name: "some-group", hosts: ["vaul"] }),
        api(by).post("/network/hosts", {
          name: "some-host",
          device_type: "Physical",
          network: "Vault",
        }),
      ];
      return (await Promise.all(asked)).map(({ body }) => body.errors[0].message);
    };
    for (const message of await messages(dave)) expect(message).not.toContain("Did you mean");
    expect((await messages(alice)).join()).toMatch(/"vault".*"Vaults"/);
  });
});

describe("an unknown name", () => {
  test.each([
    ["Siemes", `'Siemes' is not a valid manufacturer. Did you mean "Siemens"?`],
    ["siemesn", `'siemesn' is not a valid manufacturer. Did you mean "Siemens"?`],
    ["Simons", "'Simons' is not a valid manufacturer"],
    ["S".repeat(65), `'${"S".repeat(65)}' is not a valid manufacturer`],
    ["%", "'%' is not a valid manufacturer"],
  ])("%s is refused by %s", async (typed, message) => {
    await aManufacturer({ name: "Siemens" });
    expect(await messageFor(typed)).toBe(message);
  });

  test("of a network gets a suggestion too, but none for a token with limits", async () => {
    await aNetwork({ vlan_name: "Timing-North" });
    const { name: host } = await aHost();
    const wrong = { host, name: "one", network: "Timing-Nort" };
    const { body } = await api(dave).post("/network/interfaces", wrong);
    const message = "'Timing-Nort' is not a valid network";
    expect(body.errors[0].message).toBe(`${message}. Did you mean "Timing-North"?`);
    const { body: made } = await api(dave).post("/user/tokens", {
      description: "Scanner",
      limits: ["network:write"],
    });
    const limited = await api(dave).post("/network/interfaces", wrong, {
      headers: { authorization: `Bearer ${made.token}` },
    });
    expect(limited.body.errors[0].message).toBe(message);
  });

  test("has a button in a form, which puts the suggestion into the field", async () => {
    await aManufacturer({ name: "Siemens" });
    const given = { serial_number: "S", manufacturer: "Siemes" };
    const { text, status } = await (await browser(bob)).submit(`${ITEMS}/create`, given);
    expect(status).toBe(422);
    expect(texts(text, "p.error")[0]).toContain("Did you mean");
    const [button] = elements(text, "p.error button");
    expect(button?.attributes["data-fill"]).toBe("field-manufacturer");
    expect(button?.attributes.value).toBe("Siemens");
  });
});

import { describe, expect, test } from "bun:test";
import { resourceOf, resources } from "../../src/resources.ts";
import { user } from "../../src/user/user.ts";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import {
  aDomain,
  aGroup,
  aHost,
  aLocation,
  alice,
  aManufacturer,
  aModel,
  aNetwork,
  anItem,
  api,
  aScope,
  aStatus,
  bob,
  carol,
  inOrder,
  type Person,
} from "../support/mod.ts";

type Browser = Awaited<ReturnType<typeof browser>>;

async function linksOn(own: Browser, path: string): Promise<string[]> {
  const { status, text } = await own.get(path);
  expect([path, status]).toEqual([path, 200]);
  return elements(text, "main a").map(({ attributes }) => attributes.href ?? "");
}

/** Items, a host and a network that refer to records of every kind. */
async function aSite() {
  await aManufacturer({ name: "Acme" });
  await aModel({ name: "X 1/2" });
  await aLocation({ name: "Hall A" });
  await aStatus({ name: "In use" });
  const scope = await aScope({ name: "Laboratory" });
  await aNetwork({ scope: "Laboratory", vlan_name: "Bench", vlan_id: 310 });
  const host = await aHost({ name: "bench-01", network: "Bench" });
  await aGroup({ name: "Bench hosts", hosts: ["bench-01"] });
  const attributes = {
    manufacturer: "Acme",
    model: "X 1/2",
    location: "Hall A",
    status: "In use",
  };
  const crate = await anItem({ ics_id: "AAA001", ...attributes });
  await anItem({ ics_id: "AAA002", parent_id: crate.id, host_id: host.id, ...attributes });
  return { domain: scope.domain as string };
}

const OF_ITEMS = [
  "/inventory/attributes/manufacturer/Acme",
  "/inventory/attributes/model/X%201%2F2",
  "/inventory/attributes/location/Hall%20A",
  "/inventory/attributes/status/In%20use",
  "/inventory/items/view/AAA001",
  "/network/hosts/view/bench-01",
  "/users/alice",
];

describe("every field that names records with pages", () => {
  const named = resources.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, { refersTo, shows }]) =>
      refersTo ? [{ field: `${name}.${field}`, table: refersTo.table, shows }] : [],
    ),
  );

  test("names the resource of those pages, to which lists and facts link", () => {
    expect(named.length).toBeGreaterThan(10);
    for (const { field, table, shows } of named) expect([field, shows]).toEqual([field, table]);
    for (const { fields } of resources) if (fields.user) expect(fields.user.shows).toBe(user.name);
  });

  test("refers to a table that undo and history know", () => {
    for (const { table } of named) expect(resourceOf(table)?.name).toBe(table);
  });
});

describe("lists and pages", () => {
  test("link to every record that they name", async () => {
    const { domain } = await aSite();
    const own = await browser(carol);
    const columns = "cols=manufacturer&cols=model&cols=location&cols=status&cols=parent";
    const paths: Array<[page: string, links: string[]]> = [
      [`/inventory/items?${columns}&cols=host&cols=user`, OF_ITEMS],
      ["/inventory/items/view/AAA002", OF_ITEMS],
      [
        "/network/hosts?cols=device_type&cols=network&cols=items&cols=model&cols=user",
        [
          "/network/device_types/view/Physical",
          "/network/networks/view/Bench",
          "/inventory/items/view/AAA002",
          "/inventory/attributes/model/X%201%2F2",
          "/users/alice",
        ],
      ],
      [
        "/network/hosts/view/bench-01",
        [
          "/network/device_types/view/Physical",
          "/inventory/attributes/model/X%201%2F2",
          "/inventory/attributes/location/Hall%20A",
          "/network/networks/view/Bench",
          "/network/groups/view/Bench%20hosts",
        ],
      ],
      [
        "/network/networks",
        [
          "/network/vlans/310",
          "/network/scopes/view/Laboratory",
          `/network/domains/view/${domain}`,
        ],
      ],
      [
        "/network/networks/view/Bench",
        [
          "/network/vlans/310",
          "/network/scopes/view/Laboratory",
          `/network/domains/view/${domain}`,
        ],
      ],
      ["/network/scopes/view/Laboratory", ["/network/vlans/310"]],
      [
        "/network/interfaces?cols=host&cols=network&cols=domain&cols=device_type",
        [
          "/network/hosts/view/bench-01",
          "/network/networks/view/Bench",
          `/network/domains/view/${domain}`,
          "/network/device_types/view/Physical",
        ],
      ],
      ["/network/vlans/310", ["/network/networks/view/Bench", "/network/scopes/view/Laboratory"]],
    ];
    for (const [path, links] of paths) {
      const found = await linksOn(own, path);
      expect([path, links.filter((link) => !found.includes(link))]).toEqual([path, []]);
      for (const link of links) expect([link, (await own.get(link)).status]).toEqual([link, 200]);
    }
  });

  test("do not name what is hidden", async () => {
    const host_id = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id });
    const own = await browser(bob);
    for (const path of ["/inventory/items?cols=host", "/inventory/items/view/AAA001"])
      expect((await linksOn(own, path)).join()).not.toContain("/network/hosts/view/canary");
  });
});

describe("GET /network/vlans/(number)", () => {
  test("shows the networks of the VLAN in every scope, with their hosts", async () => {
    await aSite();
    const other = await aScope({ name: "Accelerator" });
    await aNetwork({ scope: other.name, vlan_name: "Tunnel", vlan_id: 310 });
    const { text } = await (await browser(carol)).get("/network/vlans/310");
    expect(texts(text, "h1")).toEqual(["VLAN 310"]);
    expect(texts(text, "p.lead")).toEqual(["2 networks, 1 host"]);
    expect(texts(text, "td a.open")).toEqual(["Tunnel", "Bench"]);
  });

  test("is not found without a network, and where none is visible", async () => {
    await aNetwork({ vlan_name: "Secret", vlan_id: 311, sensitive: true });
    const own = await browser(carol);
    for (const vlan of ["311", "312", "0", "5000", "x", "0310"])
      expect([vlan, (await own.get(`/network/vlans/${vlan}`)).status]).toEqual([vlan, 404]);
    expect((await (await browser(alice)).get("/network/vlans/311")).status).toBe(200);
  });
});

describe("the page of a device type or a domain", () => {
  test("shows what refers to it and is visible, and leads to all of it", async () => {
    await aSite();
    await aHiddenHost();
    const path = "/network/device_types/view/Network";
    const seen = async (person: Person) => (await (await browser(person)).get(path)).text;
    expect(texts(await seen(alice), "td a.open")).toEqual(["canary"]);
    expect(texts(await seen(carol), "td a.open")).toEqual([]);
    expect(texts(await seen(carol), "h2")[0]).toBe("Hosts 0");
    for (let at = 0; at < 21; at += 1) await aHost({ name: `net-${at}`, device_type: "Network" });
    const own = await browser(carol);
    const { text } = await own.get(path);
    expect(texts(text, "td a.open")).toHaveLength(20);
    const [all] = elements(text, ".region > a.button");
    expect(texts((await own.get(all!.attributes.href!)).text, ".tally p")[0]).toStartWith("21 h");
  });

  test("of a domain shows its scopes and networks, and lets admins delete it", async () => {
    const { domain } = await aSite();
    const path = `/network/domains/view/${domain}`;
    const { text } = await (await browser(carol)).get(path);
    expect(texts(text, "td a.open").toSorted()).toEqual(["Bench", "Laboratory"]);
    expect(elements(text, "form[action='/network/domains/delete']")).toEqual([]);
    const own = await browser(alice);
    expect(
      elements((await own.get(path)).text, "form[action='/network/domains/delete']"),
    ).toHaveLength(1);
    expect((await own.get("/network/domains/view/nowhere.example")).status).toBe(404);
  });
});

describe("GET /users/(name)", () => {
  test("shows what everybody may know of a user, and their changes", async () => {
    await aLocation({ name: "Hall A" });
    const own = await browser(carol);
    const { text } = await own.get("/users/ALICE");
    expect(texts(text, ".timeline li").join()).toContain("Hall A");
    expect(text).not.toContain("admin");
    expect((await own.get("/users/nobody")).status).toBe(404);
  });
});

describe("a record that was opened from a list", () => {
  const NAMES = ["aa-one", "aa-two", "aa-three"];
  const lists: Array<[path: string, make: (name: string) => Promise<unknown>]> = [
    ["/network/hosts", (name) => aHost({ name })],
    ["/network/scopes", (name) => aScope({ name })],
    ["/network/groups", (name) => aGroup({ name })],
    ["/network/networks", (vlan_name) => aNetwork({ vlan_name })],
    ["/network/domains", (name) => aDomain({ name })],
    ["/network/device_types", (name) => api(alice).post("/network/device_types", { name })],
  ];

  test.each(lists)("links to its neighbours in that list: %s", async (path, make) => {
    await inOrder(NAMES.map((name) => () => make(name)));
    const own = await browser(carol);
    const sort = path === "/network/networks" ? "vlan_name" : "name";
    const { text } = await own.get(`${path}?q=aa-&sort=-${sort}&per_page=2`);
    const links = elements(text, "td a.open").map(({ attributes }) => attributes.href!);
    expect(links).toHaveLength(2);
    const opened = (await own.get(links[1]!)).text;
    expect(texts(opened, "nav.in-list > span")).toEqual(["2 of 3"]);
    const next = elements(opened, "a[rel=next]")[0]!.attributes.href!;
    expect(texts((await own.get(next)).text, "h1")[0]).toStartWith("aa-one");
    expect(elements(opened, ".crumbs a").map(({ attributes }) => attributes.href)).toContain(
      `${path}?q=aa-&sort=-${sort}`,
    );
  });
});

test("users lead admins to their neighbours in the list", async () => {
  await inOrder([carol, bob].map((one) => () => browser(one)));
  const own = await browser(alice);
  const { text } = await own.get("/admin/users?q=*o*&sort=-username");
  const [, second] = elements(text, "td a.open").map(({ attributes }) => attributes.href!);
  const opened = (await own.get(second!)).text;
  expect(elements(opened, "a[rel=prev]")).toHaveLength(1);
  expect(elements(opened, ".crumbs a").at(-1)!.attributes.href).toBe(
    "/admin/users?q=*o*&sort=-username",
  );
});

describe("times", () => {
  test("are relative, with the exact time in UTC for the script and for a pointer", async () => {
    await anItem({ ics_id: "AAA001" });
    const { text } = await (await browser(carol)).get("/inventory/items");
    const [time] = elements(text, "td time");
    expect(time!.attributes.datetime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    expect(time!.attributes.title).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(texts(text, "td time")[0]).toMatch(/^(just now|\d minutes? ago)$/);
  });
});

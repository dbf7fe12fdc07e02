import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, aModel, anItem, api, aStatus, bob, carol, inOrder } from "../support/mod.ts";

const LOCATION = "/inventory/attributes/location";

describe("GET /inventory/attributes/(kind)/(name)", () => {
  test("shows the code, the items counted by status and model, and the history", async () => {
    await aModel({ name: "X/1", description: "A crate" });
    await inOrder(["Spare", "Used"].map((name) => () => aStatus({ name })));
    await inOrder(
      ["Used", "Used", "Spare"].map((status) => () => anItem({ model: "X/1", status })),
    );
    const { status, text } = await (await browser(carol)).get("/inventory/attributes/model/X%2F1");
    expect(status).toBe(200);
    expect(texts(text, "h1")).toEqual(["X/1"]);
    expect(texts(text, "figure.qr figcaption")).toEqual(["CSE:model:X/1"]);
    expect(texts(text, "dl.counts dd")).toEqual(["Used 2", "Spare 1"]);
    expect(texts(text, "td a.open")).toHaveLength(3);
    expect(texts(text, "dl.facts dd")).toEqual(["A crate"]);
    expect(texts(text, ".timeline li").join()).toContain("added this model");
  });

  test("shows the first twenty items and leads to all of them", async () => {
    await aModel({ name: "X 1" });
    const many = Array.from({ length: 21 }, () => () => anItem({ model: "X 1" }));
    await inOrder(many);
    const own = await browser(carol);
    const { text } = await own.get("/inventory/attributes/model/x%201");
    expect(texts(text, "td a.open")).toHaveLength(20);
    const all = elements(text, "a.button.quiet").find(({ attributes }) =>
      attributes.href!.startsWith("/inventory/items?"),
    );
    expect(texts((await own.get(all!.attributes.href!)).text, ".tally p")[0]).toStartWith(
      "21 items",
    );
  });

  test("is not found for another name or kind", async () => {
    const own = await browser(carol);
    expect((await own.get(`${LOCATION}/Nowhere`)).status).toBe(404);
    expect((await own.get("/inventory/attributes/gadget/x")).status).toBe(404);
  });

  test("lets editors open the form in the list", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const edit = (text: string) => elements(text, "a[data-key=e]")[0]?.attributes.href;
    expect(edit((await (await browser(bob)).get(`${LOCATION}/Hall%20A`)).text)).toBe(
      `${LOCATION}?selected=${id}#field-name`,
    );
    expect(edit((await (await browser(carol)).get(`${LOCATION}/Hall%20A`)).text)).toBeUndefined();
  });

  test("shows everything inside of a location as a tree", async () => {
    await aLocation({ name: "Building A" });
    await aLocation({ name: "Rack 7", parent: "Building A" });
    await aLocation({ name: "Rack 8", parent: "Building A" });
    const crate = await anItem({ ics_id: "AAA001", location: "Rack 7" });
    await anItem({ ics_id: "AAA002", parent_id: crate.id });
    await anItem({ ics_id: "AAA003", location: "Building A" });
    await anItem({ ics_id: "AAA004" });
    const own = await browser(carol);
    const { text } = await own.get(`${LOCATION}/Building%20A`);
    expect(texts(text, "ul.tree a:not(.muted)")).toEqual([
      ...["AAA003", "Rack 7", "AAA001", "AAA002", "Rack 8"],
    ]);
    const counts = elements(text, "ul.tree a.muted");
    expect(texts(text, "ul.tree a.muted")).toEqual(["2 items"]);
    const listed = await own.get(counts[0]!.attributes.href!);
    expect(texts(listed.text, "td a.open")).toEqual(["AAA001", "AAA002"]);
    expect(texts(text, "ul.tree li li li a")).toEqual(["AAA002"]);
    const rack = await own.get(`${LOCATION}/Rack%207`);
    expect(texts(rack.text, "ul.tree a")).toEqual(["AAA001", "AAA002"]);
    expect(texts(rack.text, ".crumbs li")).toEqual([
      ...["Inventory", "Locations", "Building A", "Rack 7"],
    ]);
    expect(elements(rack.text, "dl.facts a")[0]!.attributes.href).toBe(`${LOCATION}/Building%20A`);
    expect(texts((await own.get(`${LOCATION}/Rack%208`)).text, ".region .muted")).toEqual([
      "Empty",
    ]);
  });

  test("shows the first two hundred items of a location, depth first, and leads to all", async () => {
    await aLocation({ name: "Hall A" });
    const crate = await anItem({ location: "Hall A" });
    for (let at = 0; at < 201; at += 1) await anItem({ parent_id: crate.id });
    const own = await browser(carol);
    const { text } = await own.get(`${LOCATION}/Hall%20A`);
    expect(texts(text, "ul.tree a")).toHaveLength(200);
    const all = elements(text, "a.button.quiet").map(({ attributes }) => attributes.href!);
    expect(all).toContain("/inventory/items?location__under=Hall+A");
    const page = await own.get(`/inventory/items/view/${crate.ics_id}`);
    expect(elements(page.text, "a").map(({ attributes }) => attributes.href)).toContain(
      `/inventory/items?parent__under=${crate.ics_id}`,
    );
  });

  test("offers the parent in the form of a location alone", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(bob);
    const { text } = await own.get(`${LOCATION}?selected=${id}`);
    expect(elements(text, "input[name=parent]")).toHaveLength(2);
    await aLocation({ name: "Building A" });
    const fields = { action: "update", id: String(id), name: "Hall A", parent: "Building A" };
    const version = elements(text, "input[name=version]")[0]!.attributes.value!;
    await own.submit(LOCATION, { ...fields, version });
    expect((await api(carol).get(`/inventory/locations/${id}`)).body.parent).toBe("Building A");
    const { text: models } = await own.get("/inventory/attributes/model");
    expect(elements(models, "input[name=parent]")).toHaveLength(0);
  });
});

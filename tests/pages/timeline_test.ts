import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import {
  aCname,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anItem,
  api,
  aSiteField,
  audrey,
  bob,
  carol,
  inOrder,
  type Person,
  service,
} from "../support/mod.ts";

const ITEMS = "/inventory/items";

/** The entries on the page of a record's changes, newest first: user, action and differences. */
async function timelineOf(table: string, id: number, by: Person = carol) {
  const { text } = await (await browser(by)).get(`/changes/${table}/${id}`);
  const spaced = text.replace(/<(ul|li)\b/g, " <$1");
  return texts(spaced, "ol.timeline > li").map((line) =>
    line.replace(/^(just now|\d+ \w+ ago) /, ""),
  );
}

describe("the timeline of a record", () => {
  test("lists changes with their users, newest first, field by field", async () => {
    const { id } = await aLocation({ name: "Hall A", description: "The big one" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B", description: null });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    expect(await timelineOf("locations", id)).toEqual([
      "bob changed this location",
      "bob changed this location Name Hall A → Hall B Description The big one",
      "alice added this location Name Hall A Description The big one",
    ]);
  });

  test("shows names instead of keys, also of deleted records", async () => {
    await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001" });
    const crate = await anItem({ ics_id: "AAA002", serial_number: "SN", location: "Hall A" });
    await api(bob).patch(`${ITEMS}/AAA002`, { location: "Hall B" });
    await api(bob).patch(`${ITEMS}/AAA002`, { parent: "AAA001", location: "Hall B" });
    await api(bob).patch(`${ITEMS}/AAA002`, { parent: null });
    await api(alice).delete(`${ITEMS}/${rack.id}`);
    expect(await timelineOf("items", crate.id)).toEqual([
      "bob changed this item Parent AAA001",
      "bob changed this item Parent AAA001",
      "bob changed this item Location Hall A → Hall B",
      "alice added this item Label AAA002 Serial number SN Quantity 1 Location Hall A",
    ]);
  });

  test("leads from old and new values to the records that exist", async () => {
    await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001" });
    const { id } = await anItem({ ics_id: "AAA002", serial_number: "SN", location: "Hall A" });
    await api(bob).patch(`${ITEMS}/AAA002`, { location: "Hall B", parent: "AAA001" });
    await api(bob).patch(`${ITEMS}/AAA002`, { parent: null });
    await api(alice).delete(`${ITEMS}/${rack.id}`);
    const own = await browser(carol);
    const { text } = await own.get(`${ITEMS}/view/AAA002`);
    const values = elements(text, ".differences a").map(({ attributes }) => attributes.href);
    const path = "/inventory/attributes/location";
    expect(values).toEqual([`${path}/Hall%20A`, `${path}/Hall%20B`, `${path}/Hall%20A`]);
    const [{ events }] = (await api(carol).get(`/changes?kind=items&record=${id}`)).body;
    expect(events[0].differences).toEqual([{ field: "parent", old: "AAA001", now: null }]);
  });

  test("leads to the list of changes of the record", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await aLocation({ name: "Hall C" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    const own = await browser(carol);
    const { text } = await own.get("/inventory/attributes/location/Hall%20B");
    const { href } = elements(text, "section.late > a.button").at(-1)!.attributes;
    const listed = await own.get(href!);
    expect(texts(listed.text, "td.what")).toHaveLength(2);
    const author = elements(listed.text, "td.who a").at(-1);
    expect(author!.attributes.href).toBe("/users/alice");
  });

  test("of an item includes its comments and its MAC addresses, also former ones", async () => {
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "SN" });
    const other = await anItem({ ics_id: "AAA002" });
    const { body: comment } = await api(bob).post(`${ITEMS}/${id}/comments`, { body: "Dented" });
    await api(bob).delete(`${ITEMS}/comments/${comment.id}`);
    const address = "02:42:42:00:00:01";
    const { body: mac } = await api(bob).post("/inventory/macs", { address, item_id: id });
    await api(bob).patch(`/inventory/macs/${mac.id}`, { item_id: other.id });
    expect(await timelineOf("items", id)).toEqual([
      `bob changed MAC address ${address} Item AAA001 → AAA002`,
      `bob added MAC address ${address} Address ${address} Item AAA001`,
      "bob deleted a comment Dented",
      "bob added a comment Dented",
      "alice added this item Label AAA001 Serial number SN Quantity 1",
    ]);
  });

  test("discloses no hidden host, present or deleted", async () => {
    const host = await aHiddenHost();
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "SN", quantity: 1 });
    await api(alice).patch(`${ITEMS}/${id}`, { host_id: host, stack_member: 3 });
    const open = ["alice changed this item Host canary Stack member 3"];
    const kept = ["alice added this item Label AAA001 Serial number SN Quantity 1"];
    expect(await timelineOf("items", id, audrey)).toEqual([...open, ...kept]);
    expect(await timelineOf("items", id)).toEqual(kept);
    await api(alice).patch(`${ITEMS}/${id}`, { quantity: 1, host_id: null });
    const { sql } = await service();
    await sql`delete from hosts where id = ${host}`;
    expect(await timelineOf("items", id)).toEqual(kept);
    expect((await timelineOf("items", id, alice))[1]).toBe(open[0]!);
  });

  test("is on the panel of an attribute, and each entry links to its change set", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(carol);
    const { text } = await own.get(`/inventory/attributes/location?selected=${id}`);
    expect(texts(text, "aside ol.timeline > li b")).toEqual(["alice"]);
    const { href } = elements(text, "aside ol.timeline a.when")[0]!.attributes;
    const set = await own.get(href!);
    expect(set.status).toBe(200);
    expect(texts(set.text, "ol.timeline > li")[0]).toStartWith("added location Hall A");
  });

  test("is split into pages, and the panel links to the rest", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    for (let at = 1; at <= 52; at += 1) {
      await api(bob).patch(`/inventory/locations/${id}`, { description: `Number ${at}` });
    }
    const own = await browser(carol);
    const panel = await own.get(`/inventory/attributes/location?selected=${id}`);
    expect(texts(panel.text, "aside ol.timeline > li")).toHaveLength(20);
    const [all] = elements(panel.text, "aside section > a");
    const first = await own.get(all!.attributes.href!);
    expect(texts(first.text, "ol.timeline > li")).toHaveLength(50);
    const next = elements(first.text, "a[rel=next]")[0]!.attributes.href!;
    const last = await own.get(next);
    expect(texts(last.text, "ol.timeline > li")).toHaveLength(3);
    expect(texts(last.text, "ins").at(-1)).toBe("Hall A");
  });

  test("returns 404 for an unknown record, and for one that not everybody may see", async () => {
    const own = await browser(alice);
    for (const path of ["locations/999", "users/1", "hosts/1", "gadgets/1", "locations/x"]) {
      expect([path, (await own.get(`/changes/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test("is on the home page, where each entry links to its change set", async () => {
    await anItem({ ics_id: "AAA001" });
    const { text } = await (await browser(carol)).get("/");
    expect(texts(text, "ol.timeline > li")[0]).toEndWith("alice added item AAA001");
    expect(elements(text, "ol.timeline a.when")).toHaveLength(1);
  });
});

test("of a host has its cnames", async () => {
  await aNetwork({ vlan_name: "Lab" });
  await aHost({ name: "web", network: "Lab" });
  const [{ id }] = (await api(alice).get("/network/interfaces?name=web")).body;
  await aCname({ interface_id: id, name: "www" });
  const { text } = await (await browser(carol)).get("/network/hosts/view/web");
  expect(texts(text, ".timeline > li")[0]).toContain("alice added cname www");
});

test("shows dates and choices of the site's fields as the page of the record does", async () => {
  await aSiteField({ key: "tested", label: "Tested", type: "date" });
  await aSiteField({ key: "zones", label: "Zones", type: "choices", choices: ["A=Hot", "B=Cold"] });
  await anItem({ ics_id: "AAA001", site: { tested: "2026-01-31", zones: ["A", "B"] } });
  const { text } = await (await browser(carol)).get("/inventory/items/view/AAA001");
  const told = texts(text, ".timeline .differences li");
  expect(told).toContain("Tested 31 Jan 2026");
  expect(told).toContain("Zones Hot, Cold");
});

describe("the page of a change", () => {
  test("undoes it by a button, and says so", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    const own = await browser(bob);
    const path = await latestOf(id);
    const undone = await own.submit(path, {});
    expect(undone.status).toBe(303);
    const { text } = await own.get(undone.headers.get("location")!);
    expect(texts(text, "#toasts .toast")[0]).toBe("UndoneRedo");
    expect(elements(text, `header.head a[href="${path}"]`)).toHaveLength(1);
    expect((await api(carol).get(`/inventory/locations/${id}`)).body.name).toBe("Hall A");
    expect(elements((await own.get(path)).text, "header.head button")).toEqual([]);
    const [redo] = elements(text, "#toasts form");
    const redone = await own.submit(redo!.attributes.action!, {});
    const after = await own.get(redone.headers.get("location")!);
    expect(texts(after.text, "#toasts .toast")[0]).toBe("RedoneUndo");
    expect((await api(carol).get(`/inventory/locations/${id}`)).body.name).toBe("Hall B");
  });

  test("says why it cannot be undone, and changes nothing", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    const path = await latestOf(id);
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall C" });
    const { status, text } = await (await browser(bob)).submit(path, {});
    expect(status).toBe(422);
    expect(texts(text, "[role=alert].note")).toEqual([
      expect.stringMatching(/^Hall B has been changed since, by bob on .+ UTC: undo that first$/),
    ]);
    expect((await api(carol).get(`/inventory/locations/${id}`)).body.name).toBe("Hall C");
  });

  test("offers it only to those who may edit", async () => {
    const { id } = await aLocation();
    const own = await browser(carol);
    const path = await latestOf(id);
    expect(elements((await own.get(path)).text, "header.head button")).toEqual([]);
    expect((await own.submit(path, {})).status).toBe(403);
  });

  async function latestOf(id: number): Promise<string> {
    const { text } = await (await browser(carol)).get(`/changes/locations/${id}`);
    return elements(text, "a.when")[0]!.attributes.href!;
  }
});
